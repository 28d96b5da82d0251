# With which rights root reads what another host sends.
require_relative "../support"

class TestStreamRights < Minitest::Test
  include E2E
  NOBODY = 65534
  RECORDING = "#{ROOT}/tests/tui/recordings/1.2.rpt"

  def setup = skip("needs root") unless Process.euid.zero?

  # The viewer while its stream goes on, as soon as it has read some of it.
  def reading(*arguments)
    input, writer = IO.pipe
    out = Tempfile.new
    pid = spawn({ "TMPDIR" => E2E.logs }, VIEWER, "-r", "-", *arguments, in: input, out: out.path, err: out.path)
    input.close
    writer.write(File.binread(RECORDING))
    wait_until("the viewer to have read") { waits?(writer) }
    yield File.read("/proc/#{pid}/status")
    writer.close
    [Process.wait2(pid).last, out.read]
  ensure
    out&.close!
  end

  FIONREAD = 0x541b

  def waits?(pipe)
    left = [0].pack("i")
    pipe.ioctl(FIONREAD, left)
    left.unpack1("i").zero?
  end

  def ids(status, name) = status[/^#{name}:[ \t]*(.*)/, 1].split.map(&:to_i)

  def test_it_is_nobody
    status, said = reading("-b") do |told|
      assert_equal [NOBODY] * 4, ids(told, "Uid")
      refute_includes ids(told, "Gid"), 0
      assert_empty ids(told, "Groups")
      %w[CapInh CapPrm CapEff CapAmb].each { |set| assert_match(/^#{set}:\s*0+$/, told) }
      assert_equal [1], ids(told, "NoNewPrivs")
    end
    assert_predicate status, :success?, said
    assert_includes said, "Order3#call10"
  end

  # A file in a folder of root's is written as before.
  def test_it_writes_what_it_was_asked_for
    Dir.mktmpdir do |folder|
      status, said = reading("-o", "#{folder}/a.collapsed") { |told| assert_equal [0] * 4, ids(told, "Uid") }
      assert_predicate status, :success?, said
      assert_operator File.size("#{folder}/a.collapsed"), :>, 0
    end
  end
end
