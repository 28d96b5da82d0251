# Ruby programs drawn from a seed, which keep the truth about themselves.
#
# A program has roles: some threads that take the same steps in turn until the time is over. A step is one call of a method of its own,
# which works or waits for about a length that was drawn too. How that method is defined is drawn as well, since profilers
# take one for another where Ruby's libraries make methods. Around each call the program itself reads the clocks (runtime.rb).
#
# `spec` is all that was drawn, as plain data: shrink leaves parts of it out and asks for the text again.
require "json"

module Truth
  class Program
    WORKS = %w[ruby c objects recursion exceptions blocks fiber].freeze
    WAITS = %w[sleep select queue condition mutex pipe deflate child].freeze
    FLAVOURS = %w[def evaluated defined delegated included singleton].freeze
    RUNTIME = File.expand_path("runtime.rb", __dir__)

    attr_reader :spec

    # longest_us: of a step.
    def self.draw(seed, longest_us: 2_000_000)
      random = Random.new(seed)
      roles = Array.new(random.rand(1..4)) { draw_role(random, longest_us) }
      new("seed" => seed, "hz" => [100, 1000].sample(random: random), "shared" => random.rand < 0.25,
          "neighbours" => random.rand < 0.25 ? random.rand(1..2) : 0, "roles" => roles)
    end

    def self.draw_role(random, longest_us)
      steps = Array.new(random.rand(1..5)) do
        kind = (random.rand < 0.5 ? WORKS : WAITS).sample(random: random)
        { "kind" => kind, "us" => length_us(random, kind, longest_us), "flavour" => FLAVOURS.sample(random: random) }
      end
      { "threads" => Integer(log_uniform(random, 1, random.rand < 0.2 ? 200 : 8)), "steps" => steps }
    end

    # Nothing that is started for it ends in less than some milliseconds.
    def self.length_us(random, kind, longest_us)
      Integer(log_uniform(random, kind == "child" ? 5000 : 20, longest_us))
    end

    def self.log_uniform(random, least, most) = Math.exp(random.rand(Math.log(least)..Math.log(most)))

    def initialize(spec)
      @spec = spec
    end

    def steps
      spec["roles"].each_with_index.flat_map do |role, r|
        role["steps"].each_with_index.map { |step, s| step.merge("class" => "K#{r}_#{s}", "role" => r) }
      end
    end

    def to_s = JSON.generate(spec)

    def text(seconds)
      <<~RUBY
        require #{RUNTIME.dump}
        #{evaluated}
        #{steps.reject { |step| step["flavour"] == "evaluated" }.map { |step| definition(step) }.join("\n")}
        #{spec["roles"].each_index.map { |r| role_text(r) }.join("\n")}
        Truth.go(#{seconds}) do
          #{spec["shared"] ? threads_of_one_block : threads_of_own_blocks}
        end
      RUBY
    end

    private

    def body(step) = "Truth.#{step["kind"]}(#{step["us"]})"

    # All of them from one line, which is where libraries that write methods for others have theirs.
    def evaluated
      those = steps.select { |step| step["flavour"] == "evaluated" }
      return "" if those.empty?
      list = those.map { |step| [step["class"], body(step)] }
      "#{list.inspect}.each { |name, body| Object.const_set(name, Class.new).class_eval(\"def step = \#{body}\", __FILE__, __LINE__) }"
    end

    def definition(step)
      name, body = step["class"], body(step)
      case step["flavour"]
      when "def" then "class #{name}; def step = #{body}; end"
      when "defined" then "class #{name}; define_method(:step) { #{body} }; end"
      when "delegated" then "class #{name}_; def step = #{body}; end; class #{name}; extend Forwardable; def_delegators :@to, :step; def initialize = @to = #{name}_.new; end"
      when "included" then "module #{name}_; def step = #{body}; end; class #{name}; include #{name}_; end"
      when "singleton" then "class #{name}; def self.step = #{body}; def self.new = self; end"
      end
    end

    def role_text(r)
      own = steps.select { |step| step["role"] == r }
      calls = own.map do |step|
        call = "t.time(#{step["class"].dump}, #{step["class"].downcase})"
        step["kind"] == "fiber" ? "Fiber.new { #{call} }.resume" : call
      end
      news = own.map { |step| "#{step["class"].downcase} = #{step["class"]}.new" }
      "ROLE_#{r} = lambda do |t|\n  #{news.join("; ")}\n  until t.over?\n    #{calls.join("\n    ")}\n  end\nend"
    end

    def threads_of_own_blocks
      spec["roles"].each_with_index.map do |role, r|
        "#{role["threads"]}.times.map { |i| Thread.new { Truth.live(\"r#{r}-\#{i}\", ROLE_#{r}) } }"
      end.join(" +\n  ")
    end

    def threads_of_one_block
      list = spec["roles"].each_with_index.map { |role, r| "[#{role["threads"]}, ROLE_#{r}]" }
      "[#{list.join(", ")}].each_with_index.flat_map { |(n, role), r| n.times.map { |i| Thread.new { Truth.live(\"r\#{r}-\#{i}\", role) } } }"
    end
  end
end
