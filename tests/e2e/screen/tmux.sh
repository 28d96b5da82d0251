# Driving the viewer in a real terminal: sourced by the tests of the screen (bash).
#
# Every test program has its own tmux server and its own folder for channels, and removes both when it
# ends, however it ends. Nothing here sleeps for a fixed time: every wait is for something on the screen,
# with a deadline (WAIT seconds, 60).
#
#   start_fake [SECONDS]             a process to watch (fake_process); its pid: FAKE
#   open_pane COLUMNS ROWS COMMAND   a terminal of this size that runs COMMAND of sh; its exit: EXIT
#   keys KEY...                      as tmux names them: Down, C-z, F6, a
#   screen                           what stands there;   screen -e: with attributes
#   wait_for TEXT, wait_gone TEXT, wait_match REGEX, wait_exit, wait_until COMMAND...
#   resize COLUMNS ROWS, close_pane
#   appears TEXT                     waits for what the tests that follow need
#   it NAME COMMAND...               one test: ok when COMMAND succeeds; shows the screen when it fails
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../../.." || exit 1
build=${RTOP_BUILD:-$PWD/build}
viewer=$build/rperf-top
if ! command -v tmux > /dev/null; then
  echo "ok 1 # skip tmux is not installed"
  exit 0
fi
for needed in "$viewer" "$build/tests/fake_process"; do
  if [ ! -x "$needed" ]; then
    echo "not ok 1 $needed was not built"
    exit 1
  fi
done

work=$(mktemp -d "${TMPDIR:-/tmp}/rtop-screen.XXXXXX") || exit 1
mkdir -m 700 "$work/ring"
export RPERF_TOP_DIR=$work/ring TMUX_TMPDIR=$work TZ=UTC XDG_CONFIG_HOME=$work/config
unset RPERF_TOP_CONFIG TMUX TMUX_PANE NO_COLOR COLORTERM LINES COLUMNS
fakes=() tests=0 failures=0 FAKE='' EXIT=''

mux() { tmux -u -L screen -f /dev/null "$@"; }

cleanup() {
  mux kill-server 2> /dev/null
  for pid in "${fakes[@]}"; do
    kill -KILL "$pid" 2> /dev/null
  done
  rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

wait_until() {
  local deadline=$((SECONDS + ${WAIT:-60}))
  until "$@"; do
    [ "$SECONDS" -lt "$deadline" ] || return 1
    sleep 0.05
  done
}

start_fake() {
  local out=$work/fake.$RANDOM
  "$build/tests/fake_process" "$@" > "$out" 2>&1 &
  FAKE=$!
  disown
  fakes+=("$FAKE")
  wait_until grep -qs ready "$out" || { cat "$out"; return 1; }
}

# The pane outlives its command, so that the last screen can be read; the status goes through a file,
# for tmux sometimes misses it.
open_pane() {
  local columns=$1 rows=$2
  shift 2
  mux kill-server 2> /dev/null
  wait_until eval '! mux has-session 2> /dev/null'
  rm -f "$work/exit"
  printf '%s\n' "$*" > "$work/command"
  mux new-session -d -x "$columns" -y "$rows" 'exec cat' \; \
    set -g default-terminal screen-256color \; set -g status off \; set -g escape-time 0 \; \
    new-window -k -t :0 "trap : INT; sh '$work/command'; echo \$? > '$work/exit'; exec cat" || return 1
  mux resize-window -x "$columns" -y "$rows"
}

close_pane() { mux kill-server 2> /dev/null; }
keys() { mux send-keys "$@"; }
screen() { mux capture-pane -p "$@"; }
resize() { mux resize-window -x "$1" -y "$2"; }
cursor() { mux display -p '#{cursor_x},#{cursor_y}'; }

on_screen() { screen | grep -qF -e "$1"; }
off_screen() { ! screen | grep -qF -e "$1"; }
matches() { screen | grep -qE -e "$1"; }
wait_for() { wait_until on_screen "$1"; }
wait_gone() { wait_until off_screen "$1"; }
wait_match() { wait_until matches "$1"; }

wait_exit() { wait_until [ -s "$work/exit" ] && EXIT=$(cat "$work/exit"); }
exits_with() { wait_exit && [ "$EXIT" = "$1" ]; }
process_gone() { ! kill -0 "$1" 2> /dev/null; }

it() {
  local name=$1
  shift
  tests=$((tests + 1))
  if "$@"; then
    echo "ok $tests $name"
  else
    echo "not ok $tests $name"
    failures=$((failures + 1))
    echo "# failed: $*"
    screen 2> /dev/null | sed 's/^/# |/'
  fi
}

# What all that follows needs: no test when it comes, a failed one when it does not.
appears() { wait_for "$1" || it "$1 appears" false; }

finish() {
  echo "1..$tests"
  [ "$failures" -eq 0 ]
  exit
}
