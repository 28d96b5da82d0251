# Everything that is asked for or printed by name is explained in the manual, once: options, settings, environment,
# keys of JSON. (tests/tui/term/test_keys holds the keys of the screen.)
require_relative "support"

class TestManual < Minitest::Test
  include E2E

  PROGRAM = "Thread.new { sleep }; x = 0; t = Time.now; x += 1 while Time.now - t < 3"

  def page(name) = File.read("#{ROOT}/man/#{name}")

  # What the .It lines of a page define by this macro: [".It Cm a , b"] says a and b.
  def defined_in(page, macro)
    page.scan(/^\.It #{macro} (.+)$/).flat_map { |(line)| line.gsub(/ (Ns|No|Ar|Pq|Op|Ic) .*/, "").split(/ , (?:#{macro} )?/) }
  end

  def once(wanted, said, what)
    wanted.each { |name| assert_equal 1, said.count(name), "#{what} #{name}" }
  end

  # Rows of options.def: letter or nil, name, and whether an argument follows.
  def options
    File.read("#{ROOT}/tui/cli/options.def").scan(/^OPTION\(\w+, "(\w?)", "([a-z-]+)", (no|required|optional),\s*"([^"]*)"/)
      .map { |letter, name, argument, value| [letter[/./], name, argument != "no" || !value.empty?] }
  end

  # The same of the page.
  def options_explained
    page("rperf-top.1").scan(/^\.It Fl (.+)$/).flat_map do |(line)|
      names = line[/\A(?:\w , )?-[a-z-]+(?: , -[a-z-]+)*/]
      letter = names[/\A\w(?= , )/]
      names.scan(/-([a-z][a-z-]+)/).map { |(name)| [letter, name, line.size > names.size] }
    end
  end

  def test_options
    assert_operator options.size, :>, 40
    assert_equal options.sort_by { |_, name| name }, options_explained.sort_by { |_, name| name }
    help = viewer("--help", "all").out
    options.each { |letter, name,| assert_match(/^ +#{"-#{letter}, " if letter}--#{name}\b/, help) }
    assert_equal options.map { |letter, name,| [*letter&.prepend("-"), "--#{name}"].join(",") },
                 viewer("--list-options").out.lines.map { |line| line.split.first }
  end

  def test_settings
    table = Dir["#{ROOT}/tui/{cli/settings.def,ui/ui_settings.c}"].first
    names = File.read(table).scan(/^(?: *\{ \.name = |SETTING\(\w+, )"(\w+)"/).flatten
    assert_operator names.size, :>, 15
    said = defined_in(page("rperf-top-settings.5"), "Cm")
    once names, said, "setting"
    assert_equal names.sort, said.sort
  end

  # Of the viewer in rperf-top(1), of the extension in rperf_top(3).
  def test_environment
    { "tui" => "rperf-top.1", "ext" => "rperf_top.3" }.each do |folder, name|
      sources = Dir["#{ROOT}/#{folder}/**/*.{c,h,rb}"].map { |path| File.read(path) }.join
      names = sources.scan(/"(RPERF_TOP(?:_[A-Z_]+)?)(?==|")/).flatten.uniq.grep_v(/_STALL_/)
      assert_operator names.size, :>=, 2, folder
      once names, defined_in(page(name), "Ev"), "variable of #{folder}"
    end
    names = Dir["#{ROOT}/tui/**/*.c"].flat_map { |path| File.read(path).scan(/"(RPERF_TOP_STALL_[A-Z]+)"/) }.flatten.uniq
    assert_operator names.size, :>=, 7
    names.each { |variable| assert_equal 1, page("rperf-top.1").scan(/^\.Ev #{variable}\b/).size, variable }
  end

  # By number: what of counters.def is of the end of a window is marked with n.
  def test_counters
    table = File.read("#{ROOT}/shm/base/counters.def").scan(/^(?:CHANNEL_)?COUNTER\(\w+, (\d+), \w+, (\w+),/)
    wanted = table.map { |number, kind| [Integer(number), kind != "CHANGE"] }
    assert_operator wanted.size, :>, 20
    assert_equal wanted.map(&:first), wanted.map(&:first).uniq.sort
    text = page("rperf-top-segment.5")[/^Counters are changes over the window.*?skipped:\n(.*?)^\.Pp/m, 1]
    text = text.sub(/: 0 names\s+of\s+methods.*/m, "") # the bits of the last one
    said = text.tr("\n", " ").split(/(?:\A|,? and |, )(?=\d+ )/).reject(&:empty?)
      .map { |part| [part[/\A\d+/].to_i, part.match?(/ n(?: |:|,|\z)/)] }
    assert_equal wanted, said
  end

  # [[], ["gvl"], ["gvl", "running"], …]: arrays are their elements.
  def keys_of(value, above = [])
    case value
    when Hash then value.flat_map { |key, below| [[*above, key], *keys_of(below, [*above, key])] }
    when Array then value.flat_map { |element| keys_of(element, above) }.uniq
    else []
    end
  end

  # The same of the page: keys at the outer level, and below each what its text names.
  def keys_in(section)
    depth = 0
    outer = []
    section.each_line.with_object([]) do |line, keys|
      case line
      when /^\.Bl/ then depth += 1
      when /^\.El/ then depth -= 1
      when /^\.It Cm (.*)/
        names = $1.split(" , ")
        outer = names if depth == 1
        depth == 1 ? names.each { |name| keys << [name] } : outer.product(names) { |pair| keys << pair }
      when /^\.Cm (.*)/
        names = $1.split(/ , /).map { |name| name[/[a-z_]+/] }
        outer.product(names) { |pair| keys << pair } if depth == 1
      end
    end
  end

  def assert_explained(objects, heading)
    said = keys_in(page("rperf-top-json.5")[/^\.Sh #{heading}$(.*?)^\.Sh/m, 1])
    wanted = objects.flat_map { |object| keys_of(object) }.uniq.map { |path| path.first(2) }.uniq
    assert_operator wanted.size, :>, 20
    wanted.each { |path| assert_equal 1, said.count(path), "#{heading}: #{path.join(".")}" }
  end

  # The minor version in the table of the geometry, and each part of a window.
  def test_version_and_parts
    text = page("rperf-top-segment.5")
    minor = File.read("#{ROOT}/shm/base/format.h")[/RTOP_VERSION_MINOR[\s\\]+(\d+)u/, 1]
    assert_equal minor, text[/Ta version_minor Ta (\d+)/, 1]
    table = File.read("#{ROOT}/shm/base/parts.def")[/clang-format off.*/m]
    parts = table.split(/^(?=LIST|MORE)/).drop(1).to_h do |part|
      marks = { "PLAIN" => "", "DELTA" => " d", "TIME" => " t" }
      [part[/\d+/].to_i, [part[/\(([A-Z]+)/, 1], part.scan(/FIELD\(\w+, ([\w.]+),\s+([A-Z]+)/).map { |name, how| name + marks[how] }.join(", ")]]
    end
    said = text.scan(/^\.It (\d+) Ta ([A-Z]+) Ta (.*)/).to_h { |number, name, fields| [number.to_i, [name, fields]] }
    assert_equal 15, parts.size + 1
    parts.each do |number, (name, fields)|
      assert_equal name, said[number]&.first
      assert_equal fields, said[number].last.delete_suffix(" (a string)") unless %w[LATE ARGS CAUSES].include?(name) # which the page words
    end
  end

  def test_json
    watched = viewer("-b", "-J", "-n", "2", "--", RbConfig.ruby, QUICK, "-e", PROGRAM).out.lines
    several = viewer("-b", "-J", "-r", "#{ROOT}/tests/tui/recordings/1.0-two.rpt").out.lines
    compared = viewer("-b", "-J", *["-r", "#{ROOT}/tests/tui/recordings/1.1.rpt"] * 2).out.lines
    assert_explained([*watched, *several, *compared].map { |line| JSON.parse(line) }, "UPDATES")
  end

  def test_json_of_a_summary
    result = viewer("--stat", "-J", "--", RbConfig.ruby, QUICK, "-e", "x = 0; 3_000_000.times { x += 1 }")
    assert_explained([JSON.parse(result.out.lines.last)], "SUMMARIES")
  end

  def test_pages_name_each_other
    Dir["#{ROOT}/man/*.[1-9]"].each do |path|
      File.read(path).scan(/^\.Xr (rperf\S+) (\d)/) { |name, section| assert_path_exists "#{ROOT}/man/#{name}.#{section}" }
    end
  end
end
