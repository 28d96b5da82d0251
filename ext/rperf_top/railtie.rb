# SPDX-License-Identifier: MIT
# Rails: requests carry their route as a label, jobs their class, without a line in the application.
require "rperf_top"
require "rails/railtie"
require_relative "rack"
require_relative "rails_routes"

module RperfTop
  class Railtie < Rails::Railtie
    initializer "rperf_top.labels" do |app|
      app.middleware.insert(0, RperfTop::RackMiddleware)
      ActiveSupport.on_load(:action_controller) do
        require_relative "action_controller"
        prepend RperfTop::ActionLabels
        RperfTop::Request.foresight = RperfTop::RailsRoutes.new(app)
      end
      ActiveSupport.on_load(:active_job) do
        require_relative "active_job"
        include RperfTop::ActiveJobLabels
      end
      require_relative "sidekiq" if defined?(Sidekiq)
    end
  end
end
