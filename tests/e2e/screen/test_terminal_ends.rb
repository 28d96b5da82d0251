# Every kind of end in every state of the screen: the process is gone within a second, the terminal is whole.
# Waits nearly all of the time
require_relative "../terminal"

class TestTerminalEnds < Minitest::Test
  LEFT, CURSOR, MOUSE_OFF = "\e[?1049l".b, "\e[?25h".b, /\e\[\?(1006;)?1000l/n
  ENDS = { "TERM" => 0, "INT" => 0, "QUIT" => 0, "HUP" => 0,
           "SEGV" => nil, "ABRT" => nil, "BUS" => nil, "FPE" => nil, "ILL" => nil }.freeze
  SECONDS = 1.5                        # one, and what the machine adds; time without a core is not counted

  def watch(*options, **more)
    Terminal.open(*options, "-p", Terminal.fake, **more) do |terminal|
      terminal.wait_for("Order#total")
      yield terminal
    end
  end

  def assert_whole(terminal, what, mouse: false)
    E2E.wait_until("the end of what it wrote: #{what}") { terminal.bytes.include?(LEFT) }
    last = terminal.bytes[-150..]
    assert_includes last, CURSOR, what
    assert_match MOUSE_OFF, last, what if mouse
    assert terminal.modes_are_back?, what
  end

  def assert_soon(terminal, what, pid = terminal.pid, within: SECONDS)
    assert_operator terminal.seconds_until("the end: #{what}", pid) { Terminal.zombie?(pid) }, :<=, within, what
  end

  def assert_ended(terminal, signal, what)
    assert_soon(terminal, what)
    status = terminal.ended
    if ENDS[signal]
      assert_equal ENDS[signal], status.exitstatus, what
    else
      assert_equal Signal.list[signal], status.termsig, what
    end
  end

  { "the table" => nil, "a prompt" => "/Ord", "a menu" => "S", "help" => "?", "groups" => "z8" }.each do |state, keys|
    define_method("test_ends_in_#{state.tr(" ", "_")}") do
      (keys ? %w[TERM HUP SEGV] : ENDS.keys).each do |signal|
        watch do |terminal|
          terminal.type(keys) if keys
          terminal.repainted if keys && state != "a prompt"
          terminal.signal(signal)
          assert_ended(terminal, signal, "#{signal} in #{state}")
          assert_whole(terminal, "#{signal} in #{state}")
        end
      end
    end
  end

  # From the list to a process, back, and out, faster than the screen follows.
  def test_keys_ahead_of_a_change_of_target
    Terminal.fake
    Terminal.open do |terminal|
      terminal.wait_for("COMMAND")
      terminal.type("\r")
      terminal.wait_for("SELF%")
      terminal.type("qq")
      assert_equal 0, terminal.ended(30)&.exitstatus
    end
  end

  def test_ends_with_the_mouse
    ENDS.each_key do |signal|
      watch("-M") do |terminal|
        terminal.signal(signal)
        assert_ended(terminal, signal, "#{signal} with the mouse")
        assert_whole(terminal, "#{signal} with the mouse", mouse: true)
      end
    end
  end

  def test_keys_that_come_from_elsewhere
    watch(shell: "exec #{E2E::VIEWER} -p #{Terminal.fake} < /dev/tty") do |terminal|
      terminal.signal("SEGV")
      assert_ended(terminal, "SEGV", "a terminal that is only read from")
      assert_whole(terminal, "a terminal that is only read from")
    end
  end

  def test_a_broken_pipe_is_no_end
    watch do |terminal|
      terminal.signal("PIPE")
      assert_includes terminal.repainted, "[1Methods]"
    end
  end

  # `kill %1` sends the signal and lets it go on, in the background: there it may not touch the terminal.
  def test_ends_while_suspended
    ENDS.each_key do |signal|
      in_a_shell do |terminal, pid|
        modes, from = terminal.modes, terminal.size
        Process.kill(signal, pid)
        Process.kill(:CONT, pid)
        assert_soon(terminal, signal, pid)
        assert_equal modes, terminal.modes, signal
        refute_includes terminal.bytes[from..], LEFT, signal
      end
    end
  end

  def test_goes_on_in_the_background_only_to_stop
    in_a_shell do |terminal, pid|
      from = terminal.size
      terminal.type("bg\n")
      terminal.wait_for("rperf-top", from: from)
      E2E.wait_until("it to stop again") { state_of(pid) == "T" }
      from = terminal.size
      terminal.type("fg\n")
      terminal.wait_for("[1Methods]", from: from)
      from = terminal.size
      Process.kill(:STOP, pid)
      terminal.wait_for("prompt>", from: from)
      Process.kill(:CONT, pid)           # stopped by others, continued in the background
      E2E.wait_until("it to stop again") { state_of(pid) == "T" }
      Process.kill(:TERM, pid)
      Process.kill(:CONT, pid)
      assert_soon(terminal, "in the background", pid)
    end
  end

  def test_a_closed_terminal_ends_it_also_while_suspended
    in_a_shell do |terminal, pid|
      terminal.hang_up
      assert_soon(terminal, "a closed terminal", pid)
    end
  end

  # Ctrl-S, or a line that is down: it ends all the same, and what waits to be shown does not come first.
  def test_ends_of_a_terminal_that_does_not_read
    %w[TERM INT QUIT HUP SEGV].product([:full, :stopped]).each do |signal, how|
      watch("-M", "-d", "0.1", rows: 50, columns: 160) do |terminal|
        how == :full ? fill(terminal) : terminal.type("\x13")
        E2E.wait_until("a write that waits") { waits_in_write?(terminal) }
        terminal.signal(signal)
        assert_soon(terminal, "#{signal} #{how}", within: 1 + SECONDS)
        terminal.go_on_reading
        assert_whole(terminal, "#{signal} #{how}", mouse: true)
      end
    end
  end

  def test_a_terminal_that_reads_again_is_up_to_date
    watch("-d", "0.1", rows: 50, columns: 160) do |terminal|
      terminal.type("\x13")
      E2E.wait_until("a write that waits") { waits_in_write?(terminal) }
      stopped = Time.now.to_i
      E2E.wait_until("another time of day") { Time.now.to_i > stopped + 2 }
      from, resumed = terminal.size, Time.now.to_i
      terminal.type("\x11")
      E2E.wait_until("more of it") { terminal.size > from }
      E2E.wait_until("a picture of now") do
        hours, minutes, seconds = terminal.repainted[/\d\d:\d\d:\d\d/].split(":").map(&:to_i)
        midnight = Time.at(resumed).then { |now| Time.new(now.year, now.month, now.day).to_i }
        (midnight + hours * 3600 + minutes * 60 + seconds - resumed) % 86_400 < 3600
      end
      terminal.type("2")
      assert_includes terminal.repainted, "[2Tree]"
    end
  end

  private

  def in_a_shell
    Terminal.open(shell: "PS1='prompt> ' exec bash --norc -i") do |terminal|
      terminal.wait_for("prompt>")
      terminal.type("#{E2E::VIEWER} -M -p #{Terminal.fake}\n")
      terminal.wait_for("Order#total")
      pid = File.read("/proc/#{terminal.pid}/task/#{terminal.pid}/children").to_i
      from = terminal.size
      terminal.type("\x1a")
      terminal.wait_for("prompt>", from: from)
      yield terminal, pid
    ensure
      Process.kill(:KILL, pid) if pid && File.exist?("/proc/#{pid}")
    end
  end

  def state_of(pid) = File.read("/proc/#{pid}/stat")[/\) (.)/, 1]
  def waits_in_write?(terminal) = File.read("/proc/#{terminal.pid}/syscall").start_with?("1 ")

  def fill(terminal)
    terminal.stop_reading
    until waits_in_write?(terminal)
      terminal.type("\f")
      sleep 0.02
    end
  end
end
