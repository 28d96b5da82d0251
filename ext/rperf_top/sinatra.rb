# Labels requests of Sinatra applications with the route: `require "rperf_top/sinatra"` after Sinatra.
require_relative "request"

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

Sinatra::Base.prepend(RperfTop::SinatraLabels)
