# After a line of input a call of C that comes to no safepoint for some seconds of computing, five or a few more.
class Export
  def initialize(size)
    @text = "a" * (4 * size)
    @line = "#{"a" * size}b"
  end

  def run = @text.rindex(@line)
end

def cpu = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)

# As long on a machine that is busy or slow: it is in proportion to the square of the size.
size = 10_000
loop do
  began = cpu
  Export.new(size).run
  break if cpu - began > 0.2
  size = size * 4 / 3
end
export = Export.new(size * 5)
$stdin.gets
export.run
sleep
