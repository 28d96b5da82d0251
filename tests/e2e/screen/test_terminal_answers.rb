# What the terminal answers when it is asked how wide it draws blocks: soon, late, never, wrongly.
require_relative "../terminal"

class TestTerminalAnswers < Minitest::Test
  NARROW, WIDE, LATIN1 = "\e[2;6R", "\e[2;8R", "\e[2;13R"
  BLOCKS = /[▁▂▃▄▅▆▇█]/

  def watch(answer: nil, env: {}, options: [])
    reply = answer.is_a?(String) ? ->(terminal) { terminal.type(answer) } : answer
    Terminal.open(*options, "-p", Terminal.fake, env: env, answer: reply) do |terminal|
      terminal.wait_for("Order#total")
      yield terminal
    end
  end

  def wait_for_ascii(terminal)
    E2E.wait_until("a screen in ASCII") { terminal.repainted.ascii_only? }
  end

  def assert_untouched(terminal)
    screen = terminal.repainted
    assert_includes screen, "[1Methods]"
    assert_includes screen, "[LIVE]"
    assert_includes screen, "9Labels"   # whole: nothing else wants its place
    assert_includes screen, "SELF%v"
    refute_match(/\b(filter|search): [^(]/, screen)
    screen
  end

  def test_a_narrow_terminal_keeps_its_blocks
    watch(answer: NARROW) do |terminal|
      E2E.wait_until("the question") { terminal.asked == 1 }
      assert_match BLOCKS, assert_untouched(terminal)
      assert_match BLOCKS, terminal.repainted
      refute_includes terminal.text, "two columns wide"
      assert_equal 1, terminal.asked
    end
  end

  def test_a_wide_terminal_gets_ascii_and_may_be_overruled
    watch(answer: WIDE) do |terminal|
      terminal.wait_for("blocks are two columns wide")
      wait_for_ascii(terminal)
      terminal.type("~")
      assert_match BLOCKS, terminal.repainted
      terminal.type("~")
      wait_for_ascii(terminal)
    end
  end

  def test_a_setting_overrules_the_terminal
    Dir.mktmpdir do |folder|
      File.write("#{folder}/config", "ascii = off\n")
      watch(answer: WIDE, options: ["--config", "#{folder}/config"]) do |terminal|
        E2E.wait_until("the question") { terminal.asked == 1 }
        2.times { assert_match BLOCKS, terminal.repainted }
      end
    end
  end

  def test_a_terminal_without_utf8_gets_ascii
    watch(answer: LATIN1) do |terminal|
      terminal.wait_for("no UTF-8")
      wait_for_ascii(terminal)
    end
  end

  # A slow line: what is typed before the answer is heard, the answer is no key.
  def test_a_late_answer_is_heard
    late = lambda do |terminal|
      terminal.type_and_wait("2")
      terminal.type(WIDE)
    end
    watch(answer: late) do |terminal|
      terminal.wait_for("blocks are two columns wide")
      assert_includes terminal.repainted, "[2Tree]"
      wait_for_ascii(terminal)
    end
  end

  def test_an_answer_in_parts_is_heard
    parts = ->(terminal) { ["\e[", "2;8", "R"].each { |part| terminal.type_and_wait(part) } }
    watch(answer: parts) do |terminal|
      terminal.wait_for("blocks are two columns wide")
      assert_includes terminal.repainted, "[1Methods]"
    end
  end

  def test_no_answer_changes_nothing
    watch do |terminal|
      assert_match BLOCKS, assert_untouched(terminal)
      terminal.type("/Ord")
      terminal.type("\e")
      terminal.type("2")
      assert_includes terminal.repainted, "[2Tree]"
      terminal.type("q")
      assert_equal 0, terminal.ended&.exitstatus
    end
  end

  def test_wrong_answers_are_no_keys
    ["\e[99;99R", "\e[R", "\e[?2;6R", "\e[>1;95;0c", "\e[0n", "\e[2;6n", "\e[2;80R", "\eOp"].each do |answer|
      watch(answer: answer) do |terminal|
        E2E.wait_until("the question") { terminal.asked == 1 }
        assert_match BLOCKS, assert_untouched(terminal), answer.inspect
      end
    end
  end

  def test_a_cut_answer_does_not_take_keys_for_long
    read_at = nil
    cut = ->(terminal) { terminal.type_and_wait("\e[2;") && read_at = Process.clock_gettime(Process::CLOCK_MONOTONIC) }
    watch(answer: cut) do |terminal|
      # What is cut counts for a second from when it was read.
      E2E.wait_until("a second later") { read_at && Process.clock_gettime(Process::CLOCK_MONOTONIC) > read_at + 1.5 }
      terminal.type("2")
      assert_includes terminal.repainted, "[2Tree]"
    end
  end

  def test_keys_without_a_name_do_nothing
    watch(answer: NARROW) do |terminal|
      terminal.type("\e[57399u\e[15;6~\e[1;2P\e[200~\e[I")
      assert_untouched(terminal)
    end
  end

  # Nothing of it is left for the shell.
  def test_who_leaves_early_takes_the_answer_along
    E2E.wait_until("an answer within half a second, for which it waits") do
      took = nil
      late = lambda do |terminal|
        from = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        terminal.type_and_wait("q")
        terminal.type(WIDE)
        took = Process.clock_gettime(Process::CLOCK_MONOTONIC) - from
      end
      Terminal.open("-p", Terminal.fake, answer: late) do |terminal|
        assert_equal 0, terminal.ended&.exitstatus
        E2E.wait_until("the answer") { took }
        assert_equal "", terminal.left_in_input if took < 0.4
      end
      took < 0.4
    end
  end

  def test_leaving_does_not_wait_for_ever
    Terminal.open("-p", Terminal.fake, answer: ->(terminal) { terminal.type("q") }) do |terminal|
      E2E.wait_until("the question") { terminal.asked == 1 }
      assert_equal 0, terminal.ended&.exitstatus
    end
  end

  def test_who_is_not_known_to_answer_is_not_asked
    [{ "TERM" => "no-such-terminal" }, { "LC_ALL" => "C" }].each do |env|
      watch(env: env) { |terminal| assert_equal 0, terminal.asked, env.inspect }
    end
    watch(env: { "TERM" => "xterm-kitty" }) { |terminal| assert_equal 1, terminal.asked }
    watch(env: { "TERM" => "vt100" }) { |terminal| assert_equal 1, terminal.asked }
  end

  def test_the_locale_speaks_for_a_terminal_that_cannot
    watch(env: { "TERM" => "no-such-terminal", "LC_ALL" => "ja_JP.UTF-8" }) do |terminal|
      wait_for_ascii(terminal)
    end
    watch(env: { "LC_ALL" => "ja_JP.UTF-8" }, answer: NARROW) { |terminal| assert_match BLOCKS, terminal.repainted }
  end
end
