#!/bin/bash
# A command that cannot be watched: its output opens by itself, the reason stands on top in one sentence, and nobody
# waits for ever. In batch mode the same on stderr, with a status that is not 0. Needs a Ruby with the extension.
# Waits nearly all of the time
. "$(dirname "$0")/tmux.sh"
ruby=${RUBY:-ruby}
if [ ! -f "$build/rperf_top.so" ]; then
  echo "ok 1 # skip the extension was not built"
  exit 0
fi

# One line of what is on the screen: sentences are wrapped.
joined() { screen | tr '\n' ' ' | tr -s ' '; }
says() { joined | grep -qE -e "$1"; }
wait_says() { wait_until says "$1"; }
started() { open_pane 80 24 "exec $viewer -- $*"; }
quit_screen() { keys q q; exits_with 0; }

# The extension's own words on a Ruby that it was not built for, be it the one that is there.
mkdir "$work/other"
sed 's/^\( *BUILT_FOR = \)"[^"]*"/\1"9.9"/' "$build/rperf_top.rb" > "$work/other/rperf_top.rb"
grep -q '"9.9"' "$work/other/rperf_top.rb" || echo "not ok 1 BUILT_FOR is not in rperf_top.rb"
cat > "$work/raises.rb" <<'END'
puts "it says this first"
raise "boom"
END
cat > "$work/later.rb" <<'END'
sleep 1
abort "later"
END

RPERF_TOP_LIB=$work/other started "$ruby -e 'puts :hello; STDOUT.flush; sleep 60'"
it "an extension for another Ruby: the reason" wait_says 'runs, but cannot be watched: it was built for Ruby 9.9, this is [0-9.]+: build it'
it "and its output" wait_for "hello"
it "q q ends it" quit_screen

started "$ruby $work/raises.rb"
it "a command that raises at once: the reason" wait_says 'the command ended with status 1 after [0-9.]+ s'
it "and its output" wait_for "boom (RuntimeError)"
it "the title says it" says "\[(FAILED|ENDED)\]"
it "the tab stands for output" on_screen "[oOutput]"
quit_screen

started "$ruby $work/later.rb"
it "a command that fails soon: the reason" wait_says 'the command ended with status 1 after [0-9.]+ s'
it "and its output" wait_for "later"
quit_screen

started "$ruby $work/nosuch.rb"
it "a file that is not there: the reason" wait_says 'the command ended with status 1'
it "and its output" wait_says 'No such file or directory.*nosuch.rb|nosuch.rb.*No such file'
quit_screen

started "$work/nosuch"
it "a command that is not there: no screen, status 127" exits_with 127
it "and one line" says "nosuch': No such file or directory"

started "sleep 100"
it "what is not Ruby: what is going on" wait_says 'nothing to watch yet: the command runs sleep, which is not Ruby'
it "q q ends it" quit_screen

started "bash -c 'echo from bash; sleep 4; exec $ruby -e \"loop { sleep 0.1 }\"'"
it "a shell: what is going on" wait_says 'nothing to watch yet: the command runs bash, which is not Ruby'
it "and its output" wait_for "from bash"
it "a Ruby that it starts is watched" wait_for "[LIVE]"
it "then the output closes by itself" wait_for "[1Methods]"
it "and nothing is said any more" wait_gone "nothing to watch"
keys q
wait_exit

started "env -u RUBYOPT $ruby -e 'loop { sleep 0.1 }'"
it "a Ruby that the extension did not reach" wait_says 'Ruby process [0-9]+ runs without the extension; RUBYOPT'
quit_screen
close_pane

# The same without a screen.
batch() { timeout 60 "$viewer" -b -n 1 -- "$@" > "$work/out" 2> "$work/err" < /dev/null; status=$?; }
told() { [ "$status" = "$1" ] && grep -qE -e "$2" "$work/err" || { sed 's/^/# err: /' "$work/err"; return 1; }; }
RPERF_TOP_LIB=$work/other batch "$ruby" -e 'puts :hello'
it "batch: another Ruby" told 1 'rperf-top: .*status 0.*not watched: it was built for Ruby 9.9'
batch "$ruby" "$work/raises.rb"
it "batch: raised at once" told 1 'rperf-top: the command ended with status 1 after'
it "batch: the last lines of its output" told 1 '^  .*boom \(RuntimeError\)'
batch sh -c 'echo not ruby; exit 0'
it "batch: not Ruby" told 1 'before it could be watched: is it a Ruby'
batch sh -c 'kill -TERM $$'
it "batch: a signal" told 143 'the command was killed by SIGTERM'
batch "$work/nosuch"
it "batch: not there" told 127 'No such file or directory'

# A process that runs already.
RUBYOPT='' "$ruby" -e 'puts :ready; STDOUT.flush; sleep 600' > "$work/plain" &
disown
fakes+=($!)
wait_until grep -qs ready "$work/plain"
timeout 60 "$viewer" -b -n 1 -p "${fakes[-1]}" > "$work/out" 2> "$work/err"
status=$?
it "-p without the extension: what to do" told 1 'runs without the extension; to load it now: rperf-top --inject -p [0-9]+ .*; or start it with:'

finish
