# Labels the jobs of ActiveJob with their class and queue, whatever runs them. Loaded when ActiveJob::Base is.
require "rperf_top"

module RperfTop
  module ActiveJobLabels # :nodoc:
    def self.included(base)
      base.around_perform { |job, block| RperfTop.label(job: job.class.name, queue: job.queue_name, &block) }
    end
  end
end
