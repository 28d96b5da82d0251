# Four threads compute all the time; now and then "nightly export" makes a call of C that never lets go of the GVL, a
# fifth of a second of computing. Each call is a line of the file: when it began and ended, with no safepoint between
# clock and call.
#   hog.rb FILE [CALLS]
class NightlyExport
  CLOCK = Process::CLOCK_MONOTONIC

  def initialize(size)
    @text = "a" * (4 * size)
    @line = "#{"a" * size}b"
  end

  def run = [Process.clock_gettime(CLOCK), @text.rindex(@line), Process.clock_gettime(CLOCK)]
end

def cpu = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)

# As long on a machine that is busy or slow.
def job(size = 40_000)
  began = cpu
  job = NightlyExport.new(size)
  job.run
  cpu - began > 0.2 ? job : job(size * 4 / 3)
end

file = File.open(ARGV.fetch(0), "w")
file.sync = true
export = job
begun = Queue.new
4.times do |i|
  Thread.new do
    Thread.current.name = "puma #{i}"
    begun << i
    sum = 0
    loop { 1000.times { |k| sum ^= k } }
  end
end

hog = Thread.new do
  Thread.current.name = "nightly export"
  4.times { begun.pop }
  1.step(ARGV[1]&.to_i) do
    began, _, ended = export.run
    file.puts "#{began} #{ended}"
    sleep 0.02
  end
end
hog.join
