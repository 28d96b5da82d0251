# A process with children: two that it forks, one of which forks again, and one that it spawns; then one that comes
# later. Each computes in a method of its own, on a busy machine longer: it is to be found. HOLD: nobody ends by itself.
require "rbconfig"

def compute(seconds)
  finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
  nil until Process.clock_gettime(Process::CLOCK_MONOTONIC) > finish && Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) > 0.2
end

def in_master = compute(0.5)
def in_first = compute(0.7)
def in_second = compute(0.6)
def in_grandchild = compute(0.6)
def in_late = compute(0.8)
def in_spawned = compute(0.6)
# A viewer that gets neither core nor disk for a moment finds it all the same.
def hold = sleep(*(0.6 unless ENV["HOLD"]))

if ARGV == ["spawned"]
  in_spawned
  hold
  exit
end

children = [fork { $0 = "first"; in_first; hold }]
children << fork do
  $0 = "second"
  below = fork { $0 = "grandchild"; in_grandchild; hold }
  in_second
  Process.wait(below)
end
children << spawn(RbConfig.ruby, "--disable=gems", __FILE__, "spawned")
in_master
Process.wait(children.pop) unless ENV["HOLD"]
children << fork { $0 = "late"; in_late; hold }
children.each { |pid| Process.wait(pid) }
