# SPDX-License-Identifier: MIT
# Which route Rails is going to find for a request: its own router is asked, about a copy of the environment.
require "stringio"
require_relative "guarded"

module RperfTop
  class RailsRoutes # :nodoc:
    def initialize(app)
      @app = app
    end

    # As Request.foresight says. Not known: routes that code of the application decides about (constraints, mounted
    # applications), and forms that may have another method in their body.
    def call(env)
      routes = @app.routes
      return if routes.router.routes.empty? || !ActionDispatch::Request.method_defined?(:route_uri_pattern)
      copy = env.merge("rack.input" => StringIO.new("".b)) # what reads the body finds none, and takes none
      routes.router.recognize(routes.request_class.new(copy)) { |route, _| return told(env, route) }
      env["REQUEST_METHOD"] == "POST" ? nil : false
    rescue StandardError
      nil
    end

    private

    def told(env, route)
      return unless route.app.instance_of?(ActionDispatch::Routing::RouteSet::Dispatcher)
      ActionLabels.of_route(env["REQUEST_METHOD"], route.path.spec.to_s)
    end
  end
end
