# Labels requests of Sinatra applications with the route: `require "rperf_top/sinatra"` after Sinatra.
require "rperf_top"

module RperfTop
  module SinatraLabels # :nodoc:
    private

    def route_eval(...)
      route = env["sinatra.route"]
      route ? RperfTop.label(endpoint: route) { super } : super
    end
  end
end

Sinatra::Base.prepend(RperfTop::SinatraLabels)
