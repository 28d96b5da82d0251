# A terminal that tests hold in their own hands: bytes come as they are, answers go as the test wants them.
#
#   Terminal.open(*arguments, rows: 24, columns: 80, env: {}, answer: nil) { |terminal| ... }
#
# The viewer runs in it in a session of its own. `answer` is called with the terminal when the viewer asks
# where the cursor is (ESC [ 6 n), on the thread that reads.
require "io/console"
require "pty"
require_relative "support"

class Terminal
  ASKED = "\e[6n".b
  attr_reader :pid, :asked

  # The made-up process to watch, one for all tests of a program: its pid, as text.
  def self.fake
    @fake ||= begin
      pipe, out = IO.pipe
      pid = spawn("#{E2E::BUILD}/tests/fake_process", out: out)
      pipe.gets
      Minitest.after_run { Process.kill(:KILL, pid) }
      pid.to_s
    end
  end

  def self.open(*arguments, **options)
    terminal = new(*arguments, **options)
    yield terminal
  ensure
    terminal&.close
  end

  def initialize(*arguments, rows: 24, columns: 80, env: {}, answer: nil, shell: nil)
    @bytes, @lock, @answer, @asked, @reading = "".b, Mutex.new, answer, 0, true
    @master, slave = PTY.open
    @master.winsize = [rows, columns]
    @path = slave.path
    @held = slave                      # a terminal without any reader would be gone
    @before = modes
    environment = { "TERM" => "xterm-256color", "LC_ALL" => "C.UTF-8", "NO_COLOR" => "1",
                    "RPERF_TOP_CONFIG" => "none" }.merge(env)
    command = shell ? ["sh", "-c", shell] : [E2E::VIEWER, *arguments]
    # setsid -c makes it the controlling terminal
    @pid = spawn(environment, "setsid", "-c", *command, in: slave, out: slave, err: slave)
    @reader = Thread.new { read }
  end

  def type(text) = @master.write(text)
  def resize(rows, columns) = @master.winsize = [rows, columns]
  def signal(name) = Process.kill(name, @pid)
  def bytes = @lock.synchronize { @bytes.dup }
  def size = @lock.synchronize { @bytes.size }
  def stop_reading = @reading = false
  def go_on_reading = @reading = true
  def modes = IO.popen(["stty", "-F", @path, "-g"], err: File::NULL, &:read)
  def modes_are_back? = modes == @before

  # Without what only changes the looks.
  def text(from = 0)
    bytes[from..].to_s.gsub(/\e\[[0-9;]*m|\e\(B/n, "").force_encoding("UTF-8").scrub("?")
  end

  def wait_for(text, from: 0, seconds: E2E::DEADLINE)
    E2E.wait_until(text.inspect, seconds: seconds) { self.text(from).include?(text) }
  rescue RuntimeError => error
    raise "#{error.message} in #{self.text(from)[-2000..] || self.text(from)}"
  end

  # What a whole new picture holds: it begins with a cleared screen, and what was on its way before does not count.
  def repainted
    from = size
    type("\f")
    wait_for("\e[2J", from: from)
    from = bytes.index("\e[2J".b, from)
    wait_for("F10Qui", from: from)      # the last cell of a screen is written in its own way
    text(from)
  end

  # What the next one to read from the terminal would find.
  def left_in_input
    @held.raw!
    @held.read_nonblock(100, exception: false).then { |bytes| bytes == :wait_readable ? "" : bytes }
  end

  # Types it, and returns when the viewer has read it.
  def type_and_wait(text)
    type(text)
    E2E.wait_until("#{text.inspect} to be read") { unread.zero? || ended(0) }
  end

  # Seconds until the viewer is gone, or what it says happens, without those in which it or this program waited for a
  # core. (Of the time that the machine itself was not given one, all counts as waited.)
  def seconds_until(what, pid = @pid)
    from, waited = now, waited_for_a_core(pid)
    most = 0
    E2E.wait_until(what) do
      most = [most, waited_for_a_core(pid) - waited].max
      yield
    end
    now - from - most
  end

  def self.zombie?(pid)
    File.read("/proc/#{pid}/stat")[/\) (.)/, 1] == "Z"
  rescue Errno::ENOENT, Errno::ESRCH
    true
  end

  # Its Process::Status, or nil when it has not ended by then.
  def ended(seconds = E2E::DEADLINE)
    finish = now + seconds
    until @status
      done, status = Process.wait2(@pid, Process::WNOHANG)
      @status = status if done
      break if now > finish
      sleep 0.005
    end
    @status
  end

  # The terminal goes away, as when its window is closed.
  def hang_up
    @reader.kill.join
    @held.close unless @held.closed?
    @master.close unless @master.closed?
  end

  def close
    unless ended(0)
      Process.kill(:KILL, @pid)
      Process.kill(:CONT, @pid)
      ended
    end
    hang_up
  end

  private

  FIONREAD = 0x541b
  def unread = [0].pack("i").tap { |count| @held.ioctl(FIONREAD, count) }.unpack1("i")

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  def waited_for_a_core(pid)
    ns = [pid, "thread-self"].sum { |task| File.read("/proc/#{task}/schedstat").split[1].to_i rescue 0 }
    stolen = File.read("/proc/stat")[/^cpu .*/].split[8].to_f / Etc.sysconf(Etc::SC_CLK_TCK)
    ns / 1e9 + stolen
  end

  def read
    loop do
      sleep 0.01 until @reading
      chunk = @master.readpartial(65_536)
      @lock.synchronize { @bytes << chunk }
      asked = bytes.scan(ASKED).size
      next unless asked > @asked
      @asked = asked
      @answer&.call(self)
    end
  rescue IOError, Errno::EIO
    nil
  end
end
