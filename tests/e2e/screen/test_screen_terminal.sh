#!/bin/bash
# The terminal: any size, any TERM and locale, and it is given back whatever happens.
# Waits nearly all of the time
. "$(dirname "$0")/tmux.sh"

start_fake || exit 1

# A viewer inside a shell that writes down the modes of the terminal before and after.
cat > "$work/framed" <<END
echo before-the-screen
stty -g > "$work/modes.before"
sh -c 'echo \$\$ > "$work/pid"; exec $viewer -p $FAKE'
echo "status=\$?"
stty -g > "$work/modes.after"
echo all-done
exec cat
END
framed() {
  rm -f "$work"/modes.* "$work/pid"
  open_pane 80 24 "exec sh $work/framed"
  appears "Order#total"
}
viewer_pid() { cat "$work/pid"; }
modes_are_back() { cmp -s "$work/modes.before" "$work/modes.after"; }
given_back() { wait_for all-done && modes_are_back && on_screen before-the-screen && off_screen "Order#total"; }

framed
for size in "160 50" "20 5" "19 4" "1 1" "80 24" "40 10" "200 60" "80 24"; do
  # shellcheck disable=SC2086
  resize $size
  case $size in
    "160 50") it "160x50 has details beside the table" wait_for "| CALLEES" ;;
    "20 5") it "20x5 has title and table" wait_match '^> +[0-9.]+ ' ;;
    "19 4") it "19x4 has one line" wait_match "^35.0% Order#total" ;;
    "40 10") it "40x10 has verdict and table" wait_match "^GVL held [0-9]+%" ;;
    "200 60") it "200x60 has more columns" wait_for "HIST(60s)" ;;
    "80 24") it "80x24 is whole again" wait_match '^\[1Methods\] .* 8Groups 9Labels$' ;;
  esac
done
keys C-l
it "Ctrl-L paints again" wait_for "Order#total"

# What stands below the header after many sizes is what painting anew gives, in views of every kind.
below_header() { screen | tail -n +6; }
same_below() { [ "$(below_header)" = "$1" ]; }
keys z
wait_for FROZEN
for view in 1 6 8; do
  keys $view
  for _ in $(seq 1 40); do
    resize $((RANDOM % 400 + 1)) $((RANDOM % 120 + 1))
  done
  resize 400 120
  wait_for "F10Quit"
  resize 80 24
  wait_match '^GC +[0-9]+%' # only a narrow screen has it so
  wait_match "^.*\[${view}[A-Z][a-z]+\]"
  wait_for "F10Quit"
  after=$(below_header)
  keys C-l
  it "a storm of sizes leaves view $view whole" wait_until same_below "$after"
done
keys z 1
appears "Order#total"
keys q
it "q gives the terminal back" given_back

# Only a shell with job control can be given the terminal back.
open_pane 80 24 "PS1='prompt> ' exec sh -i"
wait_for "prompt>"
keys "$viewer -p $FAKE" Enter
appears "Order#total"
keys C-z
it "Ctrl-Z gives the terminal back" wait_for "prompt>"
it "the screen is gone meanwhile" off_screen "Order#total"
keys "stty -a" Enter
it "with its modes" wait_match '(^| )icanon( |;|$)'
resize 100 30
keys fg Enter
it "fg paints everything again" wait_for "Order#total"
it "in the size that the terminal has now" wait_match '^-91s'
keys j j
it "keys work again" wait_match '^> .*OrdersController#index'
keys q
it "and q gives the terminal back" wait_for "prompt>"

for signal in TERM INT HUP; do
  framed
  kill -s "$signal" "$(viewer_pid)"
  it "SIG$signal gives the terminal back" given_back
  it "SIG$signal is a normal end" on_screen "status=0"
done
framed
kill -SEGV "$(viewer_pid)"
it "a crash gives the terminal back" given_back
it "a crash is still a crash" on_screen "status=139"

framed
pid=$(viewer_pid)
close_pane
it "it ends when the terminal goes away" wait_until process_gone "$pid"
open_pane 80 24 "trap '' HUP; echo \$\$ > $work/pid; exec $viewer -p $FAKE"
appears "Order#total"
pid=$(viewer_pid)
close_pane
it "also when nobody sends SIGHUP" wait_until process_gone "$pid"

# What was started from the screen does not stay behind, not even the command's own children.
for signal in SEGV ALRM KILL; do
  open_pane 80 24 "echo \$\$ > $work/pid; exec $viewer -- sh -c 'sleep 1000 & echo \$! > $work/below; echo \$\$ > $work/started; wait'"
  wait_until [ -s "$work/started" ]
  started=$(cat "$work/started") below=$(cat "$work/below")
  wait_for "waiting for the process"
  kill -s "$signal" "$(cat "$work/pid")"
  it "SIG$signal ends the command, too" wait_until process_gone "$started"
  [ "$signal" = KILL ] || it "SIG$signal ends what the command started" wait_until process_gone "$below"
  kill "$below" 2> /dev/null
  rm -f "$work/started" "$work/below"
done

no_colour() { ! screen -e | grep -qE "$(printf '\033')\[([0-9;]*;)?(3[0-7]|38|4[0-7]|48|9[0-7])[;m]"; }
has_colour() { ! no_colour; }
ascii_only() { ! screen | LC_ALL=C grep -q '[^ -~]'; }

open_pane 80 24 "exec $viewer -p $FAKE"
it "there are colours" wait_until has_colour
open_pane 80 24 "NO_COLOR=1 exec $viewer -p $FAKE"
appears "Order#total"
it "NO_COLOR has none" no_colour
open_pane 80 24 "NO_COLOR= exec $viewer -p $FAKE"
appears "Order#total"
it "an empty NO_COLOR has no meaning" has_colour
open_pane 80 24 "exec $viewer -C never -p $FAKE"
appears "Order#total"
it "--color=never has none" no_colour
open_pane 80 24 "NO_COLOR=1 exec $viewer -C always -p $FAKE"
appears "Order#total"
it "--color=always overrides" has_colour

open_pane 80 24 "LC_ALL=C exec $viewer -p $FAKE"
appears "Order#total"
it "LC_ALL=C is plain ASCII" ascii_only
it "with a timeline all the same" wait_match '^-71s[ #:._]+ now'
open_pane 80 24 "LC_ALL=xx_XX.UTF-8 exec $viewer -p $FAKE"
it "a UTF-8 locale that is not installed has blocks" wait_match '^-71s.*[▁▂▃▄▅▆▇█]'
open_pane 80 24 "LC_ALL=C.UTF-8 exec $viewer -U -p $FAKE"
appears "Order#total"
it "-U is plain ASCII" ascii_only

for term in vt100 linux xterm screen xterm-kitty no-such-terminal; do
  open_pane 80 24 "TERM=$term exec $viewer -p $FAKE"
  it "TERM=$term has a screen" wait_match '^> +35\.0 .*Order#total'
  keys q
  it "TERM=$term ends well" exits_with 0
done
open_pane 80 24 "TERM=dumb $viewer -n 1 -p $FAKE; exec cat"
it "TERM=dumb has a plain report" wait_for "Filler#method_39"
it "without a screen" off_screen "F10Quit"
open_pane 80 24 "unset TERM; $viewer -n 1 -p $FAKE; exec cat"
it "no TERM has a plain report" wait_for "Filler#method_39"

# Bytes per refresh in the steady state, counted by ticks of the clock on the screen.
clock() { screen | head -n 1 | grep -oE '[0-9]{2}:[0-9]{2}:[0-9]{2}'; }
clock_moved() { [ "$(clock)" != "$1" ]; }
bytes() { stat -c %s "$work/bytes"; }
open_pane 80 24 "exec $viewer -p $FAKE"
appears "Order#total"
mux pipe-pane -O "cat >> $work/bytes"
wait_until clock_moved "$(clock)"
wait_until [ -s "$work/bytes" ]
before=$(bytes)
for _ in 1 2 3 4 5; do
  wait_until clock_moved "$(clock)"
done
echo "# $((($(bytes) - before) / 5)) bytes per refresh at 80x24"
it "a refresh is less than 1 kB" [ $((($(bytes) - before) / 5)) -lt 1000 ]
finish
