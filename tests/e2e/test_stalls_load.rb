# A load that begins on a server is no stall: what it does per request takes the time that it takes. Many queries for
# one request are. What a machine adds that has no core for it, stops and waits for the GVL, is left out.
# Waits nearly all of the time
require_relative "shop"
require "socket"

class TestStallsLoad < Minitest::Test
  include E2E

  SECONDS = Float(ENV.fetch("LOAD_SECONDS", "2"))

  # The words of all stalls that a viewer finds meanwhile, and how many seconds of the shop it has told of.
  class Viewer
    def initialize(shop)
      @found = "#{shop.folder}/found"
      @reader = IO.popen([shop.env.slice("RPERF_TOP_DIR").merge("TMPDIR" => shop.folder), E2E::VIEWER, "-b", "-J", "-d", "0.2",
                          "--stall-stopped", "off", "--stall-waiting", "off", "--on-stall", "echo $RPERF_TOP_STALL_WORDS >> #{@found}", "-p", shop.pid.to_s])
      @seconds = 0
      @thread = Thread.new { @reader.each_line { |line| @seconds += 0.2 if JSON.parse(line) } }
    end

    def found = File.exist?(@found) ? File.read(@found) : ""

    # Until it has told of so many more.
    def watch(seconds)
      from = @seconds
      E2E.wait_until("#{seconds} s more") { @seconds - from >= seconds }
    end

    def stop
      Process.kill(:TERM, @reader.pid)
      @thread.join
      @reader.close
    end
  end

  def watched
    skip "the gem puma is not here" unless ShopServer.gems
    shop = ShopServer.new
    viewer = Viewer.new(shop)
    viewer.watch(2.4)
    yield shop, viewer
  ensure
    viewer&.stop
    shop&.stop
  end

  # Each request has one query, of 5 or 60 ms, for which more clients than threads wait all the time.
  def test_a_load_that_begins
    watched do |shop, viewer|
      ["0.005", "0.06"].each do |seconds|
        shop.asking(*["/order?#{seconds}"] * 8) { viewer.watch(SECONDS) }
        assert_equal "", viewer.found, "one query of #{seconds} s"
        viewer.watch(1.2)
      end
      shop.asking("/orders", "/orders", "/orders") do
        wait_until("a stall") { viewer.found.match?(/^many short waits .* in .*LineItem\.for_order/) }
      end
    end
  end
end
