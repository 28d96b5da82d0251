# Real programs from Ruby's own library, compared with a profiler that knows nothing of ours.
# Runs alone: two profilers look at a program at the same time, each on a core of its own.
require_relative "support"
require_relative "../chance"
require "net/http"
require "socket"

class TestPrograms < Minitest::Test
  include E2E
  include Chance
  YJIT = defined?(RubyVM::YJIT) && RubyVM::YJIT.enabled?

  # rdoc over the standard library, four seconds of CPU long for a thousand samples of the reference (at the kernel's
  # 250 Hz), after once to load all that it needs. Of compiled code only what calls much is compared: a third will do. The
  # GC works between: the reference knows no method for its work.
  RDOC = <<~'RUBY'
    require "rdoc"
    FILES = Dir["#{RbConfig::CONFIG["rubylibdir"]}/{set,optparse,erb,csv,net,uri,json}/**/*.rb"].first(60)
    def document = RDoc::RDoc.new.document(["-q", "--dry-run", "-f", "ri", *FILES])
    def measured = respond_to?(:measure, true) ? measure { document } : document
    def cpu = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
    document
    used = 0
    long = defined?(RubyVM::YJIT) && RubyVM::YJIT.enabled? ? 1.4 : 4
    while used < long
      GC.start
      GC.disable
      used -= cpu
      measured
      used += cpu
      GC.enable
    end
  RUBY
  # What share of the work the lexer takes, by the program's own clock.
  LEXER = "RDoc::Parser::RipperStateLex.parse"
  TRUTH = <<~'RUBY'
    $lexing = $lexed = $measured = 0
    def cpu_of_thread = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
    module Lexing
      def parse(...)
        $lexing -= cpu_of_thread
        super
      ensure
        $lexing += cpu_of_thread
      end
    end
    require "rdoc"
    RDoc::Parser::RipperStateLex.singleton_class.prepend(Lexing)
    def measure
      before = [$lexing, cpu_of_thread]
      yield
      $lexed += $lexing - before[0]
      $measured += cpu_of_thread - before[1]
    end
    at_exit { File.write(ARGV[0], ($lexed / $measured).to_s) }
  RUBY
  # Like ours the reference looks where Ruby looks for interrupts, not where its signal happens to hit.
  REFERENCE = <<~'RUBY'
    require "stackprof"
    StackProf.use_postponed_job!
    def measure
      StackProf.start(mode: :cpu, interval: 1000)
      yield
      StackProf.stop
    end
    at_exit { StackProf.results(ARGV[0]) }
  RUBY
  WORK = "Object#measured"
  SKIPPED = "stackprof is not here"

  def reference_run(dir)
    gem = gem_folder("stackprof") or return SKIPPED
    extension = Dir["#{File.dirname(gem, 3)}/extensions/*/*/stackprof-*"].first
    system(RbConfig.ruby, "-I", gem, "-I", extension.to_s, "-e", REFERENCE + RDOC, "#{dir}/reference",
           out: File::NULL, err: File::NULL, exception: true)
    frames = Marshal.load(File.binread("#{dir}/reference"))[:frames].values
    frames.reject { |frame| frame[:name] =~ /\A\((garbage|marking|sweeping)/ }
  end

  # CPU time in µs by label: as a leaf, and anywhere on the stack; how many samples tell it; and the lexer's true share.
  def own_run(dir)
    File.write("#{dir}/rdoc.rb", TRUTH + RDOC)
    [["-o", "#{dir}/out.rpt", "--", RbConfig.ruby, "#{dir}/rdoc.rb", "#{dir}/lexed"], ["-o", "#{dir}/out.collapsed", "-r", "#{dir}/out.rpt"]].each do |words|
      result = viewer("-m", "cpu", *words)
      assert_predicate result.status, :success?, result.err
    end
    leaf, anywhere, all = Hash.new(0), Hash.new(0), 0
    File.foreach("#{dir}/out.collapsed", chomp: true) do |line|
      stack, weight = line.match(/\A(.*) (\d+)\z/).captures
      labels = stack.split(";")
      all += weight.to_i
      next unless labels.include?(WORK)
      leaf[labels.last] += weight.to_i
      labels.uniq.each { |label| anywhere[label] += weight.to_i }
    end
    [leaf, anywhere, instants("#{dir}/out.rpt") * leaf.values.sum / all, Float(File.read("#{dir}/lexed"))]
  end

  # As if evenly spread over the CPU time: a sample stands for the more of it the fewer there are.
  def instants(file)
    rows = viewer("-J", "-d", "0.1", "-F", "0.1", "-r", file).objects.map do |object|
      [object["threads"].sum { |thread| thread["cpu"] }, object["sampler"]["samples"]]
    end
    rows.sum(&:first)**2 / rows.sum { |cpu, samples| cpu * cpu / [samples, 0.5].max }
  end

  # One run of each serves both tests.
  def rdoc_runs
    skip "this Ruby has no rdoc" unless system(RbConfig.ruby, "-W0", "-rrdoc", "-e", "", err: File::NULL)
    @@rdoc_runs ||= Dir.mktmpdir do |dir|
      reference = Thread.new { reference_run(dir) }
      own = own_run(dir)
      [reference.value, *own]
    end
    skip SKIPPED if @@rdoc_runs.first == SKIPPED
    @@rdoc_runs
  end

  # How far shares are apart, by name, in standard deviations of what so many samples can tell.
  def apart(frames, samples, reference_sum, ours, our_sum_us, our_samples)
    frames.to_h do |frame|
      theirs, own = frame[samples].fdiv(reference_sum), ours[frame[:name]].fdiv(our_sum_us)
      both = ((theirs + own) / 2).clamp(0.001, 0.999)
      deviation = Math.sqrt(both * (1 - both) * (1.0 / reference_sum + 1.0 / our_samples))
      ["#{frame[:name]} #{theirs.round(4)} #{own.round(4)}", ((own - theirs) / deviation).round(1)]
    end
  end

  # Of squares, 1 if neighbouring samples told nothing of each other. Twenty-four pairs of runs had 1.7 to 5.6, five of them
  # more than 4.
  SPREAD_MAX = 4

  # In standard deviations.
  FAR = 4.5

  def far(found) = found.select { |_, z| z.abs > FAR }.map { |text, z| [text[/\S+/], z.positive?] }
  def spread(found) = found.values.sum { |z| z * z } / [found.size, 1].max

  # The same of what two pairs say of one name: products, to which what is chance in both adds nothing in the mean.
  def spread_alike(pairs)
    first, again = pairs.map { |found| found.transform_keys { |text| text[/\S+/] } }
    names = first.keys & again.keys
    names.sum { |name| first[name] * again[name] } / [names.size, 1].max
  end

  # A program does not do the same at the same time twice: what two pairs of runs say alike is no chance.
  def of_two_pairs(spread_max)
    first = yield
    return first if far(first).empty? && spread(first) <= spread_max
    @@rdoc_runs = nil
    again = yield
    assert_empty far(first) & far(again), [first, again].inspect
    assert_operator [spread(again), spread_alike([first, again])].min, :<=, spread_max, [first, again].inspect
    again
  end

  def test_leaves_of_rdoc_over_the_standard_library
    # Compiled code pops the frame of a C method before anybody looks: its time is its caller's.
    skip "other leaves under YJIT" if YJIT
    leaves = of_two_pairs(SPREAD_MAX) { leaves_apart }
    assert_operator leaves.size, :>, 10
  end

  def leaves_apart
    reference, ours, _, our_samples = rdoc_runs
    sum = reference.sum { |frame| frame[:samples] }
    assert_operator sum, :>, 350
    apart(reference.max_by(15) { |frame| frame[:samples] }, :samples, sum, ours, ours.values.sum, our_samples)
  end

  def test_callers_of_rdoc_over_the_standard_library
    callers = of_two_pairs(Float::INFINITY) { callers_apart }
    assert_operator callers.size, :>, 3 unless YJIT
  end

  # Of compiled code no more is known than that they are alike.
  def callers_apart
    reference, _, ours, our_samples, lexed = rdoc_runs
    whole = reference.find { |frame| frame[:name] == WORK }[:total_samples]
    known = reference.select { |frame| frame[:name].start_with?("RDoc::") && frame[:total_samples] > whole / 10 }
    assert_operator known.size, :>, 3
    known.each { |frame| assert_in_delta frame[:total_samples].fdiv(whole), ours[frame[:name]].fdiv(ours[WORK]), 0.2, frame[:name] }
    assert_in_delta lexed, ours[LEXER].fdiv(ours[WORK]), 0.1, "the lexer by the program's clock"
    YJIT ? {} : apart(known, :total_samples, whole, ours, ours[WORK], our_samples)
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
