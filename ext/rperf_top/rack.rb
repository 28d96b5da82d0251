# Labels requests of a Rack application with their endpoint.
#
#   use RperfTop::RackMiddleware        (config.ru, as early as possible; the Railtie does it)
#
# The label is METHOD and path with numbers and identifiers as ":id". Frameworks that know the route say it themselves
# for the part of the request that they serve (sinatra.rb, action_controller.rb), in the same words.
require_relative "endpoint"
require_relative "guarded"

module RperfTop
  class RackMiddleware
    def initialize(app)
      @app = app
      @endpoint = Endpoint.new
    end

    def call(env)
      name = nil
      labels = Guarded.labels { { endpoint: @endpoint.shown(name = name_of(env)) } }
      response = RperfTop.label(**labels) { @app.call(env) }
      @endpoint.answered(name, response[0]) if name && Array === response
      response
    end

    private

    def name_of(env)
      @endpoint.name(env["REQUEST_METHOD"], env["SCRIPT_NAME"].to_s.b + env["PATH_INFO"].to_s.b)
    end
  end
end
