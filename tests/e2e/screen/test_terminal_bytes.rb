# Bytes that a screen of text does not show: what goes to the clipboard, and that nothing else goes anywhere.
require_relative "../terminal"

class TestTerminalBytes < Minitest::Test
  def setup
    pipe, out = IO.pipe
    @fake = spawn("#{E2E::BUILD}/tests/fake_process", out: out)
    pipe.gets
  end

  def teardown = Process.kill(:KILL, @fake)

  def watch(*options, **more)
    Terminal.open(*options, "-p", @fake.to_s, **more) do |terminal|
      terminal.wait_for("Order#total")
      yield terminal
    end
  end

  def test_what_is_copied
    watch do |terminal|
      terminal.type("j")
      terminal.repainted
      terminal.type("y")
      E2E.wait_until("something in the clipboard") { terminal.bytes.include?("\e]52;c;") }
      copied = terminal.bytes[/\e\]52;c;([^\a]*)\a/n, 1].unpack1("m")
      assert_equal "JSON::Ext::Generator#generate <C>", copied
    end
  end

  # One screen, left as it was entered; no mouse, no marks of frames, no colours but where they are wanted.
  def test_nothing_that_was_not_asked_for
    watch do |terminal|
      "12345678?".each_char { |key| terminal.type(key) && terminal.repainted }
      terminal.type("qq")
      assert_equal 0, terminal.ended&.exitstatus
      bytes = terminal.bytes
      assert_equal 1, bytes.scan("\e[?1049h").size
      assert_equal 1, bytes.scan("\e[?1049l").size
      refute_match(/\e\[\?(1000|1006|2026|2004|1004)/n, bytes)
      refute_match(/\e\[([0-9;]*;)?(3[0-8]|4[0-8]|9[0-7])[0-9;]*m/n, bytes)
      refute_match(/\e\][0-9]/n, bytes)
    end
  end

  def test_colours_by_what_the_terminal_has
    { "xterm-256color" => /\e\[38;5;\d+m/n, "xterm" => /\e\[3[0-7]m/n }.each do |term, colour|
      watch(env: { "TERM" => term, "NO_COLOR" => "" }) { |terminal| assert_match colour, terminal.bytes }
    end
    watch(env: { "TERM" => "vt100", "NO_COLOR" => "" }) do |terminal|
      refute_match(/\e\[([0-9;]*;)?(3[0-8]|4[0-8])[0-9;]*m/n, terminal.bytes)
    end
  end
end
