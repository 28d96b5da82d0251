# A process with children and theirs (programs/family.rb), in a folder of its own.
require_relative "../support"

module Family
  include E2E

  FAMILY = "#{PROGRAMS}/family.rb".freeze
  METHODS = %w[in_master in_first in_second in_grandchild in_spawned in_late].map { |name| "Object##{name}" }.freeze

  def in_folder
    Dir.mktmpdir("rperf-top-trees.", "/dev/shm") { |folder| yield folder, { "RPERF_TOP_DIR" => folder } }
  end

  # Until its last child is there.
  def family(env)
    running(FAMILY, env: env.merge("HOLD" => "1", "XDG_RUNTIME_DIR" => nil)) do |pid|
      wait_until("the whole family") { Dir["#{env["RPERF_TOP_DIR"]}/rperf-top.*"].grep_v(/ctl\z/).size == 6 }
      yield pid
    ensure
      Dir["#{env["RPERF_TOP_DIR"]}/rperf-top.*"].each { |path| Process.kill(:KILL, path[/\.(\d+)\.\h{16}/, 1].to_i) rescue nil }
    end
  end

  def running(*program, env:)
    pid = spawn({ "RUBYLIB" => BUILD, "RUBYOPT" => "-rrperf_top" }.merge(env), RbConfig.ruby, E2E::QUICK, *program, out: File::NULL)
    yield pid
  ensure
    Process.wait(pid)
  end
end
