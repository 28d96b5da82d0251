# Arguments of slow calls: told only where the process allows it, of every kind of value and parameter, and without any code
# of the program.
# Waits nearly all of the time
require_relative "../exact"

class ArgsTest < Minitest::Test
  include Support
  include Exact

  WHAT = { state: 1, calls: 3, returned: 4, raised: 5, untimed: 6, slow: 16 }.freeze
  STATES = { 1 => :waits, 2 => :traced }.freeze
  ALLOWED = { "RPERF_TOP_ALLOW" => "args" }.freeze
  SLOW = "def slow = (i = 0; i += 1 while i < 5000; nil)\n" # longer than 1 us
  READY = "puts 'ready'; $stdout.flush; STDIN.gets\n"
  DONE = "\n$stdout.flush; STDIN.gets\n"

  # Runs `code` while methods are traced, of which every call is a slow one: what was told of them, in their order.
  def told(code, *methods, env: ALLOWED)
    program = start("#{AWAKE}#{SLOW}#{code}", env: env)
    assert_equal "ready", program.line
    view(program, *methods, slower_us: 1)
    program.dump_until("tracing") { |dump| rows(dump).count { |_, what, _, value| [what, value] == [1, 2] } >= methods.size && state(dump) == :traced }
    program.puts
    answer = program.line
    dump = dump_of_all(program)
    calls = dump.windows.flat_map { |window| window["slow"] }.sort_by(&:first)
    assert_empty program.err
    [calls.map { |row| [row.last].pack("H*").force_encoding("UTF-8") }, answer, dump]
  end

  def sum(dump, what) = rows(dump).sum { |_, is, _, value| is == WHAT[what] ? value : 0 }

  # Each call with its arguments as they should be told; what the program's methods would say is never asked for.
  VALUES = {
    "7" => "7", "-1" => "-1", "2**62 - 1" => "4611686018427387903", "2**62" => "4611686018427387904",
    "-(2**62) - 1" => "-4611686018427387905", "2**64 - 1" => "18446744073709551615", "-(2**64 - 1)" => "-18446744073709551615",
    "2**64" => "Integer(65 bits)", "-(10**300)" => "Integer(997 bits)",
    "0.1" => "0.1", "0.1 + 0.2" => "0.30000000000000004", "-2.5e-7" => "-2.5e-07", "100.0" => "100.0", "1e22" => "1e+22",
    "1.7976931348623157e308" => "1.7976931348623157e+308", "0.0 / 0" => "NaN", "-1 / 0.0" => "-Infinity",
    ":a" => ":a", ":b?" => ":b?", ":'c d'" => ":\"c d\"", ":[]=" => ":\"[]=\"", ":ü" => ":ü", "'dyn1'.dup.to_sym" => ":dyn1",
    "true" => "true", "false" => "false", "nil" => "nil", '"plain"' => '"plain"', '""' => '""',
    '"say \"hi\" \\\\ \n\t\e\0\x7f"' => '"say \"hi\" \\\\ \n\t\e\x00\x7F"', '"grün 注文"' => '"grün 注文"',
    '"\xff\xc3bad\xe2\x80"' => '"\xFF\xC3bad\xE2\x80"', '"gr\u00fcn".b' => '"gr\xC3\xBCn"', '"ab".encode("UTF-16LE")' => "String(4 bytes)",
    '"gr\u00fcn".encode("ISO-8859-1")' => '"gr\xFCn"', "'x' * 3_000_000" => "\"#{"x" * 64}…\"", "'注' * 1000" => "\"#{"注" * 21}…\"",
    "[1] * 12" => "Array(12)", "Array.new(1_000_000)" => "Array(1000000)", "{ a: 1, b: 2, c: 3 }" => "Hash(3)", "List.new([1])" => "List(1)",
    "Table.new" => "Table(0)", "Text.new('t')" => '"t"', "Order.new" => "#<Order>", "Order" => "#<Class>", "Kernel" => "#<Module>",
    "Shop::Item.new(1)" => "#<Shop::Item>", "Class.new.new" => "#<#<Class>>", "BasicObject.new" => "#<BasicObject>", "1..2" => "#<Range>",
    "3r" => "#<Rational>", "/a/" => "#<Regexp>", "Object.new.tap { |o| def o.x = 1 }" => "#<Object>", "$stdout" => "#<IO>", "proc {}" => "#<Proc>",
    "Thread.current" => "#<Thread>", "ENV" => "#<Object>"
  }.freeze

  # They raise whatever they are asked.
  HOSTILE = <<~'RUBY'
    module Hostile
      %i[inspect to_s to_str name class respond_to? method_missing hash == size length to_a to_hash to_sym encoding allocate].each { |name| define_method(name) { |*| raise "asked for #{name}" } }
      def respond_to_missing?(*) = raise("asked")
    end
    class Order; include Hostile; extend Hostile; end
    module Shop; Item = Struct.new(:id) { include Hostile }; end
    class List < Array; include Hostile; extend Hostile; end
    class Table < Hash; include Hostile; extend Hostile; end
    class Text < String; include Hostile; extend Hostile; end
    class Integer; def to_s(*) = raise("asked"); alias inspect to_s; end
    class Float; def to_s(*) = raise("asked"); end
    class Symbol; def to_proc = raise("asked"); def inspect = raise("asked"); end
    class Binding; def local_variables = raise("asked"); def local_variable_defined?(*) = raise("asked"); def eval(*) = raise("asked"); def irb = raise("asked"); end
  RUBY

  def test_values
    values, count = VALUES.keys, VALUES.size
    code = <<~RUBY
      class Seen
        def call(value) = (slow; value)
      end
      #{HOSTILE}
      seen = Seen.new
      #{READY}
      made = [#{values.map { |value| "-> { #{value} }" }.join(", ")}]
      answers = made.map { |one| (value = one.call; seen.call(value).equal?(value)).tap { sleep 0.004 } }
      puts answers.all? { |same| same == true }
      #{DONE}
    RUBY
    said, answer, dump = told(code, "Seen#call")
    assert_equal "true", answer
    assert_equal count, sum(dump, :calls)
    assert_equal VALUES.values.map { |text| "value: #{text}" }, said
    said.each { |text| assert_operator text.bytesize, :<=, 160 }
  end

  PARAMETERS = {
    "def call(id, filter) = slow" => ["7, { a: 1 }", "id: 7, filter: Hash(1)"],
    "def call = slow" => ["", ""],
    "def call(a, b = 2, c = b + 1) = slow" => ["1", "a: 1, b: 2, c: 3"],
    "def call(a, *rest, z) = slow" => ["1, 2, 3, 4", "a: 1, *rest: Array(2), z: 4"],
    "def call(a:, b: 5, **rest) = slow" => ["a: 1, x: 2, y: 3", "a: 1, b: 5, **rest: Hash(2)"],
    "def call(a, b: a, &block) = slow" => ["1 do 2 end", "a: 1, b: 1, &block"],
    "def call(*, **, &) = slow" => ["1, b: 2", "*, **, &"],
    "def call(a, ...) = other(a, ...)" => ["1, 2, c: 3", "a: 1, *, **, &"],
    "def call(a, **nil) = slow" => ["1", "a: 1"],
    "def call((a, b), c) = slow" => ["[1, 2], 3", "(), c: 3"],
    "def call(_, _) = slow" => ["1, 2", "_: 1, _: 1"],
    "def call(größe) = slow" => ["1", "größe: 1"],
    "define_method(:call) { |a, b = 2, *c, d:, **e, &f| slow }" => ["1, d: 4", "a: 1, b: 2, *c: Array(0), d: 4, **e: Hash(0), &f"],
    "outer = 5; define_method(:call) { |a| slow; outer += a }" => ["1", "a: 1"],
    "define_method(:call) { slow; _1 }" => ["1", "_1"],
    "def call(call, puts, raise, self_ = 1) = slow" => ["1, 2, 3", "call: 1, puts: 2, raise: 3, self_: 1"],
    "def call(a) = (a = [a]; a.push(2); slow)" => ["1", "a: Array(2)"],
    "def call(a) = [1].each { |x| slow; a += x }" => ["1", "a: 2"],
    "def call(a) = (slow; return a if a; 2)" => ["1", "a: 1"],
    "ruby2_keywords def call(*all) = slow" => ["1, b: 2", "*all: Array(2), **"],
    "def call(#{("a".."z").map { |name| name * 2 }.join(", ")}) = slow" =>
      [(1..26).to_a.join(", "), "#{("a".."x").each_with_index.map { |name, i| "#{name * 2}: #{i + 1}" }.join(", ")[0, 157]}…"],
    "attr_writer :call; alias call call=" => nil
  }.compact.freeze

  def test_parameters
    methods = PARAMETERS.each_with_index.map { |(definition, _), i| "class K#{i}\n#{definition}\ndef other(*, **) = slow\nend" }
    calls = PARAMETERS.values.each_with_index.map { |(arguments, _), i| "K#{i}.new.call#{arguments.end_with?("end") ? " #{arguments}" : "(#{arguments})"}; sleep 0.004" }
    wanted = PARAMETERS.values.map(&:last)
    said = (0...PARAMETERS.size).each_slice(14).flat_map do |some| # a process traces 16 methods at once
      code = "#{methods.values_at(*some).join("\n")}\n#{READY}#{calls.values_at(*some).join("\n")}\nputs :done#{DONE}"
      told(code, *some.map { |i| "K#{i}#call" }).first
    end
    assert_equal wanted, said
  end

  # A text that is not all there ends in an ellipsis, and not inside a character.
  def test_bounds
    code = <<~'RUBY'
      class Wide
        def call(first, second, third, fourth) = slow
      end
    RUBY
    said, = told("#{code}#{READY}4.times { |i| Wide.new.call('注' * i, 'ü' * 100, \"\\0\" * 100, 4); sleep 0.004 }\nputs :done#{DONE}", "Wide#call")
    assert_equal 4, said.size
    said.each do |text|
      assert_predicate text, :valid_encoding?
      assert_operator text.bytesize, :<=, 160
      assert_match(/\Afirst: "注{0,3}", second: "ü{32}…", third: "(\\x00)+…\z/, text)
    end
    many, = told("class Many\n def call(a, b) = slow\nend\n#{READY}200.times { Many.new.call('x' * 90, 'y' * 90) }\nputs :done#{DONE}", "Many#call")
    assert_operator many.size, :>=, 60
    assert_operator many.count("…"), :>, 0
    (many - ["…"]).each { |text| assert_match(/\Aa: "x{64}…", b: "y{64}…"\z/, text) }
  end

  def test_only_where_it_is_allowed
    code = "class Secret\n def call(password) = slow\nend\n#{READY}5.times { Secret.new.call('hunter2') }\nputs :done#{DONE}"
    [{}, { "RPERF_TOP_ALLOW" => "" }, { "RPERF_TOP_ALLOW" => "arg,argss,ARGS,1" }].each do |env|
      said, _, dump = told(code, "Secret#call", env: env)
      assert_equal [""], said.uniq
      assert_equal 5, sum(dump, :calls)
      refute_includes File.binread(channels.last), "hunter2"
    end
    ["args", "unknown,args", " args , other", ",,args"].each do |allowed|
      assert_equal ['password: "hunter2"'], told(code, "Secret#call", env: { "RPERF_TOP_ALLOW" => allowed }).first.uniq
    end
  end

  # Methods in C have none; methods that an exception leaves have, and it is the same exception.
  def test_exceptions
    code = <<~'RUBY'
      class Fails
        def call(id, how) = slow || how == 1 ? raise(IndexError, "no #{id}") : how == 2 ? throw(:out, id) : [1].each { return id }
      end
      def now = $!
      puts "ready"; $stdout.flush; STDIN.gets
      wrong = []
      100.times do |i|
        begin
          begin
            Fails.new.call(i, 1)
          ensure
            wrong << $! unless IndexError === $! && $!.message == "no #{i}"
          end
        rescue IndexError => error
          wrong << error unless error.backtrace.first.include?("call") && error.equal?($!) && error.cause.nil?
        end
        begin
          raise KeyError, "around"
        rescue KeyError => around
          wrong << :throw unless catch(:out) { Fails.new.call(i, 2) } == i
          wrong << :value unless Fails.new.call(i, 3) == i
          wrong << :lost unless $!.equal?(around)
        end
        wrong << now if now
        sleep 0.005
      end
      p wrong
      $stdout.flush; STDIN.gets
    RUBY
    said, answer, dump = told(code, "Fails#call")
    assert_equal "[]", answer
    assert_equal [300, 300, 0], %i[calls returned untimed].map { |what| sum(dump, what) }
    assert_equal 100, sum(dump, :raised)
    assert_operator said.size, :>=, 64
    assert_equal((0...100).to_a, said.map { |text| text[/\Aid: (\d+), how: [123]\z/, 1].to_i }.uniq) if said.size == 300
    said.each { |text| assert_match(/\Aid: \d+, how: [123]\z/, text) }
  end

  # Whatever the GC does meanwhile, and nobody who watches calls, exceptions or objects of his own sees a call of ours.
  def test_nobody_is_asked
    code = <<~'RUBY'
      class Watched
        def call(a, b = a, *c, d: 1) = (slow; c.push(a); self)
      end
      puts "ready"; $stdout.flush; STDIN.gets
      events = Hash.new(0)
      watch = TracePoint.new(:call, :c_call, :raise) { |point| events[[point.event, point.method_id]] += 1 if Thread.current == Thread.main }
      watched, made = Watched.new, "text"
      GC.stress = true
      15.times { watched.call(made, 2, 3, 4) }
      GC.stress = false
      watch.enable { 15.times { watched.call(made, :b, 1.5, d: nil) } }
      GC.verify_internal_consistency if GC.respond_to?(:verify_internal_consistency)
      GC.start
      GC.compact if GC.respond_to?(:compact)
      p events.reject { |(_, name), _| %i[call push slow times block_given? < succ +].include?(name) }
      $stdout.flush; STDIN.gets
    RUBY
    said, answer, dump = told(code, "Watched#call")
    assert_equal "{}", answer
    assert_equal [30, 30], [sum(dump, :calls), sum(dump, :slow)]
    assert_equal ['a: "text", b: 2, *c: Array(3), d: 1', 'a: "text", b: :b, *c: Array(2), d: nil'], said.uniq
  end

  # What is counted does not depend on it.
  def test_the_same_is_counted
    code = <<~'RUBY'
      class Counted
        def call(n, text) = slow || n.zero? ? text : call(n - 1, text)
      end
      puts "ready"; $stdout.flush; STDIN.gets
      30.times { Counted.new.call(9, "text") }
      puts :done; $stdout.flush; STDIN.gets
    RUBY
    [{}, ALLOWED].each do |env|
      dump = told(code, "Counted#call", env: env).last
      assert_equal [300, 300, 0, 0], %i[calls returned untimed raised].map { |what| sum(dump, what) }
    end
  end

  def test_methods_that_the_program_has_replaced
    code = <<~'RUBY'
      class Binding; def local_variable_get(*) = raise("asked"); end
      class UnboundMethod; def parameters = raise("asked"); end
      class Method; def parameters = raise("asked"); end
      class Plain; def call(a) = slow; end
      puts "ready"; $stdout.flush; STDIN.gets
      3.times { Plain.new.call(1) }
      puts :done; $stdout.flush; STDIN.gets
    RUBY
    assert_equal [""], told(code, "Plain#call").first.uniq
  end
end
