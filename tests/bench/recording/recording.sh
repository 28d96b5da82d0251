#!/bin/sh
# recording.sh BUILD [SECONDS [THREADS [METHODS]]]: what a recording of a busy server costs to open and to look at.
# By default an hour, 36,000 windows, 64 threads, 10,000 methods (tests/tools/recording_make.c).
# A dumped screen has searched the whole file for stalls; on the screen that goes on behind the first picture.
set -eu
build=$1
here=$(dirname "$0")
shift
work=$(mktemp -d "${TMPDIR:-/tmp}/rtop-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

# Prints "NAME VALUE ms", and keeps what stands among the results.
tell() {
  echo "$1 $2 ${3:-}"
  [ -n "${BENCH_KEEP:-}" ] || return 0
  case $1 in
  open | open-to-first-second | timeline) key=open ;;
  forwards-* | backwards-* | anywhere-*) key=step ;;
  sum-of-all | convert-to-collapsed) key=whole ;;
  *) return 0 ;;
  esac
  echo "$2" | "${RUBY:-ruby}" "$here/../results" keep "recording/$key" "$1"
}

now_ms() { echo $(($(date +%s%N) / 1000000)); }

file=$work/hour.rpt
start=$(now_ms)
"$build/tests/tools/recording_make" "$file" "$@"
tell make $(($(now_ms) - start)) ms
echo "size $(($(stat -c %s "$file") / 1000000)) MB"
"$build/tests/tools/recording_bench" "$file" > "$work/figures"
while read -r name value unit; do tell "$name" "$value" "$unit"; done < "$work/figures"
for view in methods time; do
  start=$(now_ms)
  "$build/rperf-top" -r "$file" --view "$view" --dump-screen=160x50 > "$work/screen"
  tell "dump-$view" $(($(now_ms) - start)) ms
done
start=$(now_ms)
"$build/rperf-top" -r "$file" -o "$work/hour.collapsed" 2> /dev/null
tell convert-to-collapsed $(($(now_ms) - start)) ms
