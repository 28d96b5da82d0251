# Labels requests of a Rack application with their endpoint.
#
#   use RperfTop::RackMiddleware        (config.ru, as early as possible; the Railtie does it)
#
# The label is METHOD and path with numbers and identifiers as ":id". Frameworks that know the route say it themselves
# for the part of the request that they serve (sinatra.rb, railtie.rb), in the same words.
require "rperf_top"
require_relative "endpoint"

module RperfTop
  class RackMiddleware
    def initialize(app)
      @app = app
      @endpoint = Endpoint.new
    end

    def call(env)
      method, path = env["REQUEST_METHOD"], "#{env["SCRIPT_NAME"]}#{env["PATH_INFO"]}"
      response = RperfTop.label(endpoint: @endpoint.name(method, path)) { @app.call(env) }
      @endpoint.answered(method, path, response[0]) if response.is_a?(Array)
      response
    end
  end
end
