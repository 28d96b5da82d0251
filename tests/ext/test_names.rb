# What methods are called: labels, namespaces, paths, lines.
require_relative "support"

class NamesTest < Minitest::Test
  include Support

  # One line: the programs count theirs from it. Ticks come as soon as the channel is there. Spins on a core, however busy.
  SPIN = "sleep 0.001 until Dir[ENV['RPERF_TOP_DIR'] + '/rperf-top.*.????????????????'].any?; def spin = (t = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID); " \
         "nil while Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) - t < 0.06)\n"

  # Every stack seen, as arrays of labels, leaf first.
  def stacks(code, **options)
    @dump, = history(SPIN + code, env: { "RPERF_TOP_RECORD_HZ" => "1000", "RPERF_TOP_BUDGET" => "100" }, **options)
    @dump.cells.map { |cell| @dump.stack(cell.node) }.uniq
  end

  def callers_of_spin(code, **options)
    stacks(code, **options).filter_map { |stack| (at = stack.rindex("Object#spin")) && stack[at + 1..] }.uniq
  end

  def frame(label) = @dump.frames.find { |frame| frame["label"] == label }

  def test_methods_blocks_and_the_top_level
    seen = callers_of_spin(<<~'RUBY')
      class Price
        def total = spin
        def each_one = [1].each { spin }
        def self.build = spin
        class << self
          def other = spin
        end
      end
      module Tools
        def self.helper = spin
        module_function def shared = spin
        def mixed = spin
      end
      class Price; include Tools; end
      price = Price.new
      price.total; price.each_one; Price.build; Price.other; Tools.helper; Tools.shared; price.mixed
    RUBY
    assert_includes seen, ["Price#total", "<main>"]
    # The VM tells method and block by one frame (the method entry); the line tells them apart.
    assert_includes seen, ["Price#each_one", "Array#each", "Price#each_one", "<main>"]
    assert_includes seen, ["Price.build", "<main>"]
    assert_includes seen, ["Price.other", "<main>"]
    assert_includes seen, ["Tools.helper", "<main>"]
    assert_includes seen, ["Tools.shared", "<main>"]
    assert_includes seen, ["Tools#mixed", "<main>"]
    assert_equal %w[Price Price Tools Tools],
                 ["Price#total", "Price.build", "Tools.helper", "Tools#mixed"].map { |label| frame(label)["namespace"] }
  end

  def test_paths_and_lines
    stacks("\nclass Price\n  def total\n    1\n    spin\n  end\nend\nPrice.new.total\n")
    total = frame("Price#total")
    assert_equal "#{@folder}/program0.rb", total["path"]
    assert_equal 4, total["line"]
    assert_equal "ruby", total["kind"]
    rows = @dump.cells.map { |cell| @dump.stack_frames(cell.node) }
    stack = rows.find { |row| row.any? { |f, _| f["label"] == "Object#spin" } }.reverse
    assert_equal [["<main>", 9], ["Price#total", 6], ["Object#spin", 1]],
                 stack.first(3).map { |frame, line| [frame["label"], line] }
    clock = frame("Process.clock_gettime")
    assert_equal ["c", "", 0], clock.values_at("kind", "path", "line")
    assert(rows.none? { |row| row.any? { |f, line| f["kind"] == "c" && line != 0 } })
  end

  def test_define_method_and_eval
    seen = callers_of_spin(<<~'RUBY')
      class Price
        define_method(:defined) { spin }
        class_eval "def evaluated = spin", "template.erb", 70
        instance_eval { def from_instance_eval = spin }
      end
      Price.new.defined
      Price.new.evaluated
      Price.from_instance_eval
      eval "spin"
    RUBY
    assert_includes seen, ["block in <class:Price>", "<main>"]
    assert_includes seen, ["Price#evaluated", "<main>"]
    assert_equal ["template.erb", 70], frame("Price#evaluated").values_at("path", "line")
    assert_includes seen, ["Price.from_instance_eval", "<main>"]
    assert(seen.any? { |stack| stack.last == "<main>" && stack.include?("Kernel#eval") }, seen.inspect)
  end

  def test_class_bodies_and_refinements
    seen = callers_of_spin(<<~'RUBY')
      class Body; spin; end
      module Refining; refine(String) { def shout = spin }; end
      using Refining
      "x".shout
      BasicObject.class_eval { def bare = ::Kernel.send(:spin) }
      BasicObject.new.bare
    RUBY
    assert_includes seen, ["<class:Body>", "<main>"]
    assert(seen.any? { |stack| stack.first.include?("shout") })
    assert(seen.any? { |stack| stack.include?("BasicObject#bare") })
  end

  def test_anonymous_classes_have_no_addresses
    stacks(<<~'RUBY')
      def spin = (t = Process.clock_gettime(Process::CLOCK_MONOTONIC); nil while Process.clock_gettime(Process::CLOCK_MONOTONIC) - t < 0.004)
      60.times do
        anonymous = Class.new { def anon = spin; def self.singleton = spin; define_method(:defined) { spin } }
        anonymous.new.anon
        anonymous.singleton
        anonymous.new.defined
        object = Object.new
        def object.single = spin
        object.single
        Module.new { def self.helper = spin }.helper
      end
    RUBY
    labels = @dump.labels
    assert_empty labels.grep(/0x\h{6}/)
    %w[anon singleton single helper].each do |name|
      assert_equal 1, labels.grep(/[#.]#{name}\z/).size, "#{name} in #{labels.inspect}"
    end
    assert_operator @dump.frames.size, :<, 60
  end

  def test_functions_in_c
    seen = stacks(<<~'RUBY').flatten.uniq
      t = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      big = Array.new(200_000) { |i| (i * 7919) % 100_003 }
      while Process.clock_gettime(Process::CLOCK_MONOTONIC) - t < 0.5
        big.sort_by { |x| -x }
        big.map(&:to_s).join
        Integer.sqrt(3**4000)
      end
      sleep 0.1
    RUBY
    assert_includes seen, "Enumerable#sort_by"
    assert_includes seen, "Array#map"
    assert_includes seen, "Kernel#sleep"
    assert_empty seen.grep(/\A(sort_by|map|sleep|join)\z/)
  end

  # Nothing ran that could have completed a label: the process sleeps since its start.
  def test_full_label_in_a_process_that_only_sleeps
    program = start("$stdout.sync = true\nputs :ready\nsleep")
    program.line
    dump = program.dump_until("its first window") do |d|
      d.windows.any? && d.windows.last["threads"].any? { |row| row["state"] == "blocked" }
    end
    assert_equal ["Kernel#sleep", "<main>"], dump.stack(dump.windows.last["threads"].first["node"])
    program.kill
  end

  def test_singleton_c_function_called_from_a_hook_is_completed
    program = start("$stdout.sync = true\nreader, = IO.pipe\nThread.new { IO.select([reader]) }\nputs :ready\nx = 0\nx += 1 while true")
    program.line
    program.dump_until("the full label", "--until-windows", "1") { |d| d.labels.include?("IO.select") }
    program.kill
  end

  def test_strange_names
    stacks(<<~'RUBY')
      define_method("größe") { spin }
      define_method("tab\tnew\nline") { spin }
      bytes = "bad\xFF\xFEname".dup.force_encoding("BINARY").to_sym
      eval "class Odd; def plain = send(:spin); end"
      Odd.class_eval { alias_method bytes, :plain }
      send("größe")
      send("tab\tnew\nline")
      Odd.new.send(bytes)
      long = "l" * 100_000
      eval "def #{long} = spin"
      send(long)
      eval "spin", binding, "p" * 100_000, 5
      eval "spin", binding, "bad\xFFpath\e[31m", 5
      eval "def über_latin = spin".encode("ISO-8859-1")
      send("über_latin".encode("ISO-8859-1"))
    RUBY
    texts = @dump.frames.flat_map { |frame| frame.values_at("label", "path", "namespace") }
    sizes = texts.map { |text| text.is_a?(Hash) ? text["hex"].size / 2 : text.bytesize }
    assert_operator sizes.max, :<=, 4096
    assert_operator sizes.count { |size| size > 400 }, :>=, 1
    assert(texts.any? { |text| text.is_a?(Hash) && [text["hex"]].pack("H*").include?("bad\xFFpath".b) }, texts.inspect[0, 3000])
    assert_equal 0, @dump.counters["strings_overflowed"]
  end

  def test_very_deep_stacks_are_cut_and_say_so
    seen = stacks("def deep(n) = n == 0 ? spin : deep(n - 1)\ndeep(9000)")
    longest = seen.max_by(&:size)
    assert_operator longest.size, :>, 2000
    assert_includes longest, "(deeper frames)"
    assert_operator @dump["nodes"].size, :<, 30_000
  end

  # Methods that come into being while it runs are named, too, and a redefined method keeps one name.
  def test_redefinition
    stacks(<<~'RUBY')
      20.times { |i| eval "class Price; def total = (spin; #{i}); end", binding, "price.rb", 1; Price.new.total }
    RUBY
    assert_equal 1, @dump.labels.count("Price#total")
  end
end
