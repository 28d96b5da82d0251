# Real programs from Ruby's own library, compared with a profiler that knows nothing of ours.
require_relative "support"
require "net/http"
require "socket"

class TestPrograms < Minitest::Test
  include E2E
  YJIT = defined?(RubyVM::YJIT) && RubyVM::YJIT.enabled?

  # Methods by their samples, as stackprof (mode :cpu, one thread) saw them: as leaves, or anywhere on the stack.
  def stackprof(script, samples)
    gem = gem_folder("stackprof") or skip "the gem stackprof is not here"
    Dir.mktmpdir do |dir|
      program = <<~RUBY
        require "stackprof"
        StackProf.run(mode: :cpu, interval: 1000, out: "#{dir}/out", raw: false) do
          begin
            load #{script.dump}
          rescue SystemExit
          end
        end
      RUBY
      extension = Dir["#{File.dirname(gem, 3)}/extensions/*/*/stackprof-*"].first
      system(RbConfig.ruby, "-I", gem, "-I", extension.to_s, "-e", program, out: File::NULL, err: File::NULL,
             exception: true)
      report = Marshal.load(File.binread("#{dir}/out"))
      report[:frames].values.map { |frame| [frame[:name], frame[samples]] }.sort_by { |_, samples| -samples }
    end
  end

  # The program, and CPU time by label: as a leaf, and anywhere on the stack.
  def rdoc_run(dir)
    files = Dir["#{RbConfig::CONFIG["rubylibdir"]}/{set,optparse,erb,csv,net,uri,json}/**/*.rb"].first(60)
    script = "#{dir}/rdoc_run.rb"
    File.write(script, <<~RUBY)
      require "rdoc"
      require "tmpdir"
      Dir.mktmpdir { |out| RDoc::RDoc.new.document(["-q", "-f", "ri", "-o", out + "/doc", *#{files.inspect}]) }
    RUBY
    out = "#{dir}/out.collapsed"
    result = viewer("-m", "cpu", "-o", out, "--", RbConfig.ruby, script)
    assert_predicate result.status, :success?, result.err
    leaf, anywhere = Hash.new(0), Hash.new(0)
    File.foreach(out, chomp: true) do |line|
      stack, weight = line.match(/\A(.*) (\d+)\z/).captures
      labels = stack.split(";")
      leaf[labels.last] += weight.to_i
      labels.uniq.each { |label| anywhere[label] += weight.to_i }
    end
    [script, leaf, anywhere]
  end

  def test_leaves_of_rdoc_over_the_standard_library
    # Compiled code pops the frame of a C method before anybody looks: its time is its caller's.
    skip "other leaves under YJIT" if YJIT
    Dir.mktmpdir do |dir|
      script, ours, = rdoc_run(dir)
      assert_operator ours.size, :>, 50
      reference = stackprof(script, :samples).reject { |name, _| name =~ /\A\((garbage|marking|sweeping)/ }
      ranked = ours.sort_by { |_, weight| -weight }.map(&:first)
      # The reference takes a few hundred samples over as many methods: its own order changes from run to run.
      ranks = reference.first(5).map do |name, samples|
        plain = name[/[^#.:]+\z/]
        ["#{name} (#{samples})", ranked.index { |label| label == name || label.end_with?(plain) }]
      end
      assert_operator ranks.count { |_, rank| rank && rank < 25 }, :>=, 3, ranks.inspect
    end
  end

  def test_callers_of_rdoc_over_the_standard_library
    Dir.mktmpdir do |dir|
      script, _, ours = rdoc_run(dir)
      reference = stackprof(script, :total_samples)
      whole = reference.assoc("RDoc::RDoc#document").last.to_f
      documents = ours.fetch("RDoc::RDoc#document").to_f
      compared = reference.select { |name, samples| name.start_with?("RDoc::") && samples > whole / 10 }.first(10)
      assert_operator compared.size, :>, 3
      compared.each do |name, samples|
        assert_in_delta samples / whole, ours[name] / documents, 0.2, name
      end
    end
  end

  WEB = <<~RUBY
    require "webrick"
    def burn(n) = n < 2 ? n : burn(n - 1) + burn(n - 2)
    work = defined?(RubyVM::YJIT) && RubyVM::YJIT.enabled? ? 29 : 24
    server = WEBrick::HTTPServer.new(Port: 0, BindAddress: "127.0.0.1", AccessLog: [], DoNotReverseLookup: true,
                                     Logger: WEBrick::Log.new(File::NULL))
    server.mount_proc("/") { |_, response| response.body = burn(work).to_s }
    File.write(ARGV[0], server.listeners[0].addr[1].to_s)
    server.start
  RUBY

  def with_webrick
    gem = gem_folder("webrick") or skip "the gem webrick is not here"
    Dir.mktmpdir do |dir|
      File.write("#{dir}/web.rb", WEB)
      running("-I", gem, "#{dir}/web.rb", "#{dir}/port") do |pid|
        wait_until("the port") { File.size?("#{dir}/port") }
        yield pid, Integer(File.read("#{dir}/port"))
      end
    end
  end

  def test_webrick_under_load
    with_webrick do |pid, port|
      served = 0
      stop = false
      clients = Array.new(4) do
        Thread.new do
          until stop
            Net::HTTP.get(URI("http://127.0.0.1:#{port}/"))
            served += 1
          end
        end
      end
      wait_until("served requests") { served > 10 }
      object = viewer("-b", "-J", "-n", "2", "-p", pid.to_s).objects.last
      computing = viewer("-b", "-J", "-n", "1", "-m", "cpu", "-p", pid.to_s).objects.last
      stop = true
      clients.each(&:join)
      assert_equal "Object#burn", computing["methods"].max_by { |row| row["self"] }["name"]
      assert_operator object["threads"].size, :>, 3
      assert(object["methods"].any? { |row| row["name"] =~ /\AWEBrick::HTTPServer#service\z/ && row["total"] > 0.3 },
             object["methods"].max_by(12) { |row| row["total"] }.map { |row| row.values_at("name", "total") }.inspect)
      assert(object["methods"].any? { |row| row["name"] =~ /IO\.select|IO#wait|Kernel#select|TCPServer#accept|Thread::SizedQueue/ && row["total"] > 0.5 },
             "somebody waits for connections")
    end
  end
end
