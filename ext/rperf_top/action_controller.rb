# Labels requests with the route that Rails has found for them. Loaded when ActionController is.
require_relative "guarded"

module RperfTop
  module ActionLabels # :nodoc:
    private

    def process_action(...)
      labels = RperfTop::Guarded.labels { { endpoint: RperfTop::ActionLabels.endpoint(self) } }
      RperfTop.label(**labels) { super }
    end

    # The route as the application wrote it, where Rails tells it (7.1). A request with a method that Rails does not know
    # has none; asking would raise.
    def self.endpoint(controller)
      request = controller.request
      route = request.route_uri_pattern if request.respond_to?(:route_uri_pattern)
      return "#{request.request_method} #{route.delete_suffix("(.:format)")}" if route
      of_action(controller)
    rescue StandardError
      of_action(controller)
    end

    def self.of_action(controller) = "#{controller.class.name}##{controller.action_name}"
  end
end
