# Processes of this machine in a container: pids of their own, and a /dev/shm of their own. They are watched by the
# numbers that they have here.
require_relative "family"

class TestContainers < Minitest::Test
  include Family

  BOX = [*("--user" unless Process.uid.zero?), *("--map-root-user" unless Process.uid.zero?), "--pid", "--fork", "--mount", "--mount-proc"].freeze
  MEMORY = 'mount -t tmpfs tmpfs /dev/shm && exec "$@"'.freeze
  OUTSIDE = { "RPERF_TOP_DIR" => nil, "XDG_RUNTIME_DIR" => nil }.freeze
  INSIDE = OUTSIDE.merge("RUBYLIB" => BUILD, "RUBYOPT" => "-rrperf_top", "HOLD" => "1").freeze

  def setup
    _, err, status = Open3.capture3("unshare", *BOX, "sh", "-c", MEMORY, "box", "true")
    skip "no container can be made here: #{err.lines.first}" unless status.success?
  end

  # Of the only child of unshare, which is process 1 inside.
  def box(*program, memory: MEMORY)
    outer = spawn(INSIDE, "unshare", *BOX, "sh", "-c", memory, "box", RbConfig.ruby, *program, out: File::NULL)
    first = wait_until("process 1") { File.read("/proc/#{outer}/task/#{outer}/children")[/\d+/] }.to_i
    yield outer, first
  ensure
    Process.kill(:KILL, first) if first
    Process.wait(outer) if outer
  end

  def channels_inside(first) = Dir["/proc/#{first}/root/dev/shm/rperf-top-*/rperf-top.*"].grep_v(/ctl\z/).size

  def names(object) = object["processes"].map { |process| process["command"].scan(/first|second|grandchild|late|spawned|family/).last }.sort

  def assert_family(first, *target)
    object = wait_until("its titles") do # a process is there before it has said what it is called
      seen = viewer("-J", "-n", "1", "-F", "all", "-p", *target, env: OUTSIDE).objects.last
      seen if seen && names(seen) == %w[family first grandchild late second spawned]
    end
    assert_equal first, object["pid"], target
    parents = object["processes"].to_h { |process| [process["command"][/second|grandchild/], process["parent"]] }
    second = object["processes"].find { |process| process["command"] == "second" }
    assert_equal second["pid"], parents["grandchild"]
    object["processes"].each { |process| assert_path_exists "/proc/#{process["pid"]}/root" }
  end

  def test_a_family_in_a_box
    box(FAMILY) do |outer, first|
      wait_until("the whole family") { channels_inside(first) == 6 }
      assert_family(first, first.to_s)
      assert_family(first, outer.to_s)
      list = viewer("--list", env: OUTSIDE).out
      assert_match(/^ *#{first} .*family\.rb/, list)
      assert_match(/^ *\d+ .* {5}grandchild$/, list)
      assert_family(first, "family.rb")
      # Somebody enters it from outside: by his number, or by his name.
      entered = spawn(INSIDE, "nsenter", "--target", first.to_s, *("--user" unless Process.uid.zero?), "--pid", "--mount", "--", RbConfig.ruby, FAMILY, "spawned", out: File::NULL)
      wait_until("another channel") { channels_inside(first) == 7 }
      inner = File.read("/proc/#{entered}/task/#{entered}/children")[/\d+/]&.to_i || entered
      one = viewer("-J", "-n", "1", "-F", "all", "-p", inner.to_s, env: OUTSIDE).objects.last
      assert_equal inner, one["pid"]
      assert_includes one["command"], "spawned"
      Process.kill(:KILL, inner)
      Process.wait(entered)
      # What died inside has a number that means nothing here.
      assert_equal 6, viewer("--list", env: OUTSIDE).out.lines.grep(/ (first|second|grandchild|late)$|family\.rb/).size
    end
  end

  def test_a_command_that_makes_the_box
    object = viewer("-J", "-F", "all", "--", "unshare", *BOX, "sh", "-c", MEMORY, "box", RbConfig.ruby, FAMILY, env: OUTSIDE).objects.last
    assert_equal 6, object["processes"].size
    METHODS.each { |name| assert_operator method_named(object, name)["total"], :>, 0.3, name }
  end
end
