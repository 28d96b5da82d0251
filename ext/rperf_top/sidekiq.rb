# SPDX-License-Identifier: MIT
# Labels Sidekiq's jobs with their class and queue: `require "rperf_top/sidekiq"` after Sidekiq.
require_relative "guarded"

module RperfTop
  class SidekiqMiddleware
    include Sidekiq::ServerMiddleware if defined?(Sidekiq::ServerMiddleware)

    # What ActiveJob wraps has the name of the job, not of the wrapper.
    def call(_instance, job, queue, &block)
      RperfTop.label(**Guarded.labels { { job: job["wrapped"] || job["class"], queue: queue } }, &block)
    end
  end
end

Sidekiq.configure_server do |config|
  config.server_middleware { |chain| chain.prepend RperfTop::SidekiqMiddleware }
end
