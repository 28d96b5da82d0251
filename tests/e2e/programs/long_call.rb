# Calls of C code that come to no safepoint, each twice as long as the one before, until one lasts 0.8 s. How long each
# took stands in TMPDIR/calls.
module Work
  def self.find(size)
    text = "ab" * size
    text.index("ab" * (size / 2) + "c")
  end
end

def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

def spin(seconds)
  start = now
  nil while now - start < seconds
end

size = 20_000
loop do
  spin(0.2)
  start = now
  Work.find(size)
  took = now - start
  File.write("#{ENV["TMPDIR"]}/calls", "#{took}\n", mode: "a")
  break if took > 0.8
  size = (size * 1.5).to_i
end
spin(0.5)
