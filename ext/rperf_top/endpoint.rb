# SPDX-License-Identifier: MIT
# Names of endpoints, for labels: few, however many paths are asked for.
require "set"

module RperfTop
  # "GET /orders/:id" for "/orders/17". A name that was never answered with success may be a scanner's: over the life of
  # the process a hundred of those are shown, then they are "GET (new)" until one is answered. Any thread may call.
  class Endpoint
    KNOWN_MOST, NEW_MOST, SEGMENTS_MOST = 500, 100, 8
    SUCCESS = 200..299
    NUMBER = /\A\d+\z/
    # UUIDs, digests, tokens
    IDENTIFIER = /\A(?:\h{8}-\h{4}-\h{4}-\h{4}-\h{12}|(?=.*\d)\h{12,}|(?=.*\d)[\w\-=.~]{24,})\z/

    def initialize
      @lock = Mutex.new
      @known, @new = Set.new, Set.new
      @routes = {}
    end

    # Method and path may be any bytes, or nil.
    def name(method, path) = "#{verb(method)} #{normalised(path)}"

    # The name as a label; the tables stay small.
    def shown(name) = @known.include?(name) || room_for?(name) ? name : "#{name[/\A\S+/]} (new)"

    # What a framework is going to tell of the name, and whether that is sure: as it told before, or as the block foresees
    # (see Request.foresight). [nil, false]: not known. One name may be several routes, then nothing is.
    def ahead(name)
      route = @routes[name]
      return [route || nil, false] unless route.nil?
      foreseen = yield
      return [shown(name), true] if foreseen == false
      [foreseen, false]
    end

    # With success, it is an endpoint of the application, and makes room for another new one. Redirects tell nothing: many
    # servers redirect whatever they are asked for.
    def answered(name, status, route = nil)
      learn(name, route, status) if route
      return if !SUCCESS.cover?(number(status)) || @known.include?(name)
      @lock.synchronize do
        @known = @known.dup.add(name).freeze if @known.size < KNOWN_MOST
        @new = @new.dup.delete(name).freeze if @known.include?(name)
      end
    end

    private

    # A route that is the name itself was told by nobody; that a framework may do so later.
    def learn(name, route, status)
      before = @routes[name]
      return if before == route || before == false || (before && route == name)
      return if route == name && !SUCCESS.cover?(number(status)) && !room_for?(name)
      @lock.synchronize do
        return if !@routes.key?(name) && @routes.size == KNOWN_MOST
        @routes = @routes.merge(name => before && before != name ? false : route).freeze
      end
    end

    def room_for?(name)
      return true if @new.include?(name)
      @lock.synchronize do
        @new = @new.dup.add(name).freeze if @new.size < NEW_MOST
        @new.include?(name)
      end
    end

    # Of objects that applications make themselves nothing is called.
    def number(status)
      case status
      when Integer then status
      when String then status.to_i
      else 0
      end
    end

    def verb(method)
      method = method.to_s.b
      method.match?(/\A[A-Z]{1,12}\z/) ? method : "?"
    end

    def normalised(path)
      segments = path.to_s.b.split("/").reject(&:empty?)
      names = segments.first(SEGMENTS_MOST).map { |part| part.match?(NUMBER) || part.match?(IDENTIFIER) ? ":id" : part }
      names << "..." if segments.size > SEGMENTS_MOST
      "/#{names.join("/")}"[0, 100].force_encoding(Encoding::UTF_8).scrub("?")
    end
  end
end
