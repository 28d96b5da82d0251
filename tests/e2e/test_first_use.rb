# What somebody meets first: the variables of --env, a list without a process, a `ruby` that is not in PATH.
# Waits nearly all of the time
require_relative "support"
require "shellwords"

class TestFirstUse < Minitest::Test
  include E2E

  LOADED = "print RperfTop.running?"
  # Characters that mean something to a shell, to Docker or to systemd.
  ODD = %q(a b$HOME "c"\d`e`%n'f')

  def setup
    @folder = Dir.mktmpdir("rperf-top-first.", File.writable?("/dev/shm") ? "/dev/shm" : nil)
    @env = { "RPERF_TOP_DIR" => @folder, "TMPDIR" => @folder, "RUBYLIB" => nil, "RUBYOPT" => nil }
  end

  def teardown = FileUtils.rm_rf(@folder)

  # Runs a script of sh in which `rperf-top` and `ruby` are those that are tested.
  def sh(script, env = {})
    FileUtils.mkdir_p("#{@folder}/bin")
    { "rperf-top" => VIEWER, "ruby" => RbConfig.ruby }.each { |name, path| FileUtils.ln_sf(path, "#{@folder}/bin/#{name}") }
    path = { "PATH" => "#{@folder}/bin:#{ENV["PATH"]}" }
    out, err, status = Open3.capture3(@env.merge(path, env), "sh", "-c", script, stdin_data: "")
    assert status.success?, "#{script}: #{status} #{err}"
    out
  end

  def odd_place
    "#{@folder}/#{ODD}".tap do |place|
      FileUtils.mkdir_p("#{place}/rperf_top")
      FileUtils.cp(%w[rb so].map { |ending| "#{BUILD}/rperf_top.#{ending}" }, place)
    end
  end

  def env_for(kind, place = odd_place) = viewer("--env=#{kind}", env: @env.merge("RPERF_TOP_LIB" => place)).out

  def test_of_a_shell
    assert_equal "true", sh(%(eval "$(rperf-top --env)"; ruby #{QUICK} -e '#{LOADED}'))
    assert_equal "true", sh(%(eval "$(rperf-top --env)"; ruby #{QUICK} -e '#{LOADED}'), "RPERF_TOP_LIB" => odd_place)
    both = sh(%(eval "$(rperf-top --env)"; echo "$RUBYLIB|$RUBYOPT"), "RUBYLIB" => "/mine", "RUBYOPT" => "-W0")
    assert_equal "/mine:#{File.realpath(BUILD)}|-W0 -rrperf_top\n", both
    assert_equal sh("rperf-top --env"), sh("rperf-top --env=shell")
  end

  def test_of_a_procfile
    assert_equal "true", sh("#{env_for("procfile").chomp} #{RbConfig.ruby} #{QUICK} -e '#{LOADED}'")
  end

  # Docker takes \ away before these characters, systemd too, and %% for %.
  def test_of_a_dockerfile_and_a_unit
    place = odd_place
    wanted = [place, "-rrperf_top"]
    values = /\AENV RUBYLIB="(.*)" RUBYOPT="(.*)"\n\z/.match(env_for("docker", place)).captures
    assert_equal wanted, (values.map { |text| text.gsub(/\\(["\\$])/, '\1') })
    refute_match(/(?<!\\)(\\\\)*[$"]/, values.first)
    values = /\AEnvironment="RUBYLIB=(.*)" "RUBYOPT=(.*)"\n\z/.match(env_for("systemd", place)).captures
    assert_equal wanted, (values.map { |text| text.gsub("%%", "%").gsub(/\\(["\\])/, '\1') })
  end

  def test_what_cannot_be
    result = viewer("--env=fish")
    assert_equal [2, ""], [result.status.exitstatus, result.out]
    assert_match(/shell, docker, systemd or procfile, not 'fish'/, result.err)
    FileUtils.mkdir_p("#{@folder}/bin")
    FileUtils.cp(VIEWER, "#{@folder}/bin")
    out, err, status = Open3.capture3(@env.merge("RPERF_TOP_LIB" => nil), "#{@folder}/bin/rperf-top", "--env")
    assert_equal [1, ""], [status.exitstatus, out]
    assert_match(/RPERF_TOP_LIB may name its folder/, err)
    FileUtils.mkdir_p("#{@folder}/a:b")
    FileUtils.cp("#{BUILD}/rperf_top.rb", "#{@folder}/a:b")
    assert_equal 1, viewer("--env", env: @env.merge("RPERF_TOP_LIB" => "#{@folder}/a:b")).status.exitstatus
  end

  # Yields its pid once it runs Ruby.
  def bare(env)
    Open3.popen2(@env.merge(env), RbConfig.ruby, QUICK, "-e", "puts 1; $stdout.flush; $stdin.read", "bare-process") do |input, output, thread|
      output.gets
      yield thread.pid
      input.close
    end
  end

  # Only those that it could be loaded into are offered; of very many not all by name.
  def test_an_empty_list_offers_to_load_the_extension
    bare({}) do |pid|
      bare("RUBYLIB" => BUILD, "RUBYOPT" => "-rrperf_top", "RPERF_TOP" => "0") do |loaded|
        text = viewer("--list", env: @env).out
        assert_match(/\Ano Ruby process has a channel: .* rperf-top -- ruby app.rb\n/, text)
        assert_match(/^  rperf-top --inject -p #{pid} .*bare-process$|^  and \d+ more$/, text)
        refute_match(/ -p #{loaded} /, text)
      end
    end
  end

  # What `bundle exec` starts may be another program in the same process: that gives the name, live and in recordings.
  def test_the_title_follows_the_process
    env = @env.merge("RPERF_TOP_LIB" => BUILD)
    second = "$0 = 'second-title'; 1.to_s until File.exist?('#{@folder}/stop')"
    first = ["--", RbConfig.ruby, QUICK, "-e", "t = Process.clock_gettime(1); 1.to_s while Process.clock_gettime(1) - t < 2; exec(#{RbConfig.ruby.inspect}, '#{QUICK}', '-e', #{second.inspect})"]
    IO.popen([env, VIEWER, "-b", "-J", "-d", "0.2", *first], err: File::NULL) do |output|
      names = []
      wait_until("the second name among #{names}", every: 0) { (names << JSON.parse(output.gets)["command"]).last == "second-title" }
      Process.kill(:TERM, output.pid)
    end
    pid = spawn(env, VIEWER, "-o", "#{@folder}/a.rpt", *first, out: File::NULL, err: File::NULL)
    wait_until("the second name in a recording", every: 0.3) do
      shown = File.exist?("#{@folder}/a.rpt") ? viewer("-b", "-J", "-n", "1", "-F", "all", "-r", "#{@folder}/a.rpt").out : ""
      shown.lines.any? { |line| JSON.parse(line)["command"] == "second-title" }
    end
    File.write("#{@folder}/stop", "")
    assert Process.wait2(pid).last.success?
  end

  # The only Ruby that will do is the one that was built for this, and it is not in PATH; nor is what comes with it.
  def test_a_ruby_that_is_not_in_path
    FileUtils.mkdir_p("#{@folder}/tools")
    %w[sh env sleep].each { |name| File.symlink(`sh -c 'command -v #{name}'`.chomp, "#{@folder}/tools/#{name}") }
    env = @env.merge("PATH" => "#{@folder}/tools", "RPERF_TOP_LIB" => BUILD)
    program = "t = Process.clock_gettime(1); nil while Process.clock_gettime(1) - t < 20"
    result = viewer("-b", "-J", "-n", "1", "--", "ruby", QUICK, "-e", program, env: env)
    assert result.status.success?, result.err
    assert_match(/'ruby' is not in PATH: the one in #{Regexp.escape(File.dirname(RbConfig.ruby))} is started/, result.err)
    assert_operator result.objects.first["methods"].size, :>, 0
    below = viewer("--stat", "-J", "--", "sh", "-c", "exec ruby -e 1", env: env)
    assert_equal 127, below.status.exitstatus # what the shell looks for itself
  end

  # What libfaketime does: the clock is ten days ahead of what the kernel waits for.
  FAKE_CLOCK = <<~C
    #define _GNU_SOURCE
    #include <sys/syscall.h>
    #include <time.h>
    #include <unistd.h>
    int clock_gettime(clockid_t id, struct timespec *to)
    {
      int failed = (int)syscall(SYS_clock_gettime, id, to);
      if (!failed && id == CLOCK_MONOTONIC) to->tv_sec += 864000;
      return failed;
    }
  C

  # There is a channel and a process that lives, and nothing comes: it is told why.
  def test_a_process_under_faketime
    File.write("#{@folder}/fake.c", FAKE_CLOCK)
    compiler = (ENV["CC"].to_s.empty? ? "cc" : ENV["CC"]).split
    fake = "#{@folder}/libfaketime.so.1"
    assert system(*compiler, "-shared", "-fPIC", "-o", fake, "#{@folder}/fake.c")
    running("-e", "sleep", env: { "LD_PRELOAD" => fake }) do |pid|
      result = viewer("-b", "-n", "1", "-p", pid.to_s)
      assert_match(/^rperf-top: #{pid} has loaded libfaketime, which fakes the clock .* FAKETIME_DONT_FAKE_MONOTONIC=1$/, result.err)
      refute_predicate result.status, :success?
    end
  end
end
