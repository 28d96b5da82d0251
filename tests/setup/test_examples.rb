# Every command in README.md and in the EXAMPLES of the man pages is run, and does what it says. A new one is run by itself;
# one that cannot be is named below with what follows it instead.
# Waits nearly all of the time
require_relative "../e2e/fleet/push"
require_relative "../e2e/terminal"
require "net/http"
require "socket"

class TestExamples < Minitest::Test
  include E2E

  APPLICATION = <<~'RUBY'
    $0 = ENV.fetch("TITLE", $0)
    def busy = 20_000.times { |i| i % 1000 == 0 ? i.to_s : i * i }
    def work = (busy; sleep 0.02) # or these examples would take most of the CPU time of all tests
    others = Array.new(2) { Thread.new { loop { work } } }
    finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + Float(ENV.fetch("RUNS", "3"))
    collecting = Thread.new { loop { GC.start; sleep 1 } } # what is alive is known then
    work while Process.clock_gettime(Process::CLOCK_MONOTONIC) < finish
    [*others, collecting].each(&:kill)
  RUBY

  # tests/setup/newcomer follows the first block of the README on machines made for it.
  ELSEWHERE = { /\Amake / => "tests/setup/newcomer", /\Agem "rperf-top"/ => "tests/e2e/test_gem.rb" }.freeze
  # Of these a process without the extension.
  BARE = /--inject/
  # In what they write or print: something that shows that they did it.
  SHOWS = { /\| jq/ => /\A\d+(\.\d+)?(e-\d+)?$/, /-b -J -n/ => /"methods"/, /-s blame/ => /\bbusy\b/, /-r night/ => /\bbusy\b/,
            /--stat/ => /running: holding the GVL/ }.freeze

  def self.readme
    File.read("#{ROOT}/README.md").scan(/^```sh\n(.*?)^```/m).flat_map { |(block)| block.lines.map { |line| line.sub(/ +#.*/, "").strip } }
  end

  def self.page(path)
    examples = File.read(path)[/^\.Sh EXAMPLES\n(.*?)^\.Sh/m, 1].to_s
    blocks = examples.scan(/^\.Bd -literal.*?\n(.*?)^\.Ed/m).flatten
    lines = blocks.map { |block| block.lines.map(&:strip) }.flat_map { |block| followed(block) }
    (examples.scan(/^\.Dl (.*)/).flatten + lines).map { |line| line.gsub("\\-", "-").gsub("\\e", "\\") }
  end

  # A line that reads what the one above it has written belongs to it.
  def self.followed(lines)
    lines.slice_when { |above, below| (above.split & below.split).grep(/\w\.\w/).empty? }.map { |run| run.join(" && ") }
  end

  def self.pages = Dir["#{ROOT}/man/rperf-top*.1"].flat_map { |path| page(path) } + %w[json push].flat_map { |name| page("#{ROOT}/man/rperf-top-#{name}.5") }

  def setup
    @folder = Dir.mktmpdir("rperf-top-examples.", File.writable?("/dev/shm") ? "/dev/shm" : nil)
    File.write("#{@folder}/app.rb", APPLICATION)
    Dir.mkdir("#{@folder}/bin")
    { "ruby" => RbConfig.ruby, "rperf-top" => VIEWER }.each { |name, path| File.symlink(path, "#{@folder}/bin/#{name}") }
    stand_in("ssh", "while [ \"$1\" != \"${1#-}\" ]; do case $1 in -o) shift ;; esac; shift; done\nshift\nexec sh -c \"exec $*\"")
    stand_in("flamegraph.pl", "grep -cvE '^.+ [0-9]+$' \"$1\" > /dev/null && exit 1; echo '<svg>'")
    @title = "shop-#{$$}-#{object_id}"
    @env = { "PATH" => "#{@folder}/bin:#{ENV["PATH"]}", "RPERF_TOP_DIR" => @folder, "RPERF_TOP_CONFIG" => "none",
             "TMPDIR" => @folder }
  end

  def teardown = FileUtils.rm_rf(@folder)

  def stand_in(name, body)
    File.write("#{@folder}/bin/#{name}", "#!/bin/sh\n#{body}\n", perm: 0o755)
  end

  # What a reader puts in: a process of their own, where it was installed, and less time.
  def put_in(command, pid)
    command.gsub(/(?<=-p )(PID|4711)\b/, pid.to_s).gsub(/(?<=-f |-p )puma\b/, @title)
           .gsub("RUBYOPT=-rrperf_top puma", "RUBYOPT=-rrperf_top ruby app.rb")
           .gsub("/usr/local/lib/rperf-top", BUILD).gsub(/-t [16]0\b/, "-t 1").gsub("--metrics 9464", "--metrics #{port}")
  end

  def port = @port ||= TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] }

  # Yields its pid; it works for as long as that takes, or for some seconds.
  def application(seconds, bare: false)
    env = @env.merge("TITLE" => @title, "RUNS" => seconds.to_s)
    env = env.merge("RUBYLIB" => BUILD, "RUBYOPT" => "-rrperf_top") unless bare
    pid = spawn(env, RbConfig.ruby, "app.rb", chdir: @folder)
    bare or wait_until("a channel of #{pid}") { Dir["#{@folder}/rperf-top.*.#{pid}.????????????????"].any? }
    yield pid
  ensure
    Process.kill(:KILL, pid)
    Process.wait(pid)
  end

  def with_screen?(command) = command.match?(/\A(ssh \w+ )?rperf-top\b/) && !command.match?(/ (-b|-o|--stat|--metrics)\b/)

  def on_screen(command)
    Terminal.open(env: @env, shell: "cd #{@folder} && #{"exec " unless command.include?("|")}#{command}") do |terminal|
      if command == "rperf-top"
        terminal.wait_for(@title[0, 9]) # the list cuts names
        terminal.type("\r")
        terminal.wait_for("SELF%")
        from = terminal.size
        terminal.type("q") # back to the list
        terminal.wait_for("Ruby processes, those in trouble first", from: from)
      end
      terminal.wait_for("Object#busy")
      terminal.type("q")
      assert terminal.ended&.success?, command
    end
  end

  def plainly(command)
    out, err, status = Open3.capture3(@env.merge("RUNS" => "1.5"), "timeout", "60", "sh", "-c", command, chdir: @folder, stdin_data: "")
    assert status.success?, "#{command}: #{status} #{err}"
    SHOWS.each { |which, wanted| assert_match(wanted, out + err, command) if command.match?(which) }
    command.scan(/(?:-o |> )(\S+)/) { |(name)| refute File.zero?("#{@folder}/#{name}"), command }
  end

  # Until somebody has read a page of it.
  def serving(command)
    pid = spawn(@env, *command.split, chdir: @folder, out: File::NULL, err: File::NULL)
    wait_until("metrics of a method") do
      Net::HTTP.get(URI("http://127.0.0.1:#{port}/metrics")).match?(/^rperf_top_.*Object#busy.* [0-9.e+]+$/)
    rescue SystemCallError
      false
    end
  ensure
    Process.kill(:TERM, pid)
    Process.wait(pid)
  end

  # Until profiles of a method have come, to a server in the place of the one that is named.
  def pushing(command)
    server = ProfileServer.new
    pid = spawn(@env.merge("RUNS" => "30"), *command.sub(/127\.0\.0\.1:\d+/, "127.0.0.1:#{server.port}").sub("--push", "--interval 0.5 --push").split, chdir: @folder, out: File::NULL, err: File::NULL)
    wait_until("a profile of a method") { server.profiles.any? { |profile| profile.sum("wall", within: "Object#busy").positive? } }
  ensure
    Process.kill(:TERM, pid)
    Process.wait(pid)
    server.close
  end

  # Endless ones end with the process.
  def try(command)
    application(command.match?(/-J -p|night/) ? 4 : 60, bare: command.match?(BARE)) do |pid|
      wanted = put_in(command, pid)
      next serving(wanted) if command.include?("--metrics")
      next pushing(wanted) if command.include?("--push")
      with_screen?(command) ? on_screen(wanted) : plainly(wanted)
    end
  end

  (readme + pages).uniq.each_with_index do |command, number|
    define_method(format("test_%02d_%s", number, command.gsub(/\W+/, "_")[0, 50])) do
      where = ELSEWHERE.find { |which, _| command.match?(which) }&.last
      next assert(File.read("#{ROOT}/#{where}").match?(/README|gem 'rperf-top', require: 'rperf_top'/), where) if where
      skip "there is no gdb here" if command.match?(BARE) && !system("command -v gdb > /dev/null")
      skip "there is no jq here" if command.include?("jq") && !system("command -v jq > /dev/null")
      try(command)
    end
  end

  # The other blocks of the manual: a settings file, and a middleware.
  def test_the_settings_are_taken
    File.write("#{@folder}/settings", self.class.page("#{ROOT}/man/rperf-top-settings.5").join("\n") + "\n")
    application(60) do |pid|
      Terminal.open("-p", pid.to_s, env: @env.merge("RPERF_TOP_CONFIG" => "#{@folder}/settings")) do |terminal|
        terminal.wait_for("CPU%v")
        terminal.type("q")
        assert terminal.ended&.success?
        refute_match(/settings/, terminal.text)
      end
    end
  end

  def in_ruby(which, before, after)
    blocks = File.read("#{ROOT}/man/rperf_top.3")[/^\.Sh EXAMPLES\n(.*?)^\.Sh/m, 1].scan(/^\.Bd -literal.*?\n(.*?)^\.Ed/m).flatten
    script = [before, blocks.find { |block| block.include?(which) }.gsub("\\e", "\\"), after].join("\n")
    out, err, status = Open3.capture3(@env.merge("RUBYLIB" => BUILD), RbConfig.ruby, "-rrperf_top", "-e", script, chdir: @folder)
    assert status.success?, err
    out
  end

  def test_a_profile_of_a_block
    work = "def import = (until_s = Process.clock_gettime(2) + 0.2; 1.to_s while Process.clock_gettime(2) < until_s)"
    assert_match(/^Integer#to_s [\d.]+ ms, waits [\d.]+$/, in_ruby("RperfTop.profile", work, ""))
    refute File.zero?("#{@folder}/import.json")
  end

  def test_the_middleware_labels
    out = in_ruby("class LabelRequests", "", <<~'RUBY')
      seen = nil
      application = LabelRequests.new(->(env) { seen = RperfTop.labels; [200, {}, []] })
      application.call("REQUEST_METHOD" => "GET", "PATH_INFO" => "/users/4711")
      print seen
    RUBY
    assert_match(%r{GET /users/:id}, out)
  end

  def test_there_are_commands
    assert_operator self.class.readme.size, :>=, 14
    assert_operator self.class.pages.size, :>=, 7
  end
end
