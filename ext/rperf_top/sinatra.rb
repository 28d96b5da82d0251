# SPDX-License-Identifier: MIT
# Labels requests of Sinatra applications with the route: `require "rperf_top/sinatra"`, before Sinatra or after it.
require_relative "request"
begin
  require "sinatra/base"
rescue LoadError
  warn "rperf-top: requests have no labels, for Sinatra is not there"
end

RperfTop::Request.told_by_frameworks = true

module RperfTop
  module SinatraLabels # :nodoc:
    private

    def route_eval(...)
      labels = RperfTop::Guarded.labels { (route = env["sinatra.route"]) ? { endpoint: route } : {} }
      RperfTop::Request.tell(env, labels) { super }
    end
  end
end

Sinatra::Base.prepend(RperfTop::SinatraLabels) if defined?(Sinatra::Base)
