#!/bin/bash
# Threads, source and skyline in a real terminal: over a stand-in first, then over a real Ruby program.
# Waits nearly all of the time
. "$(dirname "$0")/tmux.sh"

row_is_marked() { screen | grep -E '^>' | grep -qF -e "$1"; }
tab_is() { on_screen "[$1]"; }

start_fake || exit 1
open_pane 80 24 "exec $viewer -p $FAKE"
appears "Order#total"

keys 3
it "3 opens the threads" wait_until tab_is 3Threads
it "every thread is there" wait_match 'puma srv tp 003 +quiet'
it "their history is drawn" wait_match '[|:]{5,}'
keys N
it "N sorts them by name" wait_for "NAME^"
it "main stands first" row_is_marked "main  "
keys Down Enter
it "Enter opens the menu of the thread" wait_for "only this thread"
keys Enter
it "whose first entry takes one thread for all views" wait_for "thread: puma srv tp 001"
it "its stack is below" wait_for "stack of puma srv tp 001"
it "the leaf comes first" wait_match '0 +Order#total'
keys 1
it "the methods are those of the thread" wait_gone "Queue#pop"
it "the tabs say so" on_screen "thread: puma srv tp 001"
keys Escape
it "Esc brings all threads back" wait_gone "thread: puma srv tp 001"
keys P W
it "and their methods" wait_for "Queue#pop"
keys W
keys 3 Home t
it "t hides the stack" wait_gone "stack of puma"
keys / p o p Enter
it "a search finds a thread by what it is on" wait_match "search: pop [12]/2"
keys Escape
keys F9
it "threads freeze" wait_for "[FROZEN -"
keys F9
it "and go on" wait_for "[LIVE]"

keys 1 / i n d e x Enter Escape 5
it "5 opens the source of the selected method" wait_for "/app/controllers/orders_controller.rb"
it "a file that is not here is told" on_screen "no such file here"
it "its hot lines are there all the same" wait_match '5\.0 +[0-9.]+ +19'
keys e
it "there is nothing to edit" wait_for "there is no file to edit"

keys 6
it "6 opens the skyline on the same method" wait_for "> OrdersController#index"
it "blocks have names" wait_match 'OrdersController 15%─+'
keys Left
it "Left goes to another building" wait_gone "> OrdersController#index"
keys Right
it "Right comes back" wait_for "> OrdersController#index"
keys Enter
it "Enter opens the menu of the building" wait_for "fold its block"
keys Enter
it "whose first entry folds the block" wait_for "> package OrdersController"
keys u
it "and unfolds it" wait_for "> OrdersController#index"
keys +
it "+ makes buildings higher" wait_for "full height 20%"
keys -
it "- makes them lower" wait_for "full height 40%"
keys '~'
it "~ draws the city in ASCII" wait_match '\| run +# gc +: wait +\. blocked'
keys '~'
keys t
it "t takes classes" wait_for "> class OrdersController"
resize 160 50
it "a wide screen has names in the sky" wait_match 'Filler [0-9]+% '
it "of each block" wait_match ' Order [0-9]+%'
resize 20 5
it "the smallest one too" wait_for "[LIVE]"
resize 80 24
keys Tab
it "Tab goes to the next view" wait_gone "[6Skyline]"
keys BTab
it "Shift-Tab comes back" wait_until tab_is 6Skyline
keys q
it "q leaves with status 0" exits_with 0

ruby=${RUBY:-ruby}
if [ ! -e "$build/rperf_top.so" ]; then
  echo "# the extension was not built: no real program"
  finish
fi
cat > "$work/busy.rb" << 'RUBY'
# a line above
def hot_method(n)
  x = 0
  n.times { |i| x += i * i }
  x
end
loop { hot_method(20_000) }
RUBY
cat > "$work/edit" << EDITOR
#!/bin/sh
printf '%s\n' "\$@" > "$work/edited"
echo THE EDITOR IS HERE
read line
EDITOR
chmod +x "$work/edit"
open_pane 80 24 "VISUAL='$work/edit -x' exec $viewer -- $ruby $work/busy.rb"
it "a real program is watched" wait_for "hot_method"
keys / h o t _ Enter
it "its method is found" wait_until row_is_marked "hot_method"
keys Escape 5
it "its source is shown" wait_for "n.times { |i| x += i * i }"
it "it is the file that runs" on_screen "(disk = loaded)"
it "a line is hot, by its own time and that of what Ruby calls for it" wait_match '#[#+]{9}'
it "the cursor is on it" row_is_marked "n.times"
keys /  l i n e Enter
it "the text is searched" wait_for "search: line 1/1"
keys Escape .
it "the hottest line comes after the search" wait_until row_is_marked "n.times"
keys e
it "e gives the terminal to the editor" wait_for "THE EDITOR IS HERE"
it "it got the line and the file as arguments" \
  wait_until eval '[ "$(sed -n 1,2p "$work/edited" | tr "\n" " ")" = "-x +4 " ]'
it "the file is the program" grep -qF "$work/busy.rb" "$work/edited"
keys Enter
it "the screen is back afterwards" wait_for "[5Source]"
touch "$work/busy.rb"
it "a file that changed meanwhile is told" wait_for "changed since the start"
touch -d '2 days ago' "$work/busy.rb"
it "one that says it is old is no proof" wait_for "cannot tell if disk = loaded"
keys 3
it "the kernel's figures need a wide screen" wait_match 'main +(run|wait|blocked|quiet)'
resize 200 30
it "and are there on one" wait_match 'CTX/s'
it "context switches are counted" wait_match 'main +[a-z]+ .* [0-9.]+k? [|:.#= ]+'
keys 1 q
it "q leaves" exits_with 0
finish
