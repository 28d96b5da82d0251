#!/bin/bash
# Time travel in a real terminal: freezing, stepping, going to a time, spans, playing.
. "$(dirname "$0")/tmux.sh"

start_fake || exit 1
open_pane 80 24 "exec $viewer -p $FAKE"

title() { screen | head -n 1; }
title_has() { title | grep -qE -e "$1"; }
clock() { title | grep -oE '[0-9]{2}:[0-9]{2}:[0-9]{2}'; }
clock_is() { [ "$(clock)" = "$1" ]; }
later() { [[ $(clock) > $1 ]]; }

it "the table appears" wait_for "Order#total"
it "live at first" wait_until title_has '\[LIVE\]'
first=$(clock)
it "some seconds of history" wait_until later "$(date -u -d "$first UTC +3 seconds" +%T)"

keys '['
it "one window back freezes" wait_until title_has '\[FROZEN -[0-9]+s\]'
it "the cursor stands on the timeline" wait_match '^-[0-9]+s.*\^'
stood=$(clock)
keys '{' '{'
it "twenty windows back" wait_until clock_is "$(date -u -d "$stood UTC -2 seconds" +%T)"
keys F8
it "F8 goes forward" wait_until title_has '\[FROZEN'
keys b
it "a time is asked for" wait_for "Go to time:"
keys -l "$first"
keys Enter
it "and gone to" wait_until clock_is "$first"
keys b
keys -l "noon"
keys Enter
it "what cannot be understood is said" wait_for "a time is 14:31:52"
keys m '}' m
it "two marks select a span" wait_until title_has '\[SPAN 1\.[01]0s'
keys 2
it "every view shows it" wait_until title_has '\[SPAN 1\.[01]0s'
keys m
it "the third mark lets it go" wait_until title_has '\[FROZEN'
keys 1 L
it "it plays" wait_until title_has '\[PLAY 1x'
keys L L
it "faster" wait_until title_has '\[PLAY 10x|\[LIVE\]'
it "into the present" wait_until title_has '\[LIVE\]'
keys J
it "and backwards" wait_until title_has '\[PLAY -1x'
keys z
it "z stops it" wait_until title_has '\[FROZEN'
keys z
it "z again: live" wait_until title_has '\[LIVE\]'
keys ':'
keys -l "goto -2s"
keys Enter
it "the command line knows times, too" wait_until title_has '\[FROZEN -[2-9]s\]'
keys q
it "it ends well" exits_with 0
finish
