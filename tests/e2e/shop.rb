# The shop (programs/shop.rb), or another program on a real puma, in a process group of its own, and who asks it.
require_relative "support"
require "socket"

class ShopServer
  # nil: the gem puma is not here.
  def self.gems = (lib = E2E.gem_folder("puma")) && File.expand_path("../../..", lib)

  attr_reader :pid, :env, :folder

  # Gets the place of its socket, and the arguments.
  def initialize(program = "shop.rb", *arguments)
    @folder = Dir.mktmpdir("rperf-top-look.", File.writable?("/dev/shm") ? "/dev/shm" : nil)
    @socket = "#{@folder}/socket"
    @env = { "RPERF_TOP_DIR" => @folder, "GEM_PATH" => self.class.gems, "GEM_HOME" => self.class.gems,
             "RUBYLIB" => E2E::BUILD, "RUBYOPT" => nil }
    @pid = spawn(@env, RbConfig.ruby, *E2E.for_fiddle, "-rrperf_top", "#{E2E::PROGRAMS}/#{program}", @socket, *arguments, pgroup: true,
                 out: "#{@folder}/out", err: "#{@folder}/err")
    E2E.wait_until("the shop") { answers? }
  end

  def ask(path)
    socket = UNIXSocket.new(@socket)
    socket.write("GET #{path} HTTP/1.0\r\n\r\n")
    socket.read
  ensure
    socket&.close
  end

  # In threads that may wait for ever.
  def start_asking(*paths) = (@asking ||= []).concat(paths.map { |path| Thread.new { ask(path) rescue nil } })

  # Asks in threads of their own, again and again until the block ends.
  def asking(*paths)
    going = true
    askers = paths.map { |path| Thread.new { ask(path) while going } }
    yield
  ensure
    going = false
    askers.each(&:join)
  end

  def stop
    @asking&.each(&:kill)
    Process.kill(:KILL, -@pid)
    Process.wait(@pid)
  ensure
    FileUtils.rm_rf(@folder)
  end

  private

  def answers?
    raise "the shop ended: #{File.read("#{@folder}/err")}" if Process.wait(@pid, Process::WNOHANG)
    ask("/").include?("ok")
  rescue Errno::ENOENT, Errno::ECONNREFUSED
    false
  end
end
