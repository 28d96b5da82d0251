# Four threads compute all the time; now and then "nightly export" makes a call of C that never lets go of the GVL. Each
# call is a line of the file named on the command line: when it began and ended, on the wall clock.
class NightlyExport
  def run = 3**9_000_000
end

def now = Process.clock_gettime(Process::CLOCK_REALTIME)

4.times do |i|
  Thread.new do
    Thread.current.name = "puma #{i}"
    sum = 0
    loop { 1000.times { |k| sum ^= k } }
  end
end

Thread.current.name = "nightly export"
File.open(ARGV.fetch(0), "w") do |file|
  file.sync = true
  job = NightlyExport.new
  loop do
    began = now
    job.run
    file.puts "#{began} #{now}"
    sleep 0.02
  end
end
