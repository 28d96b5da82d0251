# What the benchmarks measured. A figure is a line of JSON in results.jsonl; RESULTS.md is a table of the last line of each
# measure and case; measures.txt says what a measure is.
#
# A benchmark calls Results.keep where it has a figure. It is written only where BENCH_KEEP names the file, as tests/bench/run has
# it, so a benchmark that is run by hand or by a test leaves no trace. BENCH_LOAD: the load average before the part began.
require "etc"
require "json"
require "open3"

module Results
  HERE = __dir__
  FILE = "#{HERE}/results.jsonl"
  PAGE = "#{HERE}/RESULTS.md"
  LOAD_AT_START = File.read("/proc/loadavg").to_f
  HEAD = <<~TEXT
    # Results

    `make bench` writes this page: the last figure of each measure. `results.jsonl` has all that were kept, with their single runs, and
    the commits that changed one say why. `tests/bench/run` says which parts and sizes there are (`ROUNDS=10`: ten runs); what the
    usual, small sizes give is rough.

    - A figure is a mean, of ratios a median; ± is its standard error over so many runs. "9.9 of 10.0 (9.2 to 10.1)": 10.0 would be right,
      the least was 9.2, the most 10.1. A figure is of its commit, and what changed since is not in it; + says that files differed from
      that commit. Where the cases of a measure are of several sittings, all of those are named.
    - *Beside* stand others in the same sitting, in turn. "Busy": two more processes want the two cores. "Recorder": nobody watches. In
      mixtures of threads 100 Hz is the recorder, 1000 Hz a viewer that asks for it, within the usual budget.
    - Two runs of one program without a profiler differ by up to 5 % on such a virtual machine, and by 10 to 40 % when its cores are taken
      away ("again" is such a second run). So ratios of times cannot show the goals of 0.1 to 0.5 %; instruction counts can.

    | Measure | Goal | Now | Beside | Repeat | Commit | Date | Machine |
    |---|---|---|---|---|---|---|---|
  TEXT

  # `command`: what repeats it; `unit` of its figures, `format` of one of them (as of Kernel#format).
  Measure = Struct.new(:key, :text, :goal, :command, :unit, :format)

  module_function

  # {"storm-5/short" => Measure, ...}, in the order of the page.
  def measures
    @measures ||= File.readlines("#{HERE}/measures.txt", chomp: true).grep_v(/\A(#|\s*\z)/).each_with_object({}) do |line, all|
      cells = line.split("|").map(&:strip)
      next @group = cells unless line.start_with?(" ")
      raise "measures.txt has #{cells[0]} twice" if all[cells[0]]
      all[cells[0]] = Measure.new(cells[0], cells[1], cells[2] || "", *@group)
    end
  end

  # Keeps the figure of a measure, in one of its cases if it has several ("100 Hz, busy"). Figure: a number; runs, as an array, of
  # which the mean is told; or what mean(), median() and range() return. `beside`: others' figures by their names, also as text. `of`: what would
  # be right. An unknown measure is an error of the benchmark, also where nothing is kept.
  def keep(key, figure, at: nil, beside: {}, of: nil)
    measures.key?(key) or raise ArgumentError, "tests/bench/measures.txt has no #{key}"
    file = ENV["BENCH_KEEP"] or return
    now = of_runs(figure) or return
    peers = beside.transform_values { |value| of_runs(value) }.compact
    peers.transform_values! { |value| value.is_a?(Hash) && value.keys == [:now] ? value[:now] : value }
    line = { measure: key, case: at }.compact.merge(now, { of: of && rounded(of), peer: (peers unless peers.empty?) }.compact, sitting)
    File.open(file, "a") { |io| io.write("#{JSON.generate(line)}\n") }
  end

  # ± is the standard error of the mean.
  def mean(runs)
    middle = runs.sum.fdiv(runs.size)
    error = Math.sqrt(runs.sum { |run| (run - middle)**2 } / (runs.size - 1.0) / runs.size) if runs.size > 1
    { now: rounded(middle), error: error && rounded(error), runs: runs.size, each: runs.map { |run| rounded(run) } }.compact
  end

  # ± is what resampling gives, so that no shape need be assumed.
  def median(runs)
    random = Random.new(1)
    middle = ->(values) { values.sort[((values.size - 1) * 0.5).round] }
    medians = Array.new(400) { middle.(Array.new(runs.size) { runs[random.rand(runs.size)] }) }
    { now: rounded(middle.(runs)), error: (rounded(mean_square(medians)) if runs.size > 1), runs: runs.size,
      each: runs.map { |run| rounded(run) } }.compact
  end

  # The mean, with the least and the most.
  def range(runs) = mean(runs).except(:error).merge(low: rounded(runs.min), high: rounded(runs.max))

  # The last line of each measure and case: {"low/alone" => {"10 ms" => line}, ...}. A case is nil where a measure has only one.
  def newest(file = FILE)
    File.foreach(file).with_object({}) do |text, all|
      line = JSON.parse(text)
      (all[line.fetch("measure")] ||= {})[line["case"]] = line
    end
  end

  # The whole page. Refuses a line of a measure that measures.txt does not have.
  def page(file = FILE)
    found = newest(file)
    unknown = found.keys - measures.keys
    unknown.empty? or raise ArgumentError, "measures.txt has no #{unknown.join(", ")}"
    HEAD + measures.values.map { |measure| row(measure, (found[measure.key] || {}).values) }.join
  end

  # ---- one line of the file -----------------------------------------------------------------------

  def of_runs(figure)
    case figure
    when Array then mean(figure.compact) unless figure.compact.empty?
    when Numeric then { now: rounded(figure) }
    when String then { now: figure }
    else figure
    end
  end

  # Four digits say more than any of these figures is worth.
  def rounded(value)
    return value if value.zero?
    digits = 4 - Math.log10(value.abs).ceil
    digits.positive? ? value.to_f.round(digits) : value.round
  end

  def mean_square(values)
    middle = values.sum / values.size
    Math.sqrt(values.sum { |value| (value - middle)**2 } / values.size)
  end

  def sitting
    @sitting ||= { ruby: RUBY_VERSION + (defined?(RubyVM::YJIT) && RubyVM::YJIT.enabled? ? " with YJIT" : ""), commit: commit,
                   date: Time.now.utc.strftime("%Y-%m-%d"), machine: machine }
    @sitting.merge(load: Float(ENV["BENCH_LOAD"] || LOAD_AT_START))
  end

  # With "+" where files differ from it, other than what the benchmarks write; "unknown" outside of git.
  def commit
    hash, status = Open3.capture2("git", "-C", HERE, "rev-parse", "--short=8", "HEAD", err: File::NULL)
    return "unknown" unless status.success?
    changed, = Open3.capture2("git", "-C", "#{HERE}/../..", "status", "--porcelain", "--", ".",
                               *[FILE, PAGE].map { |path| ":!tests/bench/#{File.basename(path)}" }, err: File::NULL)
    hash.chomp + (changed.empty? ? "" : "+")
  rescue Errno::ENOENT
    "unknown"
  end

  def machine
    about = File.read("/proc/cpuinfo")
    kind = about[/^model name\s*: (.+)/, 1] || "processor of unknown kind"
    "#{Etc.nprocessors} #{about.match?(/^flags.*\bhypervisor\b/) ? "vCPUs" : "CPUs"}, #{kind.strip}"
  end

  # ---- one row of the page --------------------------------------------------------------------------

  def row(measure, lines)
    said = ->(key) { lines.map { |line| line[key] }.compact.uniq.join(", ") }
    cells = ["#{measure.text}#{", #{measure.unit}" unless measure.unit.empty?}", measure.goal, now(measure, lines), beside(measure, lines),
             "`#{measure.command}`", said.("commit"), said.("date"), on(lines)]
    "| #{cells.map { |cell| cell.gsub("|", "/") }.join(" | ")} |\n"
  end

  def on(lines)
    return "" if lines.empty?
    %w[machine ruby load].zip(["", "Ruby ", "load "]).map { |key, word| word + lines.map { |line| line[key].to_s }.uniq.join(", ") }.join("; ")
  end

  def now(measure, lines)
    return "not measured yet" if lines.empty?
    runs = lines.filter_map { |line| line["runs"] }.uniq
    text = lines.map { |line| [line["case"], told(measure, line)].compact.join(": ") }.join("; ")
    runs.empty? ? text : "#{text} (#{runs.join(", ")} #{runs == [1] ? "run" : "runs"})"
  end

  def beside(measure, lines)
    names = lines.flat_map { |line| line["peer"]&.keys || [] }.uniq
    names.map do |name|
      those = lines.select { |line| line.dig("peer", name) }
      figures = those.map { |line| peer(measure, line["peer"][name]) }
      # Where all cases have the same, it is said once.
      figures = figures.size > 1 && figures.uniq.size == 1 ? figures.take(1) : figures.zip(those).map { |figure, line| [figure, line["case"]&.then { |at| "(#{at})" }].compact.join(" ") }
      "#{name}: #{figures.join(", ")}"
    end.join("; ")
  end

  def peer(measure, value) = told(measure, value.is_a?(Hash) ? value : { "now" => value })

  # "+0.40 ± 1.00", "9.9 of 10.0 (9.2 to 10.1)". No more digits than the file has: what was taken over from a text has fewer.
  def told(measure, line)
    figures = line.values_at("now", "error", "of", "low", "high")
    form = measure.format.sub(/\d+(?=f)/) { |digits| [digits.to_i, figures.map { |figure| decimals(figure) }.max].min.to_s }
    now, error, of, low, high = figures.map { |figure| figure.is_a?(Numeric) ? format(form, figure).tr("-", "−") : figure }
    [now, ("± #{error.delete("+")}" if error), ("of #{of}" if of), ("(#{low} to #{high})" if low)].compact.join(" ")
  end

  def decimals(figure) = figure.is_a?(Float) ? figure.to_s[/\.(\d+)\z/, 1].to_s.size : 0
end
