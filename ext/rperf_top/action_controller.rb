# SPDX-License-Identifier: MIT
# Labels requests with the route that Rails has found for them. Loaded when ActionController is.
require_relative "request"

RperfTop::Request.told_by_frameworks = true

module RperfTop
  module ActionLabels # :nodoc:
    private

    def process_action(...)
      labels = RperfTop::Guarded.labels { { endpoint: RperfTop::ActionLabels.endpoint(self) } }
      RperfTop::Request.tell(RperfTop::ActionLabels.env(self), labels) { super }
    end

    def self.env(controller)
      controller.request.env
    rescue StandardError
      {}
    end

    # The route as the application wrote it, where Rails tells it (7.1). A request with a method that Rails does not know
    # has none; asking would raise.
    def self.endpoint(controller)
      request = controller.request
      route = request.route_uri_pattern if request.respond_to?(:route_uri_pattern)
      route ? of_route(request.request_method, route) : of_action(controller)
    rescue StandardError
      of_action(controller)
    end

    def self.of_route(verb, pattern) = "#{verb} #{pattern.delete_suffix("(.:format)")}"
    def self.of_action(controller) = "#{controller.class.name}##{controller.action_name}"
  end
end
