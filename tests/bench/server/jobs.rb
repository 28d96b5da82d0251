# Sidekiq's jobs with planted faults (faults.rb):  sidekiq -r jobs.rb, with REDIS_URL
#
#   ruby -r ./jobs.rb -e 'push(1000, 200)'      so many jobs, so many a second in the mean
require "sidekiq"
require "rperf_top/sidekiq"
require_relative "faults"

Faults::NAMES.each do |name|
  Object.const_set("#{name.capitalize}Job", Class.new do
    include Sidekiq::Job
    sidekiq_options retry: false
    define_method(:perform) { Faults.within(name) }
  end)
end

# Writes the log of all `count` jobs into a file.
class ToldJob
  include Sidekiq::Job
  sidekiq_options retry: false

  def perform(count, path)
    sleep 0.01 until Faults::LOG["pieces"].size >= count
    File.write("#{path}.new", Faults.told)
    File.rename("#{path}.new", path)
  end
end

# Outside of all other middlewares.
class AroundJobs
  include Sidekiq::ServerMiddleware

  def call(_instance, job, _queue, &block)
    name = job["class"].delete_suffix("Job").downcase
    Faults::NAMES.include?(name) ? Faults.around(name, &block) : yield
  end
end

Sidekiq.configure_server { |config| config.server_middleware { |chain| chain.prepend AroundJobs } }

def push(count, a_second)
  random, due = Random.new(1), Faults.now
  count.times do |number|
    due -= 1e9 / a_second * Math.log(1 - random.rand)
    rest = (due - Faults.now) / 1e9
    sleep rest if rest.positive?
    Object.const_get("#{Faults::MIX[number % Faults::MIX.size].capitalize}Job").perform_async
  end
end
