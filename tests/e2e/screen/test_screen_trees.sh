#!/bin/bash
# The views that draw the tree of calls, in a real terminal: tree, icicle, groups.
. "$(dirname "$0")/tmux.sh"

start_fake || exit 1
open_pane 80 24 "exec $viewer -p $FAKE"

row_is_marked() { screen | grep -E '^>' | grep -qF -e "$1"; }

it "the table appears" wait_for "Order#total"
keys / i n d e x Enter
it "a method is chosen" wait_until row_is_marked "OrdersController#index"
keys Escape

keys t
it "t opens the tree" wait_for "[2Tree]"
it "the cursor is on the method" wait_until row_is_marked "OrdersController#index"
it "it is told whose calls these are" on_screen "CALL TREE"
keys -
it "- closes the node" wait_match '^> .*\[\+\].*index.*below'
keys Right
it "Right opens it" wait_match '^> .*\[-\].*index'
keys Right
it "Right goes in" wait_until eval '! row_is_marked index'
keys Left
it "Left goes out" wait_until row_is_marked "OrdersController#index"
keys g '*'
it "* opens everything" wait_gone "below)"
keys E
keys i
it "i turns the tree round" wait_for "  CALLERS "
it "methods stand at the left" wait_match '^..[ 0-9.]+\[\+\] '
keys i u
it "u folds recursion" wait_for "recursion folded"
keys u
it "and unfolds it" wait_gone "recursion folded"
keys g
it "all calls are there" wait_for "Filler#method_00"
keys '\' 'O.*total' Enter
it "the filter is shown" wait_for "filter: O.*total"
it "other calls are gone" wait_gone "Filler#method_00"
it "what leads to the method stays" wait_for "Puma::Server#process_client"
keys Escape
it "Esc takes it away" wait_for "Filler#method_00"
keys / i n d e x Enter Escape
it "search goes to the method" wait_until row_is_marked "OrdersController#index"
keys F5
it "F5 again goes back to the table" wait_for "[1Methods]"

keys 4
it "4 opens the icicle" wait_for "[4Icicle]"
it "all of it stands at the top" wait_match '^▎all( [0-9]+%.*)?$'
it "the method is chosen here, too" wait_match '^> OrdersController#index'
keys Enter
it "Enter opens the menu of the cell" wait_for "zoom in"
keys Enter
it "whose first entry zooms" wait_for "zoom: OrdersController#index"
it "its cell takes the whole width" wait_match '^▎OrdersController#index( [0-9]+%.*)?$'
keys Escape
it "Esc goes back" wait_for "zoom: all"
keys c
it "c fills by heat" wait_for "c: by state"
keys c
it "and again by state" wait_for "c: by heat"
keys '='
it "= highlights the method" wait_for "same method:"
keys i
it "i turns it upside down" wait_match '^▎all( [0-9]+%.*)?$' 
keys Up Down

keys 8
it "8 opens the groups" wait_for "[8Groups]"
it "the threshold is told" wait_for "0.1%"
keys V
it ") raises it" wait_for "0.5%"
keys BTab
it "Shift-Tab goes to the view before" wait_gone "[8Groups]"
keys Tab
it "Tab comes back" wait_for "[8Groups]"
keys z
it "a frozen picture is one in every view" wait_for "[FROZEN -"
keys 2
it "also after a change of the view" wait_for "[2Tree]"
it "and stays frozen" on_screen "[FROZEN -"
resize 160 50
it "a tall screen has the butterfly" wait_for "butterfly: "
it "and shares of the states" on_screen "SPLIT"
resize 20 5
it "a tiny one still has the tree" wait_match '^ *TOTAL%'
keys q
it "q leaves with status 0" exits_with 0
finish
