#!/bin/sh
# recording.sh BUILD [SECONDS [THREADS [METHODS]]]: what a recording of a busy server costs to open and to look at.
# By default an hour, 36,000 windows, 64 threads, 10,000 methods (tests/tools/recording_make.c).
# A dumped screen has searched the whole file for stalls; on the screen that goes on behind the first picture.
set -eu
build=$1
shift
work=$(mktemp -d "${TMPDIR:-/tmp}/rtop-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

now_ms() { echo $(($(date +%s%N) / 1000000)); }

file=$work/hour.rpt
start=$(now_ms)
"$build/tests/tools/recording_make" "$file" "$@"
echo "make $(($(now_ms) - start)) ms"
echo "size $(($(stat -c %s "$file") / 1000000)) MB"
"$build/tests/tools/recording_bench" "$file"
for view in methods time; do
  start=$(now_ms)
  "$build/rperf-top" -r "$file" --view "$view" --dump-screen=160x50 > "$work/screen"
  echo "dump-$view $(($(now_ms) - start)) ms"
done
start=$(now_ms)
"$build/rperf-top" -r "$file" -o "$work/hour.collapsed" 2> /dev/null
echo "convert-to-collapsed $(($(now_ms) - start)) ms"
