# Forks children that live shortly, some at a time: as many as the argument says. Each works once its viewer (the parent
# of this process) has its channel open.
VIEWER = Process.ppid

def watched?
  File.read("/proc/#{VIEWER}/maps").match?(/rperf-top\.\d+\.#{Process.pid}\.\h{16}$/)
end

def in_child
  finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 0.05
  nil while Process.clock_gettime(Process::CLOCK_MONOTONIC) < finish
end

def wait_for_the_viewer
  deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 10
  sleep 0.05 until watched? || Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
end

Integer(ARGV[0]).times.each_slice(16) do |few|
  few.each do
    fork do
      wait_for_the_viewer
      in_child
    end
  end
  Process.waitall
end
