# Takes two thirds of what its limit leaves it, all at once.
limit, used = { Process::RLIMIT_AS => 0, Process::RLIMIT_DATA => 5 }.filter_map do |resource, column|
  limit = Process.getrlimit(resource).first
  [limit, File.read("/proc/self/statm").split[column].to_i * 4096] if limit != Process::RLIM_INFINITY
end.first
sleep 0.1
puts String.new(capacity: (limit - used) * 2 / 3).empty?
sleep 0.05
puts "end"
