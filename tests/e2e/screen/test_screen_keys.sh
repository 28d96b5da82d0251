#!/bin/bash
# Every key of the table does what the help screen says, in a real terminal.
. "$(dirname "$0")/tmux.sh"

start_fake || exit 1
open_pane 80 24 "exec $viewer -p $FAKE"

# The name in the first row of the table.
first_row() { screen | sed -n 8p; }
first_is() { first_row | grep -qF -e "$1"; }
row_is_marked() { screen | grep -E '^>' | grep -qF -e "$1"; }
cursor_is_on() { [ "$(cursor)" = "0,$1" ]; }
sorted_by() { screen | sed -n 7p | grep -qF -e "$1"; }

it "the table appears" wait_for "Order#total"
it "the target is named" wait_for "fake puma: worker 0 [shop]"
it "the state is told" wait_for "[LIVE]"
it "bars stand above it" wait_match '^GVL\[\|+#* *\] held'
it "self is the first order" sorted_by "SELF%v"
it "the cursor is on the first row" wait_until cursor_is_on 7

keys Down Down
it "Down moves the cursor, and the terminal's cursor with it" wait_until cursor_is_on 9
keys k
it "k moves up" wait_until cursor_is_on 8
keys G
it "G goes to the last row" wait_until row_is_marked "off the GVL: 2.7 threads in 2 methods"
keys g
it "g goes to the first" wait_until cursor_is_on 7
keys NPage
it "a page down" wait_until row_is_marked "Filler#method_13"
keys C-u
it "half a page up" wait_until row_is_marked "Filler#method_05"
keys Home

keys Y
it "Y sorts by total" wait_until sorted_by "TOTAL%v"
it "the largest total stands first" wait_until first_is "OrdersController#index"
keys @
it "@ sorts by allocations" wait_until sorted_by "ALLOC/sv"
it "the largest allocator stands first" wait_until first_is "Order#total"
keys N
it "N sorts by name" wait_until sorted_by "METHOD^"
it "the first name stands first" wait_until first_is "Filler#method_00"
keys I
it "I reverses" wait_until first_is "Puma::Server#process_"
keys P
it "P sorts by self" wait_until sorted_by "SELF%v"
keys '>'
it "> sorts by the next column" wait_until sorted_by "TOTAL%v"
keys '<'
it "< goes back" wait_until sorted_by "SELF%v"
keys F6
it "F6 opens the menu" wait_for "Sort by"
keys Down Down Enter
it "the menu sorts" wait_until sorted_by "WAIT%v"
keys s Escape
it "Esc closes the menu" wait_gone "Sort by"
keys P

keys / f i l l e r
it "search marks while it is typed" wait_for "search: filler 1/40"
keys Enter n n
it "n goes to the next match" wait_for "search: filler 3/40"
keys N
it "N goes back while there is a search" wait_for "search: filler 2/40"
it "the match is the selected row" row_is_marked "Filler#method_01"
keys Escape
it "Esc ends the search" wait_gone "search: filler"

keys '\' O r d e r s
it "a filter hides while it is typed" wait_gone "Order#total"
keys Enter
it "the filter is shown" wait_for "filter: Orders"
keys Escape
it "Esc takes it away" wait_for "Order#total"
keys '&' '!' F i l l Enter
it "a filter may be inverted" wait_gone "Filler#"
it "what is left is there" wait_for "Order#total"
keys Escape
it "everything is back" wait_for "Filler#method_01"
keys '\' '(' Enter
it "a bad expression is told" wait_match 'nmatched|parenthes'
it "and changes nothing" wait_for "Filler#method_01"
keys Escape

keys z
it "z freezes" wait_for "[FROZEN -"
frozen_at=$(screen | head -n 1 | grep -oE '[0-9]{2}:[0-9]{2}:[0-9]{2}')
it "the age of the frozen picture grows" wait_match '\[FROZEN -[2-9]s\]'
it "its clock stands" on_screen "$frozen_at"
it "the footer offers the way back" on_screen "F9Live"
keys F9
it "F9 goes on" wait_for "[LIVE]"
it "the clock goes on" wait_gone " $frozen_at "

keys '?'
it "? explains the screen" wait_for "HELP  1-"
keys G
it "help scrolls to its end" wait_match "[0-9]+-([0-9]+) of \\1( |$)"
keys q
it "q closes help, not the program" wait_for "Order#total"

keys w
it "w takes a longer span" wait_for "span: 10 s"
keys w w w
it "and comes round to one second" wait_for "span: 1 s"
keys '%'
it "% shows times" wait_match '350ms +350ms .*Order#total'
keys '%'
it "% shows samples" wait_match ' [67][0-9]{2} +[67][0-9]{2} .*Order#total'
keys '%'
it "% shows per cent again" wait_match ' 35\.0 +35\.0 .*Order#total'
keys d C-u 0 . 5 Enter
it "d takes a delay" wait_gone "Seconds between"
keys d C-u x Enter
it "a delay that is none is refused" wait_for "the delay is 0.1 to 3600 seconds"
keys '#'
it "# hides the bars" wait_gone "GVL["
keys '#'
it "# shows them" wait_for "GVL["
keys '~'
it "~ takes ASCII" wait_match '^-71s[ #:._]+ now'
keys '~'
it "~ takes blocks" wait_match '^-71s.*[▁▂▃▄▅▆▇█]+ now'
keys Right Right
it "Right scrolls to hidden columns" wait_for "BLOCK%"
keys Left Left
it "Left scrolls back" wait_for "SELF%v"
keys / i n d e x Enter Enter
it "Enter opens the menu of the method" wait_for "tree here"
keys Enter
it "whose first entry opens the details" wait_for "CALLERS"
it "callees are there" wait_for "  35.0  Order#total"
it "lines are there" wait_for "line 19"
keys Escape
it "Esc closes them" wait_gone "CALLERS"
keys Escape
keys y
it "y copies the place" wait_for "copied OrdersController#index"
keys o
it "o has nothing to show here" wait_for "no command was started from here"
keys F
it "F lets the cursor stay" wait_for "the cursor stays on its row"
keys q
it "q leaves with status 0" exits_with 0

open_pane 80 24 "exec $viewer -p $FAKE"
appears "Order#total"
keys C-c
it "Ctrl-C leaves with status 0" exits_with 0
finish
