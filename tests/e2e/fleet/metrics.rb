# The viewer as it serves metrics, who scrapes it, and what tells whether the text is right.
require_relative "../support"
require "net/http"
require "socket"

# Samples of a page: name => { labels => value }.
class Samples
  def initialize(text)
    @all = Hash.new { |hash, name| hash[name] = {} }
    text.each_line do |line|
      next if line.start_with?("#")
      name, labels, value = line.match(/\A(\w+)(?:\{(.*)\})? (\S+)\n\z/)&.captures
      raise "no sample: #{line}" unless value
      @all[name]["#{labels}"] = Rational(value)
    end
  end

  def [](name, **labels) = find(name, **labels).values.sum
  def find(name, **labels) = @all[name].select { |text, _| labels.all? { |key, value| text.match?(/(?:\A|,)#{key}="#{Regexp.escape(value.to_s)}"/) } }
  def each = @all.each { |name, series| series.each { |labels, value| yield name, labels, value } }
  def pids = @all["rperf_top_process_up"].keys.map { |labels| labels[/pid="(\d+)"/, 1].to_i }
  # Of living ones.
  def live = @all["rperf_top_process_up"].filter_map { |labels, up| labels[/pid="(\d+)"/, 1].to_i if up == 1 }
end

class MetricsServer
  attr_reader :uri, :pid

  def initialize(*options, env: {})
    @errors = Tempfile.new("rperf-top-metrics")
    @pid = spawn(env, E2E::VIEWER, "--metrics", "0", *options, in: File::NULL, out: File::NULL, err: @errors.path)
    @uri = E2E.wait_until("the server") do
      raise "the viewer ended: #{said}" if Process.wait(@pid, Process::WNOHANG)
      said[%r{http://\S+}]
    end.then { |text| URI(text) }
  end

  def said = File.read(@errors.path)
  def get(path = "/metrics", **headers) = Net::HTTP.start(@uri.host, @uri.port) { |http| http.get(path, headers) }
  def text = get.body
  def samples = Samples.new(text)

  # Of a time after this call.
  def fresh(looks = 2)
    first = samples["rperf_top_agent_snapshots_total"]
    E2E.wait_until("another look") do
      now = samples
      now if now["rperf_top_agent_snapshots_total"] >= first + looks
    end
  end

  def stop(signal = :TERM)
    Process.kill(signal, @pid)
    Process.wait2(@pid).last
  end
end

module Prometheus
  FOLDER = `#{E2E::ROOT}/.setup/prometheus -p`.chomp

  module_function

  def program(name)
    path = "#{FOLDER}/usr/bin/#{name}"
    path if File.executable?(path)
  end

  # What prometheus_client's parser of OpenMetrics reads: [[name, labels, value], …]; nil: it is not here.
  def parse(text)
    lib = "#{FOLDER}/usr/lib/python3/dist-packages"
    return unless File.exist?("#{lib}/prometheus_client/openmetrics/parser.py")
    script = "import sys, json; from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse\n" \
             "print(json.dumps([[s.name, s.labels, s.value] for f in parse(sys.stdin.read()) for s in f.samples]))"
    out, err, status = Open3.capture3({ "PYTHONPATH" => lib, "PYTHONIOENCODING" => "utf-8", "PYTHONUTF8" => "1" }, "python3", "-c", script, stdin_data: text)
    raise "the parser says: #{err}" unless status.success?
    JSON.parse(out)
  end

  # promtool on a text of the older format.
  def check(text) = Open3.capture2e(program("promtool"), "check", "metrics", stdin_data: text)

  # Runs one that scrapes; yields what asks it.
  def scraping(uri, rules: [])
    Dir.mktmpdir("rperf-top-prometheus") do |folder|
      port = TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] }
      File.write("#{folder}/config.yml", <<~YAML)
        global: { scrape_interval: 1s, evaluation_interval: 1s }
        rule_files: #{rules.to_json}
        scrape_configs: [{ job_name: ruby, static_configs: [{ targets: ["#{uri.host}:#{uri.port}"] }] }]
      YAML
      pid = spawn(program("prometheus"), "--config.file=#{folder}/config.yml", "--storage.tsdb.path=#{folder}/data",
                  "--web.listen-address=127.0.0.1:#{port}", out: "#{folder}/log", err: "#{folder}/log")
      yield(lambda do |path, **query|
        answer = Net::HTTP.get(URI("http://127.0.0.1:#{port}/api/v1/#{path}?#{URI.encode_www_form(query)}"))
        JSON.parse(answer).then { |object| object["status"] == "success" ? object["data"] : raise("Prometheus says: #{answer}") }
      rescue SystemCallError
        raise "Prometheus ended: #{File.read("#{folder}/log")}" if Process.wait(pid, Process::WNOHANG)
        nil
      rescue JSON::ParserError # it is starting
        nil
      end)
    ensure
      Process.kill(:KILL, pid)
      Process.wait(pid)
    end
  end
end
