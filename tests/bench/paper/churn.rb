# What a suite of tests does to a profiler: methods that are made, called a few times, and dropped, so many in all.
require_relative "../programs/measure"

EACH = 500   # methods of a class
measure(1, warm_up: 0) do
  (Integer(ENV.fetch("METHODS", "1000000")) / EACH).times do |number|
    made = Class.new
    made.class_eval(Array.new(EACH) { |i| "def m#{number}_#{i}(x) = x + #{i}" }.join("\n"))
    object = made.new
    EACH.times { |i| 3.times { object.public_send(:"m#{number}_#{i}", 1) } }
  end
end
