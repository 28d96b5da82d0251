#!/bin/bash
# Bad input gets one clear line that says what to do, and the exit status that the manual promises. Needs
# neither Ruby nor the extension: channels come from fake_process, commands are shells.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${RTOP_BUILD:-$PWD/${BUILD:-build}}
viewer=$build/rperf-top
for needed in "$viewer" "$build/tests/fake_process"; do
  [ -x "$needed" ] || { echo "not ok 1 $needed was not built"; exit 1; }
done

work=$(mktemp -d "${TMPDIR:-/tmp}/rtop-errors.XXXXXX") || exit 1
ring=$(mktemp -d /dev/shm/rtop-errors.XXXXXX) || exit 1
export RPERF_TOP_DIR=$ring RPERF_TOP_LIB=$work/lib TMPDIR=$work
unset RUBYOPT RUBYLIB
mkdir "$work/lib"
: > "$work/lib/rperf_top.rb"
started=()
cleanup() {
  for pid in "${started[@]}"; do kill -KILL "$pid" 2> /dev/null; done
  rm -rf "$work" "$ring"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

number=0
out=$work/out err=$work/err status=0

# Runs the viewer; the rest of a test looks at $status, $out and $err.
run() {
  timeout 60 "$viewer" "$@" > "$out" 2> "$err" < /dev/null
  status=$?
}

# The same in the background, as $watching.
watch() {
  : > "$out"                           # now: what an earlier run wrote would be taken for this one's
  timeout 60 env --default-signal=INT "$viewer" "$@" > "$out" 2> "$err" < /dev/null &
  watching=$!
}

# The viewer itself: what timeout says of signals to it is its own.
viewer_of() { wait_until pgrep -P "$1" > /dev/null; pgrep -P "$1"; }

# FOLDER PID: the process makes a file there, be it one without a name yet.
holds_open() { find "/proc/$2/fd" -lname "$1/*" 2> /dev/null | grep -q .; }

ok() {                                 # NAME; the status of the command before decides
  local good=$?
  number=$((number + 1))
  if [ "$good" = 0 ]; then
    echo "ok $number $1"
  else
    echo "not ok $number $1"
    echo "# status $status"
    sed 's/^/# out: /' "$out" | head -n 5
    sed 's/^/# err: /' "$err" | head -n 5
  fi
}

# One line on stderr that holds all the words, nothing on stdout, this status.
refused() {                            # STATUS WORD...
  [ "$status" = "$1" ] && [ "$(wc -l < "$err")" = 1 ] && [ ! -s "$out" ] || return 1
  grep -q '^rperf-top: ' "$err" || return 1
  shift
  for word in "$@"; do
    grep -qF -e "$word" "$err" || return 1
  done
}

wait_until() {
  local deadline=$((SECONDS + 60))
  until "$@"; do
    [ "$SECONDS" -lt "$deadline" ] || return 1
    sleep 0.02
  done
}

# A process with a channel; its pid in $fake.
start_fake() {
  : > "$work/fake"                     # or the word of the one before would count
  "$build/tests/fake_process" > "$work/fake" 2>&1 &
  fake=$!
  disown
  started+=("$fake")
  wait_until grep -q ready "$work/fake"
}

segment_of() { find "$ring" -name "rperf-top.*.$1.*" ! -name '*.ctl'; }

# A segment whose process is gone.
dead_segment() {
  start_fake
  kill -KILL "$fake"
  wait_until eval "! kill -0 $fake 2> /dev/null"
  segment=$(segment_of "$fake")
  [ -n "$segment" ]
}

# shellcheck disable=SC2059
patch_byte() { printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2> /dev/null; }

run --nonsense; refused 2 --nonsense "Try 'rperf-top --help'"; ok "an unknown option"
run -p; refused 2 -p "Try"; ok "an option without its value"
run ruby app.rb; refused 2 ruby "--"; ok "a command without --"
run -b; refused 2 -p; ok "batch without a target"
run -b -d 0 -p 1; refused 2 -d; ok "a delay of nothing"
run -o x.png -p 1; refused 2 x.png .collapsed .txt; ok "a format that nobody writes"
run -r a -r b -o x.pb.gz; refused 2 x.pb.gz .csv .svg; ok "a format that cannot show a difference"
run --filter '(' -p 1; refused 2 --filter; ok "a bad expression"
run --help; [ "$status" = 0 ] && [ ! -s "$err" ] && grep -q -e --batch "$out"
ok "help goes to standard output"
run --version; [ "$status" = 0 ] && grep -qE '^rperf-top [0-9.]+$' "$out"; ok "the version too"

run --list; [ "$status" = 0 ] && [ ! -s "$err" ] && [ -s "$out" ]; ok "a list of nothing says something"
for mode in "" -b "-b -J" "-o $work/a.txt"; do
  # shellcheck disable=SC2086
  run $mode -p 2147483000; refused 1 2147483000 "no process"; ok "no such process ($mode)"
done
[ ! -e "$work/a.txt" ] && [ -z "$(find "$work" -name 'a.txt.*')" ]; ok "no file of a profile that never was"

sleep 100 & started+=($!); disown
wait_until grep -q '^sleep' "/proc/$!/cmdline"
run -b -p "$!"; refused 1 "not a Ruby process" sleep; ok "a process that is not Ruby"
mkfifo "$work/fifo"
bash -c 'exec -a ruby sleep 100' & started+=($!); disown
wait_until grep -q '^ruby' "/proc/$!/cmdline"
run -b -p "$!"; refused 1 "without the extension" "rperf-top -- ruby" "RUBYOPT=-rrperf_top"
ok "Ruby without the extension"

if [ "$(id -u)" = 0 ] && command -v setpriv > /dev/null; then
  cp "$viewer" "$work/viewer" && chmod 755 "$work" "$work/viewer"
  start_fake
  setpriv --reuid=65534 --regid=65534 --clear-groups "$work/viewer" -b -p "$fake" > "$out" 2> "$err"
  status=$?
  refused 1 "belongs to user root"; ok "a process of another user"
  kill -KILL "$fake"
else
  echo "ok $((number += 1)) a process of another user # skip needs root and setpriv"
fi

dead_segment && patch_byte "$segment" 12 '\011'
run -b -p "$fake"; refused 1 "$fake" version; ok "a segment of another version"
dead_segment && patch_byte "$segment" 500 '\377'
run -b -p "$fake"; refused 1 "$fake"; ok "a segment with a broken header"
dead_segment && truncate -s 5000 "$segment"
run -b -p "$fake"; refused 1 "$fake"; ok "a truncated segment"
dead_segment && : > "$segment"
run -b -p "$fake"; refused 1 "$fake"; ok "an empty segment"
run --list; [ "$status" = 0 ]; ok "broken segments do not stop the list"

dead_segment
run -b -J -p "$fake"
[ "$status" = 0 ] && [ "$(wc -l < "$out")" = 1 ] && grep -q '"state":"dead"' "$out"; ok "a dead ring opens"

start_fake
watch -b -J -d 0.2 -F 0.2 -p "$fake"
wait_until test -s "$out"
kill -STOP "$fake"
wait_until grep -q 'State:.[Tt]' "/proc/$fake/status"
"$viewer" --list | grep -qE "^ *$fake +[^ ]+ +stalled"; ok "a stopped process is stalled in the list"
kill -CONT "$fake"
kill -TERM "$fake"
wait "$watching"; status=$?
[ "$status" = 0 ] && tail -n 1 "$out" | grep -q '"state":"ended"'; ok "a process that ends while watched"
start_fake
watch -b -J -d 0.2 -F 0.2 -p "$fake"
wait_until test -s "$out"
kill -KILL "$fake"
wait "$watching"; status=$?
[ "$status" = 0 ] && tail -n 1 "$out" | grep -q '"state":"dead"'
ok "a process that is killed while watched"

start_fake
run -p "$fake"
[ "$status" = 0 ] && grep -q 'not a terminal' "$err" && [ "$(grep -c 'SELF%' "$out")" = 1 ]
ok "standard output is no terminal: one plain report"
! grep -q "$(printf '\033')" "$out"; ok "without any escape sequence"
timeout 60 "$viewer" -b -d 0.1 -F 0.1 -p "$fake" 2> "$err" | head -n 1 > "$out"
status=${PIPESTATUS[0]}
[ "$status" = 0 ] && [ ! -s "$err" ]; ok "a reader that goes away ends it quietly"
run -b -n 2 -d 0.1 -F 0.1 -p "$fake"
[ "$status" = 0 ] && [ "$(grep -c 'SELF%' "$out")" = 2 ]; ok "-n counts"
timeout 60 "$viewer" -b -J -n 1 -p "$fake" > /dev/full 2> "$err"; status=$?; : > "$out"
refused 1 "cannot write"; ok "standard output is full"
run -o /no/such/folder/a.txt -p "$fake"; refused 1 /no/such/folder/a.txt "No such file"
ok "-o where nothing can be"
run -o "$work/p.collapsed" -t 0.3 -p "$fake"
[ "$status" = 0 ] && grep -qE '^[^ ].* [0-9]+$' "$work/p.collapsed"; ok "-o saves a profile"
watch -o "$work/i.txt" -p "$fake"
wait_until holds_open "$work" "$(viewer_of "$watching")"
kill -INT "$(viewer_of "$watching")"
wait "$watching"; status=$?
[ "$status" = 0 ] && grep -q 'Flat, by self' "$work/i.txt"; ok "an interrupted -o saves what it has"

[ "$(stat -c %a "$work/i.txt")" = 600 ]; ok "a profile is for its owner alone"
for signal in INT TERM HUP; do
  mkfifo "$work/stuck.$signal"
  timeout 60 env --default-signal=INT "$viewer" -r "$work/stuck.$signal" -b > "$out" 2> "$err"; status=$?
  refused 1 "is no file"; ok "a pipe for a recording does not hang ($signal)"
done
# A recording that takes long to write out: the work is cut short, and nothing is left of the file.
"$build/tests/tools/recording_make" "$work/long.rpt" 600 64 10000
for signal in INT TERM HUP; do
  watch -r "$work/long.rpt" -o "$work/cut.json.gz"
  wait_until holds_open "$work" "$(viewer_of "$watching")"
  kill "-$signal" "$(viewer_of "$watching")"
  wait "$watching"; status=$?
  [ "$status" = $((128 + $(kill -l "$signal"))) ] && [ -z "$(find "$work" -name 'cut.*')" ]
  ok "a conversion ends at once on $signal"
done
rm "$work/long.rpt"
for action in --help --version --list "-b -r tests/tui/recordings/1.0.rpt" "--stat -J -r tests/tui/recordings/1.0.rpt"; do
  # shellcheck disable=SC2086
  timeout 60 "$viewer" $action > /dev/full 2> "$err"; status=$?; : > "$out"
  refused 1 "cannot write"; ok "standard output is full (${action%% *})"
done
for merge in class file gem label; do
  run -r tests/tui/recordings/1.0.rpt -o "$work/merged.csv" --merge "$merge"
  [ "$status" = 0 ] && ! cut -d , -f 4 "$work/merged.csv" | grep -vE '^(kind|ruby|c|special|group)$' | grep -qvE '^[0-9"]'
  ok "a table merged by $merge"
done
run -b -r tests/tui/recordings/1.0.rpt --filter '((((x{99}){99}){99}){9})'; refused 2 --filter "too large"
ok "an expression that would take gigabytes"

run -b -- no-such-command; refused 127 "'no-such-command'"; ok "a command that does not exist"
run -b -- "$work/lib/rperf_top.rb"; refused 126 "ermission"; ok "a command that cannot be executed"
run -b -- sh -c 'exit 9'
[ "$status" = 9 ] && [ ! -s "$out" ] && grep -q 'before it could be watched' "$err"; ok "the status of the command"
run -b -J -- sh -c 'kill -KILL $$'; [ "$status" = 137 ]; ok "and of one that was killed"
recording=tests/tui/recordings/1.0.rpt
run -r "$recording"
[ "$status" = 0 ] && [ "$(grep -c 'SELF%' "$out")" = 1 ] && grep -q 'last span' "$err"
ok "a recording without a terminal: one frame"
grep -m 1 '\[replay\]' "$out" > "$work/shown"
run -r "$recording" --dump-screen 100x30
[ "$status" = 0 ] && ! grep -q DELTA "$out" && run -r "$recording" -r "$recording" --dump-screen 100x30
[ "$status" = 0 ] && grep -q DELTA "$out" && grep -q 'against recording' "$out"
ok "a picture of two recordings compares them"
run -r "$work/none.rpt" -r "$recording" --dump-screen 100x30; [ "$status" != 0 ]; refused "$status" none.rpt
ok "when the first can be opened"
run -b -r "$recording"
[ "$(grep -c 'SELF%' "$out")" -gt 1 ] && [ "$(grep '\[replay\]' "$out" | tail -n 1)" = "$(cat "$work/shown")" ]
ok "which is its last"
grep -q '^END ended by itself  last window ' "$out"; ok "how a recorded process ended"
segments=$(ls "$ring")
run -b -J -n 2 -d 0.2 -F 0.2 -- "$build/tests/fake_process"
[ "$status" = 0 ] && [ "$(wc -l < "$out")" = 2 ]; ok "-n ends the command"
[ "$segments" = "$(ls "$ring")" ]; ok "which is gone then, and its channel with it"
# shellcheck disable=SC2016
watch -b -J -- sh -c 'echo $$ > "$0"; exec sleep 100' "$work/pid"
wait_until test -s "$work/pid"
kill -TERM "$watching"
wait "$watching"; status=$?
[ "$status" = 143 ] && ! kill -0 "$(cat "$work/pid")" 2> /dev/null; ok "a signal ends the command too"
echo "1..$number"
