# Real programs from Ruby's own library, compared with a profiler that knows nothing of ours.
require_relative "support"
require "net/http"
require "socket"

class TestPrograms < Minitest::Test
  include E2E

  # Leaf methods by share, as stackprof (mode :wall, one thread) saw them.
  def stackprof(script, seconds)
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
      report[:frames].values.map { |frame| [frame[:name], frame[:samples]] }.sort_by { |_, samples| -samples }
    end
  end

  def test_rdoc_over_the_standard_library
    Dir.mktmpdir do |dir|
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
      ours = Hash.new(0)
      File.foreach(out, chomp: true) do |line|
        stack, weight = line.match(/\A(.*) (\d+)\z/).captures
        ours[stack.split(";").last] += weight.to_i
      end
      assert_operator ours.size, :>, 50
      reference = stackprof(script, 60).reject { |name, _| name =~ /\A\((garbage|marking|sweeping)/ }
      ranked = ours.sort_by { |_, weight| -weight }.map(&:first)
      reference.first(3).each do |name, samples|
        plain = name[/[^#.:]+\z/]
        rank = ranked.index { |label| label == name || label.end_with?(plain) }
        assert rank && rank < 25, "#{name} (#{samples} samples of the reference) is our number #{rank.inspect}"
      end
    end
  end

  WEB = <<~RUBY
    require "webrick"
    def burn(n) = n < 2 ? n : burn(n - 1) + burn(n - 2)
    server = WEBrick::HTTPServer.new(Port: 0, BindAddress: "127.0.0.1", AccessLog: [], DoNotReverseLookup: true,
                                     Logger: WEBrick::Log.new(File::NULL))
    server.mount_proc("/") { |_, response| response.body = burn(24).to_s }
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
      assert(object["methods"].any? { |row| row["name"] =~ /\AWEBrick::HTTPServer#service\z/ && row["total"] > 0.3 })
      assert(object["methods"].any? { |row| row["name"] =~ /IO\.select|IO#wait|Kernel#select|TCPServer#accept|Thread::SizedQueue/ && row["total"] > 0.5 },
             "somebody waits for connections")
    end
  end
end
