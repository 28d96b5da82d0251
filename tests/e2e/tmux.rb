# A terminal as a person sees it: tmux runs a command in it and tells what stands there.
require_relative "support"
require "shellwords"

class Tmux
  SOON = 20
  EVERY = 0.08 # each look is a process, and the viewer draws ten times a second

  def self.there? = system("tmux", "-V", out: File::NULL)

  attr_reader :size

  def initialize(columns, rows, command, env: {})
    @size = "#{columns}x#{rows}"
    @folder = Dir.mktmpdir("rperf-top-tmux.")
    env = { "RPERF_TOP_CONFIG" => "none", "TERM" => "screen-256color", "TZ" => "UTC" }.merge(env)
    run = "exec env #{env.map { |pair| pair.join("=").shellescape }.join(" ")} #{command.shelljoin}"
    mux("new-session", "-d", "-x", columns.to_s, "-y", rows.to_s, run, ";", "set", "-g", "status", "off", ";",
        "set", "-g", "remain-on-exit", "on", ";", "set", "-g", "escape-time", "0") or raise "tmux does not start"
    mux("resize-window", "-x", columns.to_s, "-y", rows.to_s)
  end

  def text = IO.popen([environment, *tmux, "capture-pane", "-p"], err: File::NULL, &:read)
  def keys(*keys) = mux("send-keys", *keys)

  # Another screen than the one of now, as it stands between two refreshes.
  def settled
    before = text
    E2E.wait_until("another screen at #{size}", every: EVERY) { text != before }
    shown = nil
    E2E.wait_until("a screen that stands at #{size}", every: EVERY) { shown == (shown = text) }
    shown
  end

  def top(rows) = text.lines.first(rows).join

  def wait_for(pattern, seconds: E2E::DEADLINE)
    shown = nil
    E2E.wait_until("#{pattern} at #{size}", seconds: seconds, every: EVERY) { (shown = text).match?(pattern) }
  rescue RuntimeError => error
    raise "#{error.message} in\n#{shown}"
  end
  def wait_gone(pattern) = E2E.wait_until("no #{pattern} at #{size}", every: EVERY) { !text.match?(pattern) }

  # In its first rows.
  def shows_soon?(pattern, rows:, seconds: SOON)
    E2E.wait_until(pattern.inspect, seconds: seconds, every: EVERY) { top(rows).match?(pattern) }
  rescue RuntimeError
    false
  end

  def close
    mux("kill-server")
    FileUtils.rm_rf(@folder)
  end

  private

  def environment = { "TMUX_TMPDIR" => @folder, "TMUX" => nil }
  def tmux = ["tmux", "-u", "-L", "look", "-f", "/dev/null"]
  def mux(*arguments) = system(environment, *tmux, *arguments, out: File::NULL, err: File::NULL)
end
