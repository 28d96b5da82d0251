# How often each of the two was served, and how long that took, as the server itself measured it.
module Took
  @lock, @sums = Mutex.new, Hash.new { |sums, name| sums[name] = [0, 0.0] }

  def self.measured(name)
    from = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    answer = yield
    took = Process.clock_gettime(Process::CLOCK_MONOTONIC) - from
    @lock.synchronize { @sums[name] = [@sums[name][0] + 1, @sums[name][1] + took] }
    answer
  end

  def self.told = @lock.synchronize { @sums.map { |name, (count, seconds)| "#{name} #{count} #{seconds}" }.join(",") }
end
