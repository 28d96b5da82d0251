#!/bin/bash
# Recordings: made without a screen and on it, of processes that live, end and die; cut off; opened again.
. "$(dirname "$0")/tmux.sh"
cd "$work" || exit 1

files() { [ "$(find . -maxdepth 1 -name "$1" -size +0 | wc -l)" = "$2" ]; }
bigger_than() { [ "$(stat -c %s "$1" 2> /dev/null || echo 0)" -gt "$2" ]; }
json() { "$viewer" -b -J -r "$1" -F all | tail -n 1; }

start_fake || exit 1
it "-o FILE.rpt ends after its time" "$viewer" -o a.rpt -t 2 -p "$FAKE"
it "what it wrote is one JSON object with the state replay" eval 'json a.rpt | grep -q "\"state\":\"replay\""'
it "of that process" eval "json a.rpt | grep -q '\"pid\":$FAKE,'"
it "refreshes go through the file" eval '[ "$("$viewer" -b -J -r a.rpt -d 0.5 -F 0.5 | wc -l)" -ge 3 ]'
it "-n bounds them" eval '[ "$("$viewer" -b -J -r a.rpt -d 0.5 -F 0.5 -n 2 | wc -l)" = 2 ]'
it "without another one nothing is compared" eval '! json a.rpt | grep -q "\"delta\""'
it "with another one methods say how they changed" \
  eval '"$viewer" -b -J -r a.rpt -r a.rpt -F all | grep -q "\"delta\":{\"self\":0.0,"'
it "and so does the report" eval '"$viewer" -b -r a.rpt -r a.rpt -F all | grep -q "DELTA.*METHOD"'
it "sorted by it the frame before is what counts" \
  eval '"$viewer" -b -J -r a.rpt -s delta -d 0.5 -F 0.5 | sed -n 2p | grep -q "\"baseline\":{\"frame\":0.[45]"'
it "it can be converted" eval '"$viewer" -r a.rpt -o a.collapsed && grep -q "Queue#pop" a.collapsed'
it "and saved again, the same" eval '"$viewer" -r a.rpt -o b.rpt && [ "$(json a.rpt)" = "$(json b.rpt)" ]'
if command -v lz4 > /dev/null; then
  it "lz4 -t finds nothing wrong with it" lz4 -q -t a.rpt
  it "lz4 -d unpacks it" eval 'lz4 -q -d -c a.rpt > raw && [ -s raw ]'
fi

# A recorder that is killed leaves what it had.
"$viewer" -o killed.rpt -p "$FAKE" 2> /dev/null &
recorder=$!
it "a recording grows while it is made" wait_until bigger_than killed.rpt 2000
"$viewer" -b -J -r killed.rpt -F all > growing.json
it "it can be opened meanwhile" grep -q '"state":"replay"' growing.json
kill -KILL "$recorder"
wait "$recorder" 2> /dev/null
it "it opens after the recorder was killed" eval 'json killed.rpt | grep -q "Queue#pop"'
head -c 1500 killed.rpt > cut.rpt
"$viewer" -b -J -r cut.rpt > cut.out 2> cut.err
it "cut off, it opens or says in one line why not" eval '[ -s cut.out ] || [ "$(wc -l < cut.err)" = 1 ]'
echo "this is no recording" > text.rpt
it "what is no recording is refused" eval '! "$viewer" -b -r text.rpt 2> text.err && [ "$(wc -l < text.err)" = 1 ]'

# On the screen.
open_pane 100 24 "exec $viewer -p $FAKE"
appears "Order#total"
keys r
it "r starts a recording" wait_for "[REC]"
it "and says where" wait_for "recording to rperf-top-$FAKE-"
it "the file is there" wait_until files "rperf-top-$FAKE-*.rpt" 1
recorded=$(echo rperf-top-"$FAKE"-*.rpt)
wait_until bigger_than "$recorded" 2000
keys r
it "r ends it" wait_for "recorded rperf-top-$FAKE-"
it "and the title is as before" wait_for "[LIVE]"
keys q
wait_exit
kill -KILL "$FAKE"
open_pane 100 24 "exec $viewer -r a.rpt"
it "-r shows the same table" wait_for "Order#total"
it "the title says which file, and that this is its end" wait_for "[FILE a.rpt 100%]"
keys '{'
it "steps go back in it" wait_match '\[FILE a\.rpt [0-9][0-9]?%\]'
keys r
it "a recording is not recorded" wait_for "this is a recording"
keys ':'
keys -l 'export rpt part.rpt'
keys Enter
it "but the span that is shown can be saved" wait_for "wrote "
it "as a recording" eval 'json part.rpt | grep -q "\"windows\":10"'
keys q
it "q leaves with status 0" exits_with 0
it "a ring that was left can be saved" "$viewer" -o dead.rpt -p "$FAKE"
it "and has its last windows" eval 'json dead.rpt | grep -q "Queue#pop"'
finish
