# One thread that computes: nearly all the time belongs to Object#fib.
#   fib.rb [SECONDS]
finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + (ARGV[0] || Float::INFINITY).to_f

def fib(n)
  n < 2 ? n : fib(n - 1) + fib(n - 2)
end

fib(18) until Process.clock_gettime(Process::CLOCK_MONOTONIC) >= finish
