# Labels requests of Sinatra applications with the route: `require "rperf_top/sinatra"` after Sinatra.
require_relative "guarded"

module RperfTop
  module SinatraLabels # :nodoc:
    private

    def route_eval(...)
      labels = RperfTop::Guarded.labels { (route = env["sinatra.route"]) ? { endpoint: route } : {} }
      RperfTop.label(**labels) { super }
    end
  end
end

Sinatra::Base.prepend(RperfTop::SinatraLabels)
