#!/bin/bash
# What happens to the screen when something happens to the process that it watches; the list of processes.
# Waits nearly all of the time
. "$(dirname "$0")/tmux.sh"

# Other processes of this machine may be in the list too: walks down to the row that matches.
selected() { screen | grep -E '^>' | grep -qE "$1"; }
moved_to() { [ "$(cursor)" = "0,$1" ]; }
select_row() {
  local y=3
  keys Home
  while wait_until moved_to "$y"; do
    selected "$1" && return
    keys Down
    y=$((y + 1))
  done
  return 1
}

start_fake || exit 1
open_pane 80 24 "exec $viewer -p $FAKE"
appears "Order#total"
kill -USR1 "$FAKE"
it "a process that publishes nothing is stalled" wait_for "[STALLED]"
it "its last figures stay" on_screen "Order#total"
kill -USR2 "$FAKE"
it "it comes back" wait_for "[LIVE]"
kill -KILL "$FAKE"
it "a killed process is dead" wait_for "[DEAD]"
it "its last figures stay" on_screen "Order#total"
keys Y
it "they can still be sorted" wait_for "TOTAL%v"
keys q
it "q leaves with status 0" exits_with 0
open_pane 80 24 "exec $viewer -p $FAKE"
it "its ring can be opened after its death" wait_for "[DEAD]"
it "with its last windows" wait_for "Order#total"
keys q
wait_exit

start_fake || exit 1
open_pane 80 24 "exec $viewer -p $FAKE"
appears "Order#total"
kill -TERM "$FAKE"
it "a process that ends has ended" wait_for "[ENDED]"
it "its last figures stay" on_screen "Order#total"
keys q
it "q leaves with status 0" exits_with 0

open_pane 80 24 "exec $viewer"
it "without a target there is a list" wait_for "Processes"
it "the dead one is in it" wait_match 'fake puma.* dead:'
start_fake || exit 1
it "the list refreshes by itself" wait_match "$FAKE .*fake puma.* GVL held"
it "the cursor can be put on it" select_row " $FAKE "
keys Enter
it "Enter watches" wait_for "[LIVE]"
it "the one under the cursor" wait_match "^ rperf-top  $FAKE "
keys Escape
it "Esc goes back to the list" wait_for "Processes"
it "the dead ones stand below" select_row 'fake puma.* dead:'
keys Enter
it "a dead one can be watched too" wait_for "[DEAD]"
keys q
it "and q goes back to the list, too" wait_for "Processes"
keys Enter 3
it "a key typed behind Enter is for what Enter watches" wait_for "[3Threads]"
keys q q
it "and one typed behind q for the list: it leaves with status 0" exits_with 0

# A slow start, or a command without the extension, is said; its output can be read.
cat > "$work/noisy" <<'END'
echo "first line"
printf 'evil \033[31mred\033[0m \302\233 line\n'
while :; do sleep 1; done
END
open_pane 80 24 "exec $viewer -- sh $work/noisy"
it "a command without a channel is being waited for" wait_for "[STARTING]"
it "its output opens by itself" wait_for "first line"
it "and the reason stands above" wait_for "nothing to watch yet: the command runs"
it "made safe" wait_match 'evil .\[31mred'
keys o
it "o goes back" wait_gone "first line"
keys q
it "q ends it" exits_with 0
finish
