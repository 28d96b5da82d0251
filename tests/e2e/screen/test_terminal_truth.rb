# After hundreds of refreshes the terminal shows what was drawn, character by character and in its colours: on
# terminals that move characters within a row and on those that do not.
require "shellwords"
require_relative "../terminal"

class TestTerminalTruth < Minitest::Test
  TERMS = %w[xterm-256color screen linux vt100].freeze
  VIEWS = %w[methods time].freeze
  SECONDS = 7                         # of ten refreshes each

  # A terminal that tmux plays, on a server of its own.
  class Pane
    def initialize(dir, term, view)
      @dir, @name = dir, "#{term}-#{view}"
      command = ["env", "TERM=#{term}", "LC_ALL=C.UTF-8", "TZ=UTC", "RPERF_TOP_CONFIG=none", "NO_COLOR=", E2E::VIEWER,
                 "-p", Terminal.fake, "--view", view, "-d", "0.1"]
      tmux("new-session", "-d", "-s", @name, "-x", "80", "-y", "24", "cd #{dir} && exec #{command.shelljoin}")
    end

    def keys(*keys) = tmux("send-keys", "-t", "=#{@name}:", *keys)
    def text = tmux("capture-pane", "-p", "-t", "=#{@name}:").lines.map(&:rstrip)
    def clock = text.first.to_s[/(\d+):(\d+):(\d+)/] && $1.to_i * 3600 + $2.to_i * 60 + $3.to_i
    def wait(what, &condition) = E2E.wait_until("#{what} on #{@name}:\n#{text.join("\n")}", seconds: 30, &condition)
    def ask(key, prompt) = keys(key) && wait(prompt) { text.last.include?(prompt) }

    # Nothing is refreshed any more.
    def rest
      ask("d", "Seconds")
      keys("C-u", "3600", "Enter")
      wait("the footer") { text.last.include?("F10Qui") }
    end

    # Returns when everything that was typed before has taken effect.
    def settle
      ask(":", ":")
      keys("Escape")
      wait("the footer") { text.last.include?("F10Qui") }
    end

    # What the viewer has drawn, as it says itself.
    def drawn
      path = "#{@dir}/#{@name}.screen"
      ask(":", ":")
      keys("save-display #{path}", "Enter")
      wait("the file") { File.size?(path) }
      File.readlines(path).map(&:rstrip)
    end

    # Every character with its attributes; of a blank only what can be seen of it.
    def cells
      pen = []
      tmux("capture-pane", "-e", "-p", "-t", "=#{@name}:").lines.map do |line|
        line.chomp.scan(/\e\[([\d;]*)m|(.)/).filter_map { |codes, text| codes ? (pen = change(pen, codes)) && nil : [text, look(pen, text)] }
            .reverse.drop_while { |cell| cell == [" ", []] }.reverse
      end
    end

    private

    def tmux(*arguments)
      IO.popen({ "TMUX" => nil }, ["tmux", "-u", "-S", "#{@dir}/socket", "-f", "/dev/null", *arguments],
               err: File::NULL, &:read)
    end

    def change(pen, codes)
      numbers = codes.split(";").map(&:to_i)
      numbers = [0] if numbers.empty?
      until numbers.empty?
        code = numbers.shift
        color = { 38 => 30, 48 => 40 }[code]
        color ? pen = without(pen, color) + [[color, *numbers.shift(2)]] : pen = code_changes(pen, code)
      end
      pen
    end

    def without(pen, base) = pen.reject { |first, *| (base..base + 9).cover?(first) || (base + 60..base + 67).cover?(first) }

    def code_changes(pen, code)
      case code
      when 0 then []
      when 1..9 then pen | [[code]]
      when 39, 49 then without(pen, code - 9)
      else without(pen, code / 10 * 10 >= 90 ? code / 10 * 10 - 60 : code / 10 * 10) + [[code]]
      end
    end

    def look(pen, text)
      shown = pen.any? { |first, *| [4, 7].include?(first) }
      pen = pen.reject { |first, *| first < 3 || first.between?(30, 39) || first.between?(90, 97) } if text == " " && !shown
      pen.sort
    end
  end

  def setup
    skip "tmux is not installed" unless system("tmux", "-V", out: File::NULL)
    @dir = Dir.mktmpdir
  end

  def teardown
    return unless @dir
    system("tmux", "-S", "#{@dir}/socket", "kill-server", err: File::NULL)
    FileUtils.rm_rf(@dir)
  end

  def test_screen_is_what_was_drawn
    panes = TERMS.product(VIEWS).to_h { |term, view| [[term, view], Pane.new(@dir, term, view)] }
    started = panes.to_h { |name, pane| [name, pane.wait("figures") { pane.text.any? { |line| line.include?("now") } && pane.clock }] }
    panes.each { |name, pane| pane.wait("#{SECONDS} s") { (pane.clock - started[name]) % 86_400 >= SECONDS } }
    panes.each_value(&:rest)
    panes.each do |name, pane|
      text, cells = pane.text, pane.cells
      pane.keys("C-l")
      pane.settle
      assert_equal cells, pane.cells, "after painting every cell anew: #{name.join(" ")}"
      assert_equal pane.drawn, text, name.join(" ")
    end
  end
end
