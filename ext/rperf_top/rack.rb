# Labels requests of a Rack application with their endpoint.
#
#   use RperfTop::RackMiddleware        (config.ru, as early as possible; the Railtie does it)
#
# The label is METHOD and path with numbers and identifiers as ":id". Frameworks that know the route tell it
# (sinatra.rb, action_controller.rb): then that is the label of the whole request. What runs before has it as far as it can
# be known ahead, from the routes or from requests before; else it has none.
require_relative "endpoint"
require_relative "guarded"
require_relative "request"

module RperfTop
  class RackMiddleware
    def initialize(app)
      @app = app
      @endpoint = Endpoint.new
    end

    def call(env)
      return @app.call(env) if Request.of(env) # a middleware further out has it
      Request.told_by_frameworks ? call_told(env) : call_named(env)
    end

    private

    # Nobody knows better.
    def call_named(env)
      name = nil
      labels = Guarded.labels { { endpoint: @endpoint.shown(name = name_of(env)) } }
      response = RperfTop.label(**labels) { @app.call(env) }
      @endpoint.answered(name, response[0]) if name && Array === response
      response
    end

    def call_told(env)
      name = ahead = sure = request = nil
      labels = Guarded.labels do
        name = name_of(env)
        ahead, sure = @endpoint.ahead(name) { Request.foresight&.call(env) }
        env[Request::KEY] = request = Request.new(sure ? ahead : nil)
        { endpoint: ahead }
      end
      response = RperfTop.label_ahead(**labels) do
        RperfTop.label(**labels) if request&.told
        @app.call(env)
      ensure
        RperfTop.label(**labels) if ahead && request && !request.told
      end
      route = request.told || name if request && !sure
      @endpoint.answered(name, response[0], route) if name && Array === response
      response
    end

    def name_of(env)
      @endpoint.name(env["REQUEST_METHOD"], env["SCRIPT_NAME"].to_s.b + env["PATH_INFO"].to_s.b)
    end
  end
end
