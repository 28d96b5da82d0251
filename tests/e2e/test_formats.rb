# What is saved is read by the programs that it is for: rperf, speedscope, pprof. One dead process is saved in
# every format, and all of them tell of the same time.
require_relative "support"
require "zlib"

class TestFormats < Minitest::Test
  include E2E

  CACHE = `#{ROOT}/.setup/importers -p`.chomp
  ENDS = %w[csv json json.gz speedscope.json pb.gz trace.json svg rpt].freeze

  # Saves the same ring in all formats, once for all tests.
  def self.folder
    @folder ||= Dir.mktmpdir.tap do |dir|
      Minitest.after_run { FileUtils.rm_rf(dir) }
      E2E.running("#{PROGRAMS}/threads.rb") do |pid|
        E2E.viewer("-b", "-J", "-n", "2", "-p", pid.to_s)
        Process.kill(:KILL, pid)
        Process.wait(pid)
        ENDS.each do |ending|
          result = E2E.viewer("-o", "#{dir}/x.#{ending}", "-p", pid.to_s)
          raise result.err unless result.status.success?
        end
      end
    end
  end

  def file(ending) = "#{self.class.folder}/x.#{ending}"

  # Seconds of all threads together, as the table says.
  def total
    lines = File.read(file("csv"), newline: :universal).lines(chomp: true)
    column = lines.first.split(",").index("self")
    lines.drop(1).sum { |line| line.gsub(/"([^"]|"")*"/, "x").split(",")[column].to_f }
  end

  def test_rperf_loads_it
    skip "rperf is not there" unless File.exist?("#{CACHE}/rperf/lib/rperf.rb")
    script = <<~RUBY
      $LOADED_FEATURES << "rperf.so"   # only what reads is wanted
      require "rperf"
      require "json"
      data = Rperf.load(ARGV[0])
      head = Rperf.read_meta(ARGV[0])
      breakdown, total = Rperf.send(:compute_stat_breakdown, data[:aggregated_samples], data[:label_sets])
      puts JSON.generate(total: total, breakdown: breakdown, mode: head[:meta][:mode],
                         top: head[:summary][:top_methods].first, text: Rperf::Text.encode(data),
                         pprof: Rperf::PProf.encode(data).bytesize, table: Rperf::Table.report_tsv(data))
    RUBY
    %w[json json.gz].each do |ending|
      out, err, status = Open3.capture3(RbConfig.ruby, "-I#{CACHE}/rperf/lib", "-e", script, file(ending))
      assert_predicate status, :success?, err
      assert_empty err, "no warning about versions"
      data = JSON.parse(out)
      assert_in_delta total, data["total"] / 1e9, 1e-6
      assert_equal "wall", data["mode"]
      assert_operator data["breakdown"]["gvl_wait"], :>, data["breakdown"]["cpu_execution"]
      assert_includes data["text"], data["top"]["name"]
      assert_includes data["table"], "# summary"
      assert_operator data["pprof"], :>, 100
    end
  end

  def test_rperf_reports_it
    program = "#{CACHE}/rperf/exe/rperf"
    skip "rperf is not there" unless File.exist?(program)
    Dir.mktmpdir do |dir|
      File.write("#{dir}/stub.rb", '$LOADED_FEATURES << "rperf.so"')
      out, err, status = Open3.capture3(RbConfig.ruby, "-r#{dir}/stub.rb", program, "report", "--text",
                                        file("json.gz"))
      assert_predicate status, :success?, err
      assert_match(/Flat:.*Cumulative:/m, out)
    end
  end

  def test_speedscope_imports_it
    skip "speedscope is not there" unless File.exist?("#{CACHE}/node_modules/speedscope/package.json")
    skip "node is not there" unless system("node", "--version", out: File::NULL, err: File::NULL)
    out, err, status = Open3.capture3("node", "#{__dir__}/programs/speedscope.js", CACHE, file("speedscope.json"))
    skip err if status.exitstatus == 77
    assert_predicate status, :success?, err
    profiles = JSON.parse(out)
    assert_equal "all threads", profiles.first["name"]
    assert_equal "nanoseconds", profiles.first["unit"]
    assert_in_delta total, profiles.first["total"] / 1e9, 1e-6
    threads = profiles.select { |profile| profile["name"].start_with?("thread ") }
    assert_operator threads.size, :>=, 4
    assert_in_delta total, threads.sum { |profile| profile["total"] } / 1e9, 1e-6
    assert_operator profiles.first["frames"].size, :>, 2
  end

  # A file is what a pipe gets, in the format that is asked for.
  def test_standard_output
    csv = E2E.viewer("-o", "-", "--format", "csv", "-r", file("rpt"))
    assert_predicate csv.status, :success?, csv.err
    assert_empty csv.err
    assert_match(/\Amethod,path,line,/, csv.out)
    assert_equal csv.out, E2E.viewer("-o", "/dev/stdout", "--format", "csv", "-r", file("rpt")).out
    packed = E2E.viewer("-o", "-", "--format", "csv.gz", "-r", file("rpt")).out
    assert_equal csv.out.b, Zlib.gunzip(packed.b)
    Dir.mktmpdir do |dir|
      assert_equal csv.out, save("#{dir}/any.txt", "--format", "csv", "-r", file("rpt"))
      reader, writer = IO.pipe
      pid = Process.spawn(VIEWER, "-o", "/dev/fd/#{writer.fileno}", "--format", "collapsed", "-r", file("rpt"),
                          writer => writer, err: File::NULL)
      writer.close
      stacks = reader.read
      assert_predicate Process.wait2(pid).last, :success?
      assert_equal stacks, save("#{dir}/x.collapsed", "-r", file("rpt"))
    end
  end

  # Nobody reads to the end: that is no failure. A full disk is.
  def test_standard_output_that_takes_no_more
    reader, writer = IO.pipe
    reader.close
    command = [VIEWER, "-o", "-", "--format", "html", "-r", file("rpt")]
    _, err, status = Open3.capture3("sh", "-c", 'exec "$@" >&9', "sh", *command, 9 => writer)
    assert_equal [0, ""], [status.exitstatus, err]
    _, err, status = Open3.capture3("sh", "-c", 'exec "$@" > /dev/full', "sh", *command)
    assert_equal 1, status.exitstatus
    assert_equal "rperf-top: cannot write -: No space left on device\n", err
  end

  # A recording against itself: both sides are the same, nothing changed; against another program all did.
  def test_two_recordings_are_compared
    Dir.mktmpdir do |dir|
      assert_predicate viewer("-o", "#{dir}/fib.rpt", "--", RbConfig.ruby, QUICK, "#{PROGRAMS}/fib.rb", "1").status,
                       :success?
      same = compare(file("rpt"), file("rpt"), "#{dir}/same.collapsed").lines(chomp: true)
      assert_operator same.size, :>, 2
      same.each { |line| assert_match(/ (\d+) \1\z/, line) }
      other = compare("#{dir}/fib.rpt", file("rpt"), "#{dir}/other.csv")
      assert_includes other.lines.first, "self_before,self_change"
      fib = other.lines(chomp: true).find { |line| line.start_with?("Object#fib,") }.split(",")
      heading = other.lines(chomp: true).first.split(",")
      before, change = %w[self_before self_change].map { |name| fib[heading.index(name)].to_f }
      assert_operator before, :>, 0.3
      assert_in_delta(-before, change, 1e-6)
      text = compare("#{dir}/fib.rpt", file("rpt"), "#{dir}/other.txt")
      assert_match(/^ +\d+\.\d+ +0\.000 +\d+\.\d% +0\.0% +-\d+\.\d  Object#fib /, text)
      assert_includes compare("#{dir}/fib.rpt", file("rpt"), "#{dir}/other.svg"), "; red: more than in"
      report = viewer("-b", "-F", "all", "-r", "#{dir}/fib.rpt", "-r", file("rpt")).out
      assert_match(/^ +- +- +- +- +-\d+\.\d  Object#fib /, report, "what vanished has a row")
      object = viewer("-J", "-F", "all", "-r", "#{dir}/fib.rpt", "-r", file("rpt")).objects.last
      assert method_named(object, "Object#fib")["gone"]
    end
  end

  # -t saves that time in every format and nothing of what was before; -F says how much else.
  def test_the_time_asked_for_is_saved
    Dir.mktmpdir do |dir|
      running("#{PROGRAMS}/phases.rb", "#{dir}/over") do |pid|
        E2E.wait_until("the second method") { File.exist?("#{dir}/over") }
        (ENDS + %w[txt collapsed html]).each do |ending|
          text = save("#{dir}/t.#{ending}", "-t", "0.5", "-p", pid.to_s)
          assert_includes text, "work_at_present", ending
          refute_includes text, "work_in_the_past", ending
        end
        assert_in_delta 0.5, frame("#{dir}/t.rpt"), 0.25
        assert_in_delta 0.5, seconds(File.read("#{dir}/t.txt")), 0.1
        assert_in_delta 0.3, seconds(save("#{dir}/f.txt", "-t", "0.5", "-F", "0.3", "-p", pid.to_s)), 0.1
        assert_in_delta 0.3, frame(save_at("#{dir}/f.rpt", "-t", "0.5", "-F", "0.3", "-p", pid.to_s)), 0.1
        assert_includes save("#{dir}/a.txt", "-t", "0.3", "-F", "all", "-p", pid.to_s), "work_in_the_past"
        assert_operator frame(save_at("#{dir}/a.rpt", "-t", "0.3", "-F", "all", "-p", pid.to_s)), :>, 1.5
        Process.kill(:KILL, pid)
        Process.wait(pid)
        assert_in_delta 0.5, seconds(save("#{dir}/d.txt", "-t", "0.5", "-p", pid.to_s)), 0.1
        assert_in_delta 0.5, frame(save_at("#{dir}/d.rpt", "-t", "0.5", "-p", pid.to_s)), 0.1
        assert_operator seconds(save("#{dir}/d.txt", "-p", pid.to_s)), :>, 1.5
        assert_in_delta 0.5, seconds(save("#{dir}/r.txt", "-F", "0.5", "-r", "#{dir}/a.rpt")), 0.1
      end
    end
  end

  # Of a process that is stopped nothing comes: there is nothing to save, and no file.
  def test_nothing_to_save
    Dir.mktmpdir do |dir|
      running("#{PROGRAMS}/phases.rb") do |pid|
        Process.kill(:STOP, pid)
        E2E.wait_until("it to stop") { File.read("/proc/#{pid}/stat")[/\) (\S)/, 1] == "T" }
        assert_equal "stalled", E2E.viewer("-b", "-J", "-n", "1", "-p", pid.to_s).objects.last["state"]
        %w[txt rpt].each do |ending|
          result = E2E.viewer("-o", "#{dir}/x.#{ending}", "-t", "0.2", "-p", pid.to_s)
          assert_equal 1, result.status.exitstatus
          assert_match(/nothing was recorded: .*x.#{ending} is not written/, result.err)
        end
        assert_empty Dir.children(dir)
      end
    end
  end

  def save_at(path, *options)
    result = E2E.viewer("-o", path, *options)
    assert_predicate result.status, :success?, result.err
    path
  end

  # As text, whatever it is.
  def save(path, *options)
    save_at(path, *options)
    return E2E.viewer("-b", "-J", "-F", "all", "-r", path).out if path.end_with?(".rpt")
    bytes = File.binread(path)
    path.end_with?(".gz") ? Zlib.gunzip(bytes) : bytes
  end

  def frame(path) = E2E.viewer("-b", "-J", "-F", "all", "-r", path).objects.last["frame"]
  def seconds(report) = report[/, ([\d.]+) s up to/, 1].to_f

  def compare(before, now, out)
    result = viewer("-r", before, "-r", now, "-o", out)
    assert_predicate result.status, :success?, result.err
    File.read(out)
  end

  def test_picture_is_xml
    require "rexml/document"
    root = REXML::Document.new(File.read(file("svg"))).root
    assert_equal "svg", root.name
    assert_operator root.get_elements("g/title").size, :>, 3
  rescue LoadError
    skip "rexml is not there"
  end

  # speedscope opens traces, too: its importer pairs and nests the slices.
  def test_speedscope_imports_the_trace
    skip "speedscope is not there" unless File.exist?("#{CACHE}/node_modules/speedscope/package.json")
    skip "node is not there" unless system("node", "--version", out: File::NULL, err: File::NULL)
    out, err, status = Open3.capture3("node", "#{__dir__}/programs/speedscope.js", CACHE, file("trace.json"))
    skip err if status.exitstatus == 77
    assert_predicate status, :success?, err
    assert_empty err
    profiles = JSON.parse(out)
    assert_operator profiles.size, :>=, 5
    assert(profiles.any? { |profile| profile["frames"].any? { |name| name.start_with?("waiting for the GVL") } })
  end

  def test_trace_tells_the_same
    events = JSON.parse(File.read(file("trace.json")))["traceEvents"]
    states = events.filter_map { |event| event["args"] if event["ph"] == "X" && event["args"]&.key?("cpu_ms") }
    sum = states.sum { |args| args.reject { |key, _| key == "cpu_ms" }.values.sum }
    assert_in_delta total, sum / 1e3, 1e-4
    names = events.select { |event| event["ph"] == "C" }.map { |event| event["name"] }.uniq
    ["GVL, threads", "GC runs", "memory, MB", "allocations, per second"].each { |name| assert_includes names, name }
  end

  # Go's pprof when it is installed; what its decoder refuses, it says.
  def test_pprof_reads_it
    skip "go is not there" unless system("go", "version", out: File::NULL, err: File::NULL)
    out, err, status = Open3.capture3("go", "tool", "pprof", "-top", "-nodecount=1000", "-nodefraction=0",
                                      "-unit=s", file("pb.gz"))
    assert_predicate status, :success?, err
    assert_in_delta total, out[/of ([\d.]+)s total/, 1].to_f, 0.01
    tags, = Open3.capture3("go", "tool", "pprof", "-tags", file("pb.gz"))
    %w[state: thread: pid: running waiting].each { |word| assert_includes tags, word }
  end

  # A decoder of its own, of the wire format only: the file is one message, its values add up.
  def test_pprof_decodes
    bytes = Zlib.gunzip(File.binread(file("pb.gz")))
    values = fields(bytes).select { |number, _| number == 2 }.map do |_, sample|
      varints(fields(sample).assoc(2).last)
    end
    types = fields(bytes).count { |number, _| number == 1 }
    assert_equal [types], values.map(&:size).uniq
    assert_in_delta total, values.sum { |value| value[2] } / 1e9, 1e-6
    assert_equal "", fields(bytes).assoc(6).last
  end

  def varints(bytes)
    bytes.bytes.slice_when { |byte, _| byte < 128 }.map do |group|
      group.each_with_index.sum { |byte, index| (byte & 127) << (7 * index) }
    end
  end

  def fields(bytes)
    list, at = [], 0
    while at < bytes.bytesize
      key, at = varint(bytes, at)
      size, at = varint(bytes, at)
      value = size
      if key & 7 == 2
        value = bytes.byteslice(at, size)
        assert_equal size, value.bytesize
        at += size
      else
        assert_equal 0, key & 7
      end
      list << [key >> 3, value]
    end
    list
  end

  def varint(bytes, at)
    value = shift = 0
    loop do
      byte = bytes.getbyte(at)
      at += 1
      value |= (byte & 127) << shift
      shift += 7
      return [value, at] if byte < 128
    end
  end
end
