# The list of processes says how each is: the sick one of many stands on top, without a key.
require_relative "../support"
require_relative "../tmux"

class TestDoctor < Minitest::Test
  include E2E

  # Workers that wait for their clients, and one whose threads wait for one Mutex.
  CLUSTER = <<~RUBY.freeze
    class Shop
      def order = sleep(0.2)
    end

    class Stock
      LOCK = Mutex.new
      def count = LOCK.synchronize { sleep 0.1 }
    end

    def serve = 5.times.map { Thread.new { loop { RperfTop.label(endpoint: "GET /orders") { yield } } } }.each(&:join)
    sick = Integer(ARGV.last)
    workers = Array.new(Integer(ARGV.first)) do |number|
      fork do
        $0 = "shop worker " + number.to_s
        number == sick ? serve { Stock.new.count } : serve { Shop.new.order }
      end
    end
    at_exit { workers.each { |worker| Process.kill(:KILL, worker) } && Process.waitall }
    trap(:TERM) { exit }
    sleep
  RUBY

  # A folder, and the pid of the worker that is sick.
  def cluster(count, sick)
    Dir.mktmpdir("rperf-top-doctor") do |folder|
      env = { "RPERF_TOP_DIR" => "#{folder}/channels" }
      Dir.mkdir("#{folder}/channels", 0o700)
      File.write("#{folder}/cluster.rb", CLUSTER)
      pid = spawn({ "RUBYLIB" => BUILD, "RUBYOPT" => "-rrperf_top" }.merge(env), RbConfig.ruby, QUICK,
                  "#{folder}/cluster.rb", count.to_s, sick.to_s, out: File::NULL)
      begin
        worker = E2E.wait_until("#{count} workers") do
          rows = viewer("--list", env: env).out.lines.grep(/ shop worker /)
          rows.size == count && rows.find { |row| row.include?("shop worker #{sick}") }
        end
        yield env, worker[/\d+/]
      ensure
        Process.kill(:TERM, pid)
        Process.wait(pid)
      end
    end
  end

  def on_top(pid) = /^Processes.*\n *PID +CPU +GVL .*COMMAND +VERDICT.*\n> +#{pid} .*lock: \d wait/

  def screen(env, *arguments)
    skip "tmux is not installed" unless Tmux.there?
    tmux = Tmux.new(80, 24, [VIEWER, *arguments], env: env)
    yield tmux
  ensure
    tmux&.close
  end

  def test_one_of_sixteen
    cluster(16, 11) do |env, sick|
      screen(env) do |tmux|
        tmux.wait_for(on_top(sick))
        assert(tmux.text.lines.all? { |line| line.chomp.size <= 80 })
        tmux.keys("Enter")
        tmux.wait_for(/^ rperf-top  #{sick} shop worker 11 .*\n.*Stock#count/)
        tmux.keys("q")
        tmux.wait_for(on_top(sick))
      end
    end
  end

  # Those that are watched: the same list.
  def test_all_that_are_watched
    cluster(4, 2) do |env, sick|
      screen(env, "-p", "all") do |tmux|
        tmux.wait_for(on_top(sick))
        tmux.keys("Enter")
        tmux.wait_for(/^ rperf-top  #{sick} shop worker 2 .*\n.*Stock#count/)
        tmux.keys("q")
        tmux.wait_for(on_top(sick))
      end
      screen(env, "-p", "all", "--view", "tree") { |tmux| tmux.wait_for(/Stock#count/) && tmux.wait_gone(/VERDICT/) }
    end
  end
end
