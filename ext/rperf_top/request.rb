# SPDX-License-Identifier: MIT
# A request whose route a framework finds on the way: one endpoint for all of it.
require "fiber"
require_relative "guarded"

module RperfTop
  # Lies in the environment of a request that RackMiddleware has labelled. The first framework that knows the route tells
  # it (action_controller.rb, sinatra.rb): from then on that is the label, and it counts for the request.
  class Request # :nodoc:
    KEY = "rperf_top.request"
    LABEL = :endpoint # what frameworks call it

    class << self
      # Is there a framework that tells routes?
      attr_accessor :told_by_frameworks
      # Called with the environment of a request on a path that was not asked for before: its route if that can be known
      # ahead, false if no framework is going to tell one, nil if that is not known.
      attr_accessor :foresight

      def of(env)
        request = env[KEY]
        request if Request === request
      rescue StandardError
        nil
      end

      # The block is the work of the route, for a request that perhaps no middleware has seen.
      def tell(env, labels, &block)
        request = of(env)
        request ? request.tell(labels, &block) : RperfTop.label(**labels, &block)
      end
    end

    attr_reader :told, :label_key

    # What was told before stays. Under another key than LABEL frameworks tell it, too.
    def initialize(told = nil, label_key = LABEL)
      @told = told
      @label_key = label_key
      @fiber = Fiber.current
    end

    def tell(labels, &block)
      told = labels[@label_key] || labels[LABEL]
      return yield if @told || told.nil?
      @told = told
      labels = { @label_key => told }
      return RperfTop.label(**labels, &block) unless @fiber.equal?(Fiber.current)
      RperfTop.label(**labels) # until the middleware ends
      yield
    end
  end
end
