# Rails: requests carry their route as a label, jobs their class, without a line in the application.
require "rperf_top"
require "rails/railtie"
require_relative "rack"

module RperfTop
  module ActionLabels # :nodoc:
    private

    def process_action(...)
      RperfTop.label(endpoint: RperfTop::ActionLabels.endpoint(self)) { super }
    end

    # The route as the application wrote it, where Rails tells it (7.1).
    def self.endpoint(controller)
      request = controller.request
      route = request.route_uri_pattern if request.respond_to?(:route_uri_pattern)
      route ? "#{request.request_method} #{route.delete_suffix("(.:format)")}" : "#{controller.class.name}##{controller.action_name}"
    end
  end

  class Railtie < Rails::Railtie
    initializer "rperf_top.labels" do |app|
      app.middleware.insert(0, RperfTop::RackMiddleware)
      ActiveSupport.on_load(:action_controller) { prepend RperfTop::ActionLabels }
      ActiveSupport.on_load(:active_job) do
        require_relative "active_job"
        include RperfTop::ActiveJobLabels
      end
      require_relative "sidekiq" if defined?(Sidekiq)
    end
  end
end
