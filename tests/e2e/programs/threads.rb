# Four threads that compute and want the GVL all the time, each in a method of its own.
#   threads.rb [SECONDS]
FINISH = Process.clock_gettime(Process::CLOCK_MONOTONIC) + (ARGV[0] || Float::INFINITY).to_f

def running?
  Process.clock_gettime(Process::CLOCK_MONOTONIC) < FINISH
end

def spin(rounds)
  sum = 0
  rounds.times { |i| sum += i & 7 }
  sum
end

def compute_one = (spin(10_000) while running?)
def compute_two = (spin(10_000) while running?)
def compute_three = (spin(10_000) while running?)
def compute_four = (spin(10_000) while running?)

%i[compute_one compute_two compute_three compute_four].map do |name|
  Thread.new { Thread.current.name = name.to_s; send(name) }
end.each(&:join)
