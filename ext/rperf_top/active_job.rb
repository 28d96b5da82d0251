# SPDX-License-Identifier: MIT
# Labels the jobs of ActiveJob with their class and queue, whatever runs them. Loaded when ActiveJob::Base is.
require_relative "guarded"

module RperfTop
  module ActiveJobLabels # :nodoc:
    def self.included(base)
      base.around_perform do |job, block|
        labels = RperfTop::Guarded.labels { { job: job.class.name, queue: job.queue_name } }
        RperfTop.label(**labels, &block)
      end
    end
  end
end
