# A server that a few clients look at, and screens that watch it, small and large.
require_relative "shop"
require_relative "tmux"

module Watched
  SIZES = [[80, 24], [160, 50]].freeze
  # The header and the first rows of the table: a large program fills the others.
  TOP = 10

  def self.screens(pid, env)
    SIZES.map { |columns, rows| Tmux.new(columns, rows, [E2E::VIEWER, "-p", pid.to_s], env: env.slice("RPERF_TOP_DIR")) }
  end

  class Server < ShopServer
    attr_reader :screens

    def initialize(*program, shows:)
      super(*program)
      @clients = Array.new(2) { Thread.new { loop { ask("/") && sleep(0.05) } } }
      @screens = Watched.screens(@pid, @env)
      @screens.each { |screen| screen.wait_for(shows) }
    end

    def stop
      @clients&.each(&:kill)
      @screens&.each(&:close)
      super
    end
  end

  def watched(*program, shows:)
    skip "the gem puma is not here" unless ShopServer.gems
    skip "tmux is not installed" unless Tmux.there?
    server = Server.new(*program, shows: shows)
    yield server
  ensure
    server&.stop
  end

  def assert_seen(screens, culprit, keys, rows: TOP)
    screens.each do |screen|
      assert screen.shows_soon?(culprit, rows: rows), "#{keys} keys, #{screen.size}: no #{culprit} in\n#{screen.text}"
    end
  end
end
