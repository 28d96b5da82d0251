# Calls of C code that hold the GVL for seconds, one after the other, beside threads that work a little and threads
# that wait: `digits` of a large number, or a regular expression that tries again and again (`regexp`).
module Report
  LARGE = 3**9_000_000
  SQUARE = LARGE * LARGE

  def self.digits = SQUARE.to_s.size
  def self.regexp = ("a" * 23 + "b").match?(/^(a+)+\1$/)
end

2.times { Thread.new { loop { 2000.times { |i| i * i } && sleep(0.005) } } }
3.times { Thread.new { Queue.new.pop } }
Thread.main.name = "nightly"
loop do
  sleep 0.3
  Report.public_send(ARGV.fetch(0))
end
