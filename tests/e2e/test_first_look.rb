# The question one comes with: what does my process do, and who is to blame? Seven problems on a real puma; how many
# keys does it take until the culprit's name is at the top of the screen? None while it happens, one afterwards.
require_relative "watched"

class TestFirstLook < Minitest::Test
  include Watched
  parallelize_me!

  # The minute passes beside the others.
  def self.runnable_methods = super.partition { |name| name.end_with?("a_minute_ago") }.flatten

  def with_shop(&) = watched(shows: "Shop#page", &)

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
    with_shop do |shop|
      shop.asking(*paths) do
        assert_seen(shop.screens, culprit, 0)
        assert_gone_to(shop, culprit)
      end
      shop.screens.each { |screen| screen.wait_gone(/^[> ] *\d+\.\d.*#{culprit}/) } # its rows; it may be named above
      shop.screens.each { |screen| screen.keys("(") }
      assert_seen(shop.screens, /\[FROZEN.*#{culprit}/m, 1)
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
    with_shop do |shop|
      shop.ask("/report?3")
      finish = now + 60
      shop.ask("/") && sleep(0.2) while now < finish
      shop.screens.each { |screen| assert_one_key_to(screen, /Report#build/) }
    end
  end

  private

  # One key; one more for each thing that stood still since then because others wanted the machine.
  def assert_one_key_to(screen, culprit)
    4.times do
      screen.keys("(")
      return if screen.shows_soon?(culprit, rows: TOP, seconds: Tmux::SOON / 2)
      assert screen.shows_soon?(/\[FROZEN/, rows: 1), "the key led nowhere at #{screen.size} in\n#{screen.text}"
    end
    flunk "no #{culprit} by ( at #{screen.size} in\n#{screen.text}"
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
end
