# CPU, sleep, I/O, contention and GC at once, each in a thread and a method of its own.
#   mixed.rb [SECONDS]
FINISH = Process.clock_gettime(Process::CLOCK_MONOTONIC) + (ARGV[0] || Float::INFINITY).to_f

def running?
  Process.clock_gettime(Process::CLOCK_MONOTONIC) < FINISH
end

def burn_cpu
  10_000.times { |i| i * i }
end

def take_a_nap
  sleep 0.02
end

def read_a_pipe(reader, writer)
  writer.write("line\n" * 100)
  100.times { reader.gets }
end

def hold_the_lock(lock)
  lock.synchronize { sleep 0.005 }
end

def make_objects
  Array.new(10_000) { |i| "object #{i}" }
end

lock = Mutex.new
reader, writer = IO.pipe
{
  "cpu" => -> { burn_cpu },
  "sleep" => -> { take_a_nap },
  "io" => -> { read_a_pipe(reader, writer) },
  "lock 1" => -> { hold_the_lock(lock) },
  "lock 2" => -> { hold_the_lock(lock) },
  "objects" => -> { make_objects },
}.map do |name, work|
  Thread.new do
    Thread.current.name = name
    work.call while running?
  end
end.each(&:join)
