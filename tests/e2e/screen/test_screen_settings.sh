#!/bin/bash
# Settings, themes and the mouse in a real terminal: kept only when asked, given back whatever happens.
. "$(dirname "$0")/tmux.sh"

start_fake || exit 1
settings=$XDG_CONFIG_HOME/rperf-top/config

sorted_by() { screen | sed -n 7p | grep -qF -e "$1"; }
not_there() { [ ! -e "$settings" ]; }
# What this kind of terminal reports: button, column, row as characters from 33 on.
byte() { printf '%b' "\\0$(printf '%o' $((32 + $1)))"; }
report() { printf '\033[M%s%s%s' "$(byte "$1")" "$(byte "$2")" "$(byte "$3")"; }
mouse() { mux send-keys -l "$(report "$1" "$2" "$3")$(report 3 "$2" "$3")"; }
mouse_mode() { [ "$(mux display -p '#{mouse_any_flag}')" = "$1" ]; }
row_is_marked() { screen | grep -E '^>' | grep -qF -e "$1"; }

open_pane 80 24 "exec $viewer -p $FAKE"
appears "Order#total"
it "the mouse is the terminal's" mouse_mode 0
keys Y
wait_until sorted_by "TOTAL%v"
keys S
it "S shows the settings" wait_for "Setup: Enter changes"
it "with what they are" wait_match 'sort +total'
keys Escape q
it "it ends" exits_with 0
it "nothing was written unasked" not_there

open_pane 80 24 "exec $viewer -p $FAKE"
appears "Order#total"
keys Y
wait_until sorted_by "TOTAL%v"
keys : s e t Space u n i t s Space t i m e Enter
it ":set takes effect" wait_until sorted_by "TOTALv"
keys S W
it "W in the settings keeps them" wait_for "settings saved in"
keys Escape
wait_gone "Setup: Enter changes"
keys q
it "it ends after it" exits_with 0
it "the file says so" grep -qx "units = time" "$settings"
it "it is nobody else's business" [ "$(stat -c %a "$settings")" = 600 ]

open_pane 80 24 "exec $viewer -p $FAKE"
it "the next time they are there" wait_until sorted_by "TOTALv"
keys q
wait_exit
open_pane 80 24 "exec $viewer -s self -p $FAKE"
it "the command line goes before" wait_until sorted_by "SELFv"
keys q
wait_exit
open_pane 80 24 "exec $viewer --config none -p $FAKE"
it "--config none leaves them" wait_until sorted_by "SELF%v"
keys q
wait_exit
printf 'sort = nonsense\nnew-thing = 1\nunits = percent\n' > "$settings"
open_pane 80 24 "exec $viewer -p $FAKE"
it "what is wrong in the file is told" wait_for "config:1: sort takes"
it "the rest is taken" wait_until sorted_by "SELF%v"
keys S W
appears "settings saved in"
it "what is not known is kept" grep -qx "new-thing = 1" "$settings"
keys Escape
wait_gone "Setup: Enter changes"
keys q
wait_exit
rm -f "$settings"

open_pane 80 24 "exec $viewer -p $FAKE"
appears "Order#total"
mux pipe-pane -O "cat > $work/frames"
keys : s e t Space s y n c Space o n Enter
framed() { grep -q "$(printf '\033\\[?2026h').*" "$work/frames" && grep -q "$(printf '\033\\[?2026l')" "$work/frames"; }
it "frames have a beginning and an end when wanted" wait_until framed
mux send-keys -l "$(printf ':save-display %s\r:save-display %s\r:set units percent\r' "$work/one" "$work/two")"
it "commands that are typed ahead are all done" wait_until [ -s "$work/two" ]
it "one after the other" [ -s "$work/one" ]
keys : s e t Space f o o t e r Space l e t t e r s Enter
it "the footer has letters when wanted" wait_match '^\?Help SSetup'
keys q
wait_exit

open_pane 80 24 "exec $viewer -M -p $FAKE"
appears "Order#total"
it "-M takes the mouse" wait_until mouse_mode 1
mouse 0 30 9
it "a click selects the row" wait_until row_is_marked Ext::Generator#
mouse 65 30 11
it "the wheel moves on" wait_until row_is_marked "Filler#method_01"
mouse 0 19 6
it "a click on a tab opens the view" wait_match '\[3Threads\]'
keys 1
wait_for "[1Methods]"
mouse 0 14 7
it "a click on a heading sorts" wait_until sorted_by "TOTAL%v"
keys q
it "q gives the mouse back" wait_until mouse_mode 0

for signal in TERM SEGV; do
  open_pane 80 24 "echo \$\$ > $work/pid; exec $viewer -M -p $FAKE"
  appears "Order#total"
  wait_until mouse_mode 1
  kill -s "$signal" "$(cat "$work/pid")"
  wait_exit
  it "SIG$signal gives the mouse back" wait_until mouse_mode 0
done

open_pane 80 24 "PS1='prompt> ' exec sh -i"
wait_for "prompt>"
keys "$viewer -M -p $FAKE" Enter
appears "Order#total"
wait_until mouse_mode 1
keys C-z
wait_for "prompt>"
it "Ctrl-Z gives the mouse back" wait_until mouse_mode 0
keys fg Enter
appears "Order#total"
it "fg takes it again" wait_until mouse_mode 1
keys q

has_colour() { screen -e | grep -qE "$(printf '\033')\[([0-9;]*;)?38;5;$1[;m]"; }
open_pane 80 24 "TERM=screen-256color exec $viewer --theme blue -p $FAKE"
it "--theme blue runs in blue" wait_until has_colour 32
open_pane 80 24 "TERM=screen-256color exec $viewer --theme light -p $FAKE"
it "--theme light is darker" wait_until has_colour 28
keys : s e t Space t h e m e Space b l u e Enter
it ":set theme changes it at once" wait_until has_colour 32
open_pane 80 24 "exec $viewer --theme mono -p $FAKE"
appears "Order#total"
it "--theme mono has no colours" eval '! screen -e | grep -qE "\[38;5|\[3[0-7]m"'
keys q
finish
