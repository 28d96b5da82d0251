# Memory that is limited: the history is charged to the application's control group, also what dead processes
# leave, and must never be what it is killed for.
require_relative "support"

class MemoryLimitTest < Minitest::Test
  include Support

  GROUPS = [["/sys/fs/cgroup/memory", "memory.limit_in_bytes"], ["/sys/fs/cgroup", "memory.max"]].freeze
  CODE = "$stdout.sync = true\nputs :start\nt = Thread.new { loop { 1000.times { |i| i.to_s }; sleep 0.001 } }\ngets\nputs :end"

  # Yields what runs a command in a group of so many megabytes.
  def limited(megabytes)
    group = make_group(megabytes) or skip "no memory control group can be made here"
    yield ["sh", "-c", "echo $$ > #{group}/cgroup.procs && exec \"$0\" \"$@\""]
  ensure
    @programs.each { |program| program.exited? or program.kill }
    FileUtils.rm_rf(@folder)   # what is charged to the group goes first
    Support.wait_for("the end of the group") { Dir.rmdir(group) rescue false } if group
  end

  def make_group(megabytes)
    GROUPS.each do |root, file|
      own = File.read("/proc/self/cgroup")[root.end_with?("memory") ? /:(?:\w+,)*memory(?:,\w+)*:(.*)/ : /^0::(.*)/, 1] or next
      group = [own, "/"].map { |place| "#{root}#{place}/rtop-test-#{$$}".squeeze("/") }.find { |path| Dir.mkdir(path) rescue false } or next
      begin
        File.write("#{group}/#{file}", (megabytes << 20).to_s)
        return group
      rescue SystemCallError
        Dir.rmdir(group)
      end
    end
    nil
  end

  def killed_at_each_start(megabytes, starts)
    limited(megabytes) do |wrapper|
      plain = start(CODE, with: false, wrapper: wrapper)
      skip "Ruby itself needs more than #{megabytes} MB" unless survives?(plain)
      plain.finish
      starts.times do |i|
        program = start(CODE, wrapper: wrapper)
        assert survives?(program), "start #{i}: #{program.status} #{program.err}"
        segment = Dump.read(program.channel)["geometry"]["segment_bytes"]
        assert_operator segment, :<=, [megabytes << 20 >> 3, 3 << 19].max
        program.dump_until("windows") { |dump| dump.windows.size > 2 }
        program.kill   # its segment stays
      end
      kept = Support.channels(@folder).sum { |path| File.stat(path).blocks * 512 }
      assert_operator kept, :<=, (megabytes << 20) / 8 + (3 << 19)   # and the last one's
    end
  end

  def survives?(program)
    program.line == "start"
  rescue RuntimeError
    false
  end

  def test_60_megabytes
    killed_at_each_start(60, 10)
  end

  def test_22_megabytes
    killed_at_each_start(22, 6)
  end
end
