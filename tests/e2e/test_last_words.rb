# --save-on-death: what a process did before it was killed is kept, and nothing of one that ended by itself.
require_relative "support"

class TestLastWords < Minitest::Test
  include E2E

  PROGRAM = <<~'RUBY'.freeze
    class Vault
      def crunch = (1..2_000).sum { |i| i * i % 7 }
    end
    $0 = "vault </script><b>../../x"
    trap(:TERM) { exit }
    loop { Vault.new.crunch }
  RUBY

  # A program and a viewer that has seen it at work.
  def watching(*arguments, program: PROGRAM)
    Dir.mktmpdir("rperf-top-death") do |folder|
      env = { "RPERF_TOP_DIR" => "#{folder}/channels" }
      %w[channels deaths].each { |name| Dir.mkdir("#{folder}/#{name}", 0o700) }
      target = spawn({ "RUBYLIB" => BUILD, "RUBYOPT" => "-rrperf_top" }.merge(env), RbConfig.ruby, QUICK, "-e", program,
                     out: File::NULL, err: File::NULL)
      E2E.wait_until("a channel") { viewer("--list", env: env).out.include?("live") }
      E2E.wait_until("its work") { viewer("-b", "-n", "1", "-p", target.to_s, env: env).out.include?("Vault#crunch") }
      out = "#{folder}/out"
      command = arguments.empty? ? ["-b", "-p", target.to_s] : arguments
      watcher = spawn(env, VIEWER, *command, "--save-on-death", "#{folder}/deaths", %i[out err] => out)
      begin
        yield target, watcher, "#{folder}/deaths", out, env
      ensure
        [target, watcher].each { |pid| Process.kill(:KILL, pid) rescue nil }
        [target, watcher].each { |pid| Process.wait(pid) rescue nil }
      end
    end
  end

  def seen(out) = E2E.wait_until("a report") { File.exist?(out) && File.read(out).include?("Vault#crunch") }
  def page(folder) = File.read(Dir["#{folder}/*.html"].first)
  def title(page) = page[/"command":"((?:[^"\\]|\\.)*)"/, 1]

  def assert_saved(folder, pid, cause)
    names = Dir.children(folder).sort
    assert_equal 2, names.size, names.inspect
    names.zip(%w[html rpt]) { |name, ending| assert_match(/\Adeath-#{pid}-\d{8}-\d{6}-#{cause}\.#{ending}\z/, name) }
    names.each { |name| assert_equal 0o100600, File.lstat("#{folder}/#{name}").mode }
  end

  # The parent of the process, which is the test, does not ask for it: so how it died can be known.
  { KILL: 9, ABRT: 6 }.each do |signal, number|
    define_method("test_#{signal}") do
      watching do |target, watcher, folder, out|
        seen(out)
        Process.kill(signal, target)
        Process.wait(watcher)
        assert_saved(folder, target, "signal")
        assert_match(/\A#{target} vault .*: killed by signal #{number}; before that: .*Vault#crunch/, title(page(folder)))
        refute_includes page(folder), "</script><b>"
        told = viewer("-b", "-J", "-F", "all", "-r", Dir["#{folder}/*.rpt"].first).objects.last
        assert(told["methods"].any? { |row| row["name"] == "Vault#crunch" && row["total"].positive? })
        assert_match(/killed by signal #{number}; before that: .*: saved .*\.html/, File.read(out))
      end
    end
  end

  def test_nothing_of_one_that_ends_by_itself
    watching do |target, watcher, folder, out|
      seen(out)
      Process.kill(:TERM, target)
      Process.wait(watcher)
      assert_empty Dir.children(folder)
    end
  end

  # Names that somebody else has taken are left alone, as are files that they lead to. A name has the second of the last
  # window, which may be older than the kill.
  def test_nothing_is_replaced
    watching do |target, watcher, folder, out|
      seen(out)
      File.write("#{folder}/victim", "precious")
      (-60..600).each do |seconds|
        stamp = (Time.now + seconds).strftime("%Y%m%d-%H%M%S")
        %w[html rpt].each { |ending| File.symlink("#{folder}/victim", "#{folder}/death-#{target}-#{stamp}-signal.#{ending}") rescue nil }
      end
      Process.kill(:KILL, target)
      Process.wait(watcher)
      assert_equal "precious", File.read("#{folder}/victim")
      files = Dir["#{folder}/*"].reject { |path| File.symlink?(path) || path.end_with?("victim") }
      assert_equal %w[html rpt], files.map { |path| path[/-signal-2\.(\w+)\z/, 1] }.sort
    end
  end

  # An agent for metrics goes on when one of a family dies.
  def test_metrics_of_a_family
    master = "def work = Vault.new.crunch while true\n#{PROGRAM.sub(/^loop.*/, "")}\n3.times { fork { $0 = 'worker'; loop { Vault.new.crunch } } }\nsleep"
    Dir.mktmpdir("rperf-top-agent") do |pages|
      watching("--metrics", "#{pages}/a.prom", "--delay", "1", "-p", "all", program: master.lines.drop(1).join) do |_, watcher, folder, _, env|
        workers = E2E.wait_until("workers") do
          rows = viewer("--list", env: env).out.lines.grep(/ worker$/)
          rows.map(&:to_i) if rows.size == 3
        end
        E2E.wait_until("a page") { File.exist?("#{pages}/a.prom") && workers.all? { |pid| File.read("#{pages}/a.prom").include?("\"#{pid}\"") } }
        Process.kill(:KILL, workers[1])
        E2E.wait_until("last words") { Dir.children(folder).count { |name| name.match?(/\Adeath-/) } == 2 && Dir.children(folder).size == 2 }
        assert_saved(folder, workers[1], "(signal|vanished)")
        assert_match(/\A#{workers[1]} worker: .*; before that: /, title(page(folder)))
        assert_nil Process.wait(watcher, Process::WNOHANG)
        workers.each { |pid| Process.kill(:KILL, pid) rescue nil }
      end
    end
  end
end
