# Makes objects faster than anything else: short-lived ones, and a live heap that is marked each time.
#   gc.rb [SECONDS]
finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + (ARGV[0] || Float::INFINITY).to_f

def make_garbage(count)
  Array.new(count) { |i| [i, i.to_s, { i => nil }] }
end

def replace_some(heap)
  1000.times { |i| heap[(i * 7919) % heap.size] = [Object.new, "live #{i}"] }
end

heap = make_garbage(200_000)
until Process.clock_gettime(Process::CLOCK_MONOTONIC) >= finish
  make_garbage(5_000)
  replace_some(heap)
end
