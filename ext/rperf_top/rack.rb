# SPDX-License-Identifier: MIT
# Labels requests of a Rack application with their endpoint.
#
#   use RperfTop::RackMiddleware        (config.ru, as early as possible; the Railtie does it)
#
#   use RperfTop::RackMiddleware, label_key: :route
#   use RperfTop::RackMiddleware, label_key: :tenant do |env| env["HTTP_X_TENANT"] end
#
# The label is METHOD and path with numbers and identifiers as ":id". Frameworks that know the route tell it
# (sinatra.rb, action_controller.rb): then that is the label of the whole request. What runs before has it as far as it can
# be known ahead, from the routes or from requests before; else it has none. A block says another label; of requests for
# which it says nil the label is what it is without a block.
require_relative "endpoint"
require_relative "guarded"
require_relative "request"

module RperfTop
  class RackMiddleware
    def initialize(app, label_key: Request::LABEL, &block)
      @app = app
      @label_key = label_key.to_sym
      @block = block
      @endpoint = Endpoint.new
    end

    def call(env)
      said = @block ? Guarded.labels { label_of(@block.call(env)) } : {}
      return call_said(env, said) unless said.empty?
      return @app.call(env) if Request.of(env)&.label_key == @label_key # a middleware further out has it
      Request.told_by_frameworks ? call_told(env) : call_named(env)
    end

    private

    def label_of(value) = value ? { @label_key => value } : {}

    # Whoever said it first is right: a middleware further out with the same label passes it on, and frameworks are silent.
    def call_said(env, said, &)
      request = Request.of(env)
      return request.tell(said) { @app.call(env) } if request&.label_key == @label_key
      if @label_key == Request::LABEL
        Guarded.labels { (env[Request::KEY] = Request.new(said[@label_key])) && {} }
      end
      RperfTop.label(**said) { @app.call(env) }
    end

    # Nobody knows better.
    def call_named(env)
      name = nil
      labels = Guarded.labels { label_of(@endpoint.shown(name = name_of(env))) }
      response = RperfTop.label(**labels) { @app.call(env) }
      @endpoint.answered(name, response[0]) if name && Array === response
      response
    end

    def call_told(env)
      name = ahead = sure = request = nil
      labels = Guarded.labels do
        name = name_of(env)
        ahead, sure = @endpoint.ahead(name) { Request.foresight&.call(env) }
        env[Request::KEY] = request = Request.new(sure ? ahead : nil, @label_key)
        { @label_key => ahead }
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
