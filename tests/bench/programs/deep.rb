# Deep stacks: the work happens 200 frames down.
require_relative "measure"

def down(depth, &block)
  return block.call if depth.zero?
  down(depth - 1, &block)
end

def work(count)
  sum = 0
  count.times { |i| sum += i % 7 }
  sum
end

down(200) { measure(120) { work(260_000) } }
