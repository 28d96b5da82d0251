#!/bin/bash
# What the shells complete: bash is asked, the others are read by their shells where there are any.
cd "$(dirname "$0")/../.." || exit 1
PATH=${RTOP_BUILD:-$PWD/build}:$PATH
work=$(mktemp -d "${TMPDIR:-/tmp}/rtop-completions.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
export RPERF_TOP_DIR=$work
tests=0 failures=0
it() {
  local name=$1
  shift
  tests=$((tests + 1))
  if "$@"; then echo "ok $tests $name"; else echo "not ok $tests $name"; failures=$((failures + 1)); fi
}
. tui/cli/completions/rperf-top.bash

# The completions of a command line's last word, one a line.
complete_line() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _rperf_top
  printf '%s\n' "${COMPREPLY[@]}"
}
offers() { local wanted=$1; shift; complete_line "$@" | grep -qx -e "$wanted"; }
offers_all_options() {
  local option
  for option in $(rperf-top --help all | grep -oE -e '--[a-z][a-z-]+' | sort -u); do
    offers "$option" rperf-top "${option:0:4}" || { echo "# $option"; return 1; }
  done
}
offers_no_more() { [ -z "$(complete_line rperf-top --view sky | grep -vx skyline)" ]; }

it "every option of --help" offers_all_options
it "columns to sort by" offers total-cpu rperf-top -s tot
it "views" offers skyline rperf-top --view sky
it "only what fits" offers_no_more
it "themes" offers blue rperf-top --theme b
it "formats" offers speedscope rperf-top --format sp
it "clocks" offers cpu rperf-top -m ''
it "values of every option in the table" offers waiting rperf-top --state wa
it "the same after the letter" offers always rperf-top -C al
it "options where no value follows" offers --batch rperf-top --json --ba
it "files" offers GNUmakefile rperf-top -o GNU
for shell in zsh:_rperf-top fish:rperf-top.fish; do
  if command -v "${shell%%:*}" > /dev/null; then
    it "${shell%%:*} can read it" "${shell%%:*}" -n "tui/cli/completions/${shell#*:}"
  else
    tests=$((tests + 1))
    echo "ok $tests ${shell%%:*} can read it # skip there is no ${shell%%:*} here"
  fi
done
echo "1..$tests"
[ "$failures" -eq 0 ]
