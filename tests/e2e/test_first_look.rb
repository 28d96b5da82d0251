# The question one comes with: what does my process do, and who is to blame? Seven problems on a real puma; how many
# keys does it take until the culprit's name is at the top of the screen? None while it happens, one afterwards.
require_relative "shop"
require_relative "tmux"
require "socket"

class TestFirstLook < Minitest::Test
  parallelize_me!

  # The minute passes beside the others.
  def self.runnable_methods = super.partition { |name| name.end_with?("a_minute_ago") }.flatten

  SIZES = [[80, 24], [160, 50]].freeze
  # The header and the first rows of the table: a large program fills the others.
  TOP = 10

  # A shop that a few clients look at, and screens that watch it.
  class Watched < ShopServer
    attr_reader :screens

    def initialize
      super
      @clients = Array.new(2) { Thread.new { loop { ask("/") && sleep(0.05) } } }
      @screens = SIZES.map do |columns, rows|
        Tmux.new(columns, rows, [E2E::VIEWER, "-p", @pid.to_s], env: @env.slice("RPERF_TOP_DIR"))
      end
      @screens.each { |screen| screen.wait_for("Shop#page") }
    end

    def stop
      @clients&.each(&:kill)
      @screens&.each(&:close)
      super
    end
  end

  def watched
    skip "the gem puma is not here" unless ShopServer.gems
    skip "tmux is not installed" unless Tmux.there?
    shop = Watched.new
    yield shop
  ensure
    shop&.stop
  end

  def assert_seen(shop, culprit, keys)
    shop.screens.each do |screen|
      assert screen.shows_soon?(culprit, rows: TOP), "#{keys} keys, #{screen.size}: no #{culprit} in\n#{screen.text}"
    end
  end

  # The key goes to a stall that still goes on, as soon as it is one.
  def assert_gone_to(shop, culprit)
    shop.screens.each do |screen|
      what = +""
      E2E.wait_until(what) do
        screen.keys("(")
        next true if screen.shows_soon?(/\[FROZEN.*#{culprit}/m, rows: TOP, seconds: 3)
        what.replace("#{culprit} by ( at #{screen.size} in\n#{screen.text}")
        screen.keys("z") if what.match?(/\[FROZEN/)
        false
      end
      screen.keys("z")
    end
  end

  # While `paths` are asked for, the culprit is on every screen, and the key goes there; once that is over and out of
  # sight, it is there again after one key.
  def assert_found(culprit, *paths)
    watched do |shop|
      shop.asking(*paths) do
        assert_seen(shop, culprit, 0)
        assert_gone_to(shop, culprit)
      end
      shop.screens.each { |screen| screen.wait_gone(/^[> ] *\d+\.\d.*#{culprit}/) } # its rows; it may be named above
      shop.screens.each { |screen| screen.keys("(") }
      assert_seen(shop, /\[FROZEN.*#{culprit}/m, 1)
    end
  end

  def test_a_query_for_every_order = assert_found(/LineItem\.for_order/, "/orders", "/orders", "/orders")

  def test_a_thread_that_holds_the_gvl = assert_found(/NightlyExport#/, "/export?3", "/", "/", "/")

  def test_a_storm_of_garbage = assert_found(/Catalogue#slice/, "/catalogue?4", "/catalogue?4")

  def test_a_lock_held_for_two_seconds
    assert_found(/Inventory#reserve/, "/reserve?2", "/count", "/count", "/count")
  end

  def test_backtracking = assert_found(/CsvImport#valid\?/, "/import?27")

  def test_a_host_that_does_not_answer = assert_found(/Payments#charge/, "/pay?4", "/pay?4", "/pay?4")

  # Nobody has looked when it happened.
  def test_a_stall_a_minute_ago
    watched do |shop|
      shop.ask("/report?3")
      finish = now + 60
      shop.ask("/") && sleep(0.2) while now < finish
      shop.screens.each { |screen| screen.keys("(") }
      assert_seen(shop, /Report#build/, 1)
    end
  end

  private

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
end
