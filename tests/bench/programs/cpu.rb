# CPU-bound: method calls, blocks, strings, hashes; hardly any garbage collection.
require_relative "measure"

def fib(n) = n < 2 ? n : fib(n - 1) + fib(n - 2)

def words(count)
  sum = 0
  count.times { |i| sum += i.to_s.sum & 7 }
  sum
end

measure(600) do
  fib(21)
  words(8_000)
end
