# Names of endpoints, for labels: few, however many paths are asked for.
require "set"

module RperfTop
  # "GET /orders/:id" for "/orders/17". A name that nobody has answered yet may be a scanner's: there is room for a few of
  # those at any time of the process, then they are "GET (new)" until one was answered. Any thread may call.
  class Endpoint
    KNOWN_MOST, NEW_MOST, SEGMENTS_MOST = 500, 100, 8
    NUMBER = /\A\d+\z/
    # UUIDs, digests, tokens
    IDENTIFIER = /\A(?:\h{8}-\h{4}-\h{4}-\h{4}-\h{12}|(?=.*\d)\h{12,}|(?=.*\d)[\w\-=.~]{24,})\z/

    def initialize
      @lock = Mutex.new
      @known, @new = Set.new, Set.new
    end

    def name(method, path)
      name = "#{verb(method)} #{normalised(path)}"
      @known.include?(name) || room_for?(name) ? name : "#{verb(method)} (new)"
    end

    # It was answered: it is an endpoint of the application.
    def answered(method, path, status)
      return if status.to_i >= 400
      name = "#{verb(method)} #{normalised(path)}"
      return if @known.include?(name)
      @lock.synchronize { @known = @known.dup.add(name).freeze if @known.size < KNOWN_MOST }
    end

    private

    def room_for?(name)
      return true if @new.include?(name)
      @lock.synchronize { @new = @new.dup.add(name).freeze if @new.size < NEW_MOST }
      @new.include?(name)
    end

    def verb(method) = method.to_s.match?(/\A[A-Z]{1,12}\z/) ? method : "?"

    def normalised(path)
      segments = path.to_s.b.split("/").reject(&:empty?)
      names = segments.first(SEGMENTS_MOST).map { |part| part.match?(NUMBER) || part.match?(IDENTIFIER) ? ":id" : part }
      names << "..." if segments.size > SEGMENTS_MOST
      "/#{names.join("/")}"[0, 100].force_encoding(Encoding::UTF_8).scrub("?")
    end
  end
end
