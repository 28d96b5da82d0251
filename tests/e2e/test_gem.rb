# The gem as its users get it: built, installed into an empty GEM_HOME, by Bundler from git, with and without what the
# viewer needs.
require_relative "support"
require "rubygems/package"

class TestGem < Minitest::Test
  include E2E

  RUBY = RbConfig.ruby
  GEM = ["#{E2E::ROOT}/.setup/gem", RUBY].freeze
  TOOLS = File.dirname(RUBY)
  QUICK = { "CFLAGS" => "-O0 -g0", "MAKEFLAGS" => "-j2" }.freeze   # to compile
  RUNNING = "exit(RperfTop.running? ? 0 : 3)"
  # It is installed three times: what the compiler made of a file once serves the other two.
  COMPILER = File.basename(RbConfig::CONFIG["CC"].split.first)

  def self.built
    @built ||= begin
      path = "#{E2E.logs}/rperf-top.gem"
      out, status = Open3.capture2e(*GEM, "build", "ext/rperf-top.gemspec", "-o", path, chdir: E2E::ROOT)
      raise out unless status.success?
      path
    end
  end

  # Compiled quickly; `env` decides what is found.
  def self.installed(name, env = {})
    home = "#{E2E.logs}/#{name}"
    FileUtils.mkdir_p(home)
    out, status = Open3.capture2e(environment(home).merge(**QUICK).merge(env), *GEM, "install", "--local", "--no-document", built)
    logs = Dir["#{home}/extensions/**/{mkmf.log,gem_make.out}"].map { |log| File.read(log) }.join
    raise "#{out}#{logs}" unless status.success? && Dir["#{home}/extensions/**/rperf-top.missing"].none? { |file| File.read(file).include?("compile") }
    home
  end

  def self.compilers
    @compilers ||= "#{E2E.logs}/compilers".tap do |folder|
      FileUtils.mkdir_p("#{folder}/made")
      File.symlink("#{E2E::PROGRAMS}/remembering_compiler", "#{folder}/#{COMPILER}")
    end
  end

  def self.without_viewer = @without_viewer ||= installed("slim", "PKG_CONFIG" => "false", "PKG_CONFIG_PATH" => nil)
  def self.whole = @whole ||= installed("whole")

  def self.environment(home)
    { "GEM_HOME" => home, "GEM_PATH" => home, "PATH" => "#{compilers}:#{home}/bin:#{TOOLS}:#{ENV["PATH"]}",
      "REMEMBERED" => "#{compilers}/made", "RUBYLIB" => nil, "RUBYOPT" => nil, "BUNDLE_APP_CONFIG" => "#{home}/bundle",
      "BUNDLE_PATH" => nil, "TMPDIR" => E2E.logs }
  end

  def run_in(home, *command, env: {}, chdir: E2E.logs)
    Open3.capture3(self.class.environment(home).merge(env), *command, chdir: chdir, stdin_data: "")
  end

  def assert_runs(home, *command, **options)
    out, err, status = run_in(home, *command, **options)
    assert status.success?, "#{command.join(" ")}: #{status}\n#{out}#{err}"
    out
  end

  # An application with this Gemfile.
  def application(name, gemfile)
    folder = "#{E2E.logs}/#{name}"
    FileUtils.mkdir_p(folder)
    File.write("#{folder}/Gemfile", "source '#{Gem.sources.to_a.first}'\n#{gemfile}\n")
    folder
  end

  def test_what_is_in_it
    spec = Gem::Package.new(self.class.built).spec
    assert_equal File.read("#{ROOT}/shm/base/version.h")[/"(.+)"/, 1], spec.version.to_s
    wanted = Dir["#{ROOT}/{ext,shm,tui}/**/*.{c,h,rb,def,proto,map,in,html}"].map { |path| path.delete_prefix("#{ROOT}/") }
    assert_empty wanted - spec.files
    assert_empty spec.files.grep(%r{\A(tests|build|\.)|\.(o|so|log)\z})
  end

  # The pages come with the gem; without a program that shows them it says where they are.
  def test_the_manual
    Dir.mktmpdir(nil, E2E.logs) do |folder|
      run = lambda { |*words| Open3.capture3({ "PATH" => folder }, RUBY, "#{ROOT}/ext/exe/rperf-top", "--man", *words) }
      assert_match(/neither man nor mandoc here; the page is .*rperf-top\.1$/, run.call[1])
      File.write("#{folder}/mandoc", "#!/bin/sh\necho mandoc \"$@\"\n", perm: 0o755)
      assert_match(%r{\Amandoc .*/man/rperf_top\.3\n\z}, run.call("rperf_top")[0])
      File.write("#{folder}/man", "#!/bin/sh\necho man \"$@\"\n", perm: 0o755)
      { [] => "rperf-top.1", ["json"] => "rperf-top-json.5", ["rperf-top-push.5"] => "rperf-top-push.5" }.each do |words, page|
        out, _, status = run.call(*words)
        assert status.success?
        assert_match(%r{\Aman -l .*/man/#{Regexp.escape(page)}\n\z}, out)
      end
      assert_match(/no page "x".*librperf_top, rperf-top, /, run.call("x")[1])
    end
    assert_includes Gem::Package.new(self.class.built).spec.files, "man/rperf-top.1"
  end

  # What is known of the place that it was cloned from; nothing is made up where that is no page.
  def test_where_it_says_it_is_from
    skip "git is not installed" unless system("git", "--version", out: File::NULL)
    { "git@forge.example:owner/rperf-top.git" => "https://forge.example/owner/rperf-top", "https://forge.example/o/r" => "https://forge.example/o/r",
      "/srv/git/rperf-top.git" => nil, nil => nil }.each do |origin, home|
      Dir.mktmpdir(nil, E2E.logs) do |folder|
        FileUtils.mkdir_p(%w[ext shm/base].map { |name| "#{folder}/#{name}" })
        FileUtils.cp("#{ROOT}/ext/rperf-top.gemspec", "#{folder}/ext")
        FileUtils.cp("#{ROOT}/shm/base/version.h", "#{folder}/shm/base")
        assert system("git", "-C", folder, "init", "-q", err: File::NULL)
        assert system("git", "-C", folder, "remote", "add", "origin", origin) if origin
        spec = Gem::Specification.load("#{folder}/ext/rperf-top.gemspec")
        assert_equal [home, home && "#{home}/issues"], [spec.homepage, spec.metadata["bug_tracker_uri"]]
      end
    end
  end

  def test_without_what_the_viewer_needs
    home = self.class.without_viewer
    assert_runs(home, RUBY, "-rrperf_top", "-e", RUNNING)
    assert_runs(home, RUBY, "-e", RUNNING, env: { "RUBYOPT" => "-rrperf_top" })
    assert_runs(home, RUBY, "-e", "require 'rperf-top'; require 'rperf_top/rack'; RperfTop::RackMiddleware.new(nil); #{RUNNING}")
    _, err, status = run_in(home, "rperf-top", "--version")
    assert_equal 1, status.exitstatus
    assert_match(/\Arperf-top: the viewer was not built.*libncurses-dev.*gem pristine rperf-top/, err)
  end

  def test_with_the_viewer
    home = self.class.whole
    assert_match(/\Arperf-top \d/, assert_runs(home, "rperf-top", "--version"))
    out = assert_runs(home, "rperf-top", "-b", "-J", "-n", "1", "--", RUBY, "#{PROGRAMS}/fib.rb")
    assert_operator JSON.parse(out.lines.first)["methods"].size, :>, 0
  end

  # Other programs find the library beside the extension; without it they are told what to do.
  def test_with_the_reader
    fiddle = for_fiddle or skip "the gem fiddle is not here"
    code = "require 'rperf_top/reader'; puts RperfTop::Reader.version, RperfTop::Reader.processes.class"
    version = File.read("#{ROOT}/shm/base/version.h")[/"(.+)"/, 1]
    assert_equal [version, "Array"], assert_runs(self.class.whole, RUBY, *fiddle, "-e", "gem 'rperf-top'; #{code}").split
    _, err, status = run_in(self.class.without_viewer, RUBY, *fiddle, "-e", "gem 'rperf-top'; #{code}")
    refute status.success?
    assert_match(/librperf_top\.so\.0 is not there/, err)
  end

  def test_under_bundler
    folder = application("bundled", "gem 'rperf-top', require: 'rperf_top'")
    home = self.class.whole
    assert_runs(home, "bundle", "install", "--local", chdir: folder)
    assert_runs(home, "bundle", "exec", "ruby", "-e", "Bundler.require; #{RUNNING}", chdir: folder)
    assert_runs(home, "bundle", "exec", "ruby", "-e", RUNNING, chdir: folder, env: { "RUBYOPT" => "-rrperf_top" })
    out = assert_runs(home, "bundle", "exec", "rperf-top", "-b", "-J", "-n", "1", "--", "ruby", "#{PROGRAMS}/fib.rb", chdir: folder)
    assert_match(/"methods"/, out)
  end

  # An application that knows nothing of the gem is watched all the same.
  def test_beside_a_bundle
    folder = application("strange", "")
    out = assert_runs(self.class.whole, "rperf-top", "-b", "-J", "-n", "1", "--", "bundle", "exec", "ruby", "#{PROGRAMS}/fib.rb",
                      chdir: folder)
    assert_match(/"methods"/, out)
  end

  def test_from_git
    skip "git is not installed" unless system("git", "--version", out: File::NULL)
    source = "#{E2E.logs}/source"
    Gem::Package.new(self.class.built).extract_files(source)
    [%w[init -q], %w[add -A], %w[-c user.name=x -c user.email=x@localhost commit -q -m tree]].each do |command|
      assert system("git", "-C", source, *command)
    end
    folder = application("from_git", "gem 'rperf-top', git: 'file://#{source}', require: 'rperf_top'")
    home = "#{E2E.logs}/git_home"
    FileUtils.mkdir_p(home)
    env = { **QUICK, "PKG_CONFIG" => "false" }
    assert_runs(home, "bundle", "install", chdir: folder, env: env)
    assert_runs(home, "bundle", "exec", "ruby", "-e", "Bundler.require; #{RUNNING}", chdir: folder)
    _, err, = run_in(home, "bundle", "exec", "rperf-top", "--version", chdir: folder)
    assert_match(/the viewer was not built/, err)
  end

  # Bundler installs a gem of a path as it stands there.
  def test_from_a_path
    source = "#{E2E.logs}/path"
    Gem::Package.new(self.class.built).extract_files(source)
    folder = application("from_a_path", "gem 'rperf-top', path: '#{source}', require: 'rperf_top'")
    home = "#{E2E.logs}/path_home"
    FileUtils.mkdir_p(home)
    assert_runs(home, "bundle", "install", "--local", chdir: folder)
    _, err, status = run_in(home, "bundle", "exec", "rperf-top", "--version", chdir: folder)
    assert_equal 1, status.exitstatus
    assert_match(%r{Bundler compiles no gem of a path: write git: "file://#{File.realpath(source)}", or install the gem$}, err)
  end

  # Only Rails requires all gems of a Gemfile: a server that reads a config.ru is watched when its settings ask for it.
  def test_under_puma
    frameworks = "#{`#{ROOT}/.setup/gems -p #{RUBY}`.lines.first.to_s.chomp}/frameworks"
    skip "the gem puma cannot be had" if Dir["#{frameworks}/gems/puma-[0-9]*"].empty?
    home = self.class.without_viewer
    { "" => "nil", "require 'rperf_top'" => "true" }.each do |line, wanted|
      folder = application("puma_#{wanted}", "gem 'puma'\ngem 'rperf-top'")
      FileUtils.mkdir_p("#{folder}/config")
      File.write("#{folder}/config/puma.rb", "#{line}\nbind 'unix://#{folder}/socket'\n")
      File.write("#{folder}/config.ru", "File.write('said', (defined?(RperfTop) && RperfTop.running?).inspect)\nexit!(0)\n")
      env = { "GEM_PATH" => "#{home}:#{frameworks}", "PATH" => "#{frameworks}/bin:#{TOOLS}:#{ENV["PATH"]}", "BUNDLE_GEMFILE" => "#{folder}/Gemfile" }
      assert_runs(home, "bundle", "exec", "puma", env: env, chdir: folder)
      assert_equal wanted, File.read("#{folder}/said")
    end
  end

  # A program that bootsnap loads, the first time and then from its cache: names, paths and lines are those of the files.
  def test_under_bootsnap
    frameworks = "#{`#{ROOT}/.setup/gems -p #{RUBY}`.lines.first.to_s.chomp}/frameworks"
    skip "the gem bootsnap cannot be had" if Dir["#{frameworks}/gems/bootsnap-[0-9]*"].empty?
    home = self.class.without_viewer
    folder = "#{E2E.logs}/bootsnap"
    FileUtils.mkdir_p("#{folder}/lib")
    File.write("#{folder}/lib/cached_work.rb", "\n\nmodule CachedWork\n  def self.busy(until_s) = (nil until Process.clock_gettime(1) > until_s)\nend\n")
    program = "require 'bootsnap'; Bootsnap.setup(cache_dir: 'cache', development_mode: false, load_path_cache: true, " \
              "compile_cache_iseq: true, compile_cache_yaml: false); $LOAD_PATH.unshift File.expand_path('lib'); " \
              "require 'rperf_top'; #{RUNNING} unless RperfTop.running?; require 'cached_work'; " \
              "CachedWork.busy(Process.clock_gettime(1) + 0.5); puts Process.pid"
    env = { "GEM_PATH" => "#{home}:#{frameworks}", "RPERF_TOP_DIR" => folder, "RPERF_TOP_KEEP" => "1" }
    2.times do |time|
      pid = assert_runs(home, RUBY, "-e", program, env: env, chdir: folder).to_i
      refute_empty Dir["#{folder}/cache/bootsnap/compile-cache-iseq/**/*"] if time == 1
      object = viewer("-J", "-n", "1", "-F", "all", "-p", pid.to_s, env: { "RPERF_TOP_DIR" => folder }).objects.last
      row = method_named(object, "CachedWork.busy")
      assert row, object["methods"].map { |method| method["name"] }.inspect
      assert_operator row["total"], :>, 0.3
      assert_equal ["#{folder}/lib/cached_work.rb", 4], row.values_at("path", "line")
    end
  end

  # Spring keeps an application loaded and forks it for each command: each is watched, the server's tree too.
  def test_under_spring
    frameworks = "#{`#{ROOT}/.setup/gems -p #{RUBY}`.lines.first.to_s.chomp}/frameworks"
    skip "the gem spring cannot be had" if Dir["#{frameworks}/gems/{spring,railties}-[0-9]*"].size < 2
    home = self.class.without_viewer
    folder = application("spring", "gem 'railties'\ngem 'spring'\ngem 'rperf-top', require: 'rperf_top'")
    %w[bin config/environments channels].each { |name| FileUtils.mkdir_p("#{folder}/#{name}") }
    File.write("#{folder}/config/application.rb", "require 'rails'\nBundler.require\nclass Small < Rails::Application\n  config.logger = Logger.new(nil)\nend\n")
    File.write("#{folder}/config/environment.rb", "require_relative 'application'\nSmall.initialize!\n")
    File.write("#{folder}/bin/rails", "APP_PATH = File.expand_path('../config/application', __dir__)\nrequire 'bundler/setup'\nrequire 'rails/commands'\n")
    File.write("#{folder}/config/environments/development.rb", "")
    env = { "GEM_PATH" => "#{home}:#{frameworks}", "PATH" => "#{frameworks}/bin:#{TOOLS}:#{ENV["PATH"]}", "RPERF_TOP_DIR" => "#{folder}/channels",
            "RPERF_TOP_KEEP" => "1", "SPRING_TMP_PATH" => "#{folder}/tmp", "BUNDLE_GEMFILE" => "#{folder}/Gemfile" }
    assert_runs(home, "bundle", "install", "--local", env: env, chdir: folder)
    program = "def busy(until_s) = (nil until Process.clock_gettime(1) > until_s); busy(Process.clock_gettime(1) + 0.5); " \
              "puts [Process.pid, Process.ppid].join(' ') if RperfTop.running?"
    2.times do
      out = assert_runs(home, "bundle", "exec", "spring", "rails", "runner", program, env: env, chdir: folder)
      assert_match(/^\d+ \d+$/, out)
      pid, parent = out[/^\d+ \d+$/].split
      object = viewer("-J", "-n", "1", "-F", "all", "-p", pid, env: { "RPERF_TOP_DIR" => "#{folder}/channels" }).objects.last
      assert_operator method_named(object, "Object#busy")["total"], :>, 0.3
      above = viewer("-J", "-n", "1", "-F", "all", "-p", parent, env: { "RPERF_TOP_DIR" => "#{folder}/channels" }).objects.last
      assert_match(/spring app/, above["command"])
    end
  ensure
    run_in(home, "bundle", "exec", "spring", "stop", env: env, chdir: folder) if env
  end
end
