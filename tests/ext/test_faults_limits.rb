# What surrounds a program is not as the extension would like it: filters of system calls, a shared memory that is full,
# tiny, read-only or absent, and limits. With and without the extension the program says and returns the same.
require_relative "../faults/support"

class FaultsLimitsTest < Minitest::Test
  include Faults
  parallelize_me!

  FILTER = "#{BUILD}/tests/faults/with_filter"
  UNFIT = 77

  def self.argument(call, number, mask, value) = "#{call}:#{number}:#{mask}:#{value}"

  # A filter like that of docker, with the answers of old and new versions of it; what stricter ones might forbid that
  # only the extension needs. CLOCK_THREAD_CPUTIME_ID is 3, F_GETLK 5, F_SETLK 6, O_TMPFILE 0x410000, FUTEX_WAKE_OP 5.
  DOCKER = %w[
    acct add_key bpf clock_adjtime clock_settime delete_module finit_module get_mempolicy init_module io_uring_setup
    kcmp kexec_load keyctl mbind mount move_pages name_to_handle_at open_by_handle_at perf_event_open personality
    pivot_root process_vm_readv process_vm_writev ptrace quotactl reboot request_key set_mempolicy setns settimeofday
    swapoff swapon umount2 unshare userfaultfd vhangup
  ].freeze
  # What services are often forbidden: systemd's @resources.
  RESOURCES = %w[
    ioprio_set mbind migrate_pages move_pages quotactl sched_setaffinity sched_setattr sched_setparam sched_setscheduler
    set_mempolicy setpriority setrlimit
  ].freeze
  FILTERS = {
    docker: [Errno::EPERM, *DOCKER, argument("clone", 0, 0x7E020000, 0x10000000)],
    docker_that_kills: ["kill", *DOCKER],
    service_that_kills: ["kill", *RESOURCES],
    no_new_calls: [Errno::ENOSYS, *%w[clone3 close_range faccessat2 openat2 statx renameat2 memfd_create getrandom rseq pidfd_open]],
    no_new_calls_permitted: [Errno::EPERM, *%w[close_range faccessat2 openat2 memfd_create getrandom pidfd_open]],
    no_reservation: [Errno::EOPNOTSUPP, "fallocate"],
    no_truncation: [Errno::EPERM, "ftruncate"],
    no_links: [Errno::EPERM, "linkat", "renameat2"],
    no_removal: [Errno::EPERM, "unlink", "unlinkat"],
    no_directories: [Errno::EPERM, "mkdirat"],
    no_modes: [Errno::EPERM, "fchmod", "fchmodat"],
    no_nameless_files: [Errno::EINVAL, argument("openat", 2, 0x410000, 0x410000)],
    no_locks: [Errno::ENOLCK, argument("fcntl", 1, 0xFFFF, 6), argument("fcntl", 1, 0xFFFF, 5)],
    no_timers: [Errno::ENOSYS, "timerfd_create", "timer_create"],
    no_timer_settings: [Errno::EPERM, "timerfd_settime"],
    no_figures_of_file_systems: [Errno::EPERM, "statfs", "fstatfs"],
    no_randomness: [Errno::ENOSYS, "getrandom"],
    no_advice: [Errno::EPERM, "madvise"],
    no_clocks_of_threads: [Errno::EPERM, argument("clock_gettime", 0, 0xFFFFFFFF, 3)],
    no_shared_mappings: [Errno::EPERM, argument("mmap", 3, 0x3, 0x1)],
    no_waking_operations: [Errno::ENOSYS, argument("futex", 1, 0x7F, 5)],
    no_limits_asked: [Errno::EPERM, "prlimit64", "getrlimit"],
    no_writing_at_places: [Errno::EPERM, "pwrite64"],
    no_names_of_threads: [Errno::EPERM, argument("prctl", 0, 0xFFFFFFFF, 15)],
  }.freeze

  def filter(action, *rules)
    action = action::Errno if action.is_a?(Class)
    [FILTER, action.to_s, rules.join(",")]
  end

  # Runs it both ways and complains when they differ. Returns what the extension said.
  def same(program, what, wrapper, env: {})
    path = "#{FOLDER}/programs/#{program}.rb"
    code = "load #{path.dump}"
    env = { "FAULT_FOLDER" => @folder, "RPERF_TOP_DIR" => nil, "XDG_RUNTIME_DIR" => nil, **env }
    with, without = [true, false].map { |extension| start(code, env: env, with: extension, wrapper: wrapper) }
    [with, without].each(&:finish)
    skip "#{what} cannot be made here: #{without.err}" if without.status.exitstatus == UNFIT
    assert without.status.success?, "#{what}: the program itself: #{without.status} #{without.err}"
    ours, others = with.err.lines.partition { |line| line.match?(/\Arperf_top: [^;].*; this process is not profiled\n\z/) }
    assert_equal [without.out, without.status.exitstatus, without.status.termsig, without.err],
                 [with.out, with.status.exitstatus, with.status.termsig, others.join], what
    assert_operator ours.size, :<=, PROCESSES[program], "#{what}: #{with.err}"
    ours.first
  end

  FILTERS.each do |name, (action, *rules)|
    define_method("test_filter_#{name}") do
      %w[life parked].each do |program|
        same(program, name, filter(action, *rules), env: { "RPERF_TOP_RECORD_HZ" => program == "parked" ? "0" : nil })
      end
    end
  end

  # The program can make no thread either; it does not need one.
  def test_no_threads
    wrapper = [*filter(Errno::ENOSYS, "clone3"), *filter(Errno::EAGAIN, self.class.argument("clone", 0, 0x10000, 0x10000))]
    same("alone", "no threads", wrapper)
  end

  # A mount namespace in which the shared memory is another one. "$@" is the program.
  def shared_memory(script, program = "life")
    wrapper = Faults.after(script) or skip "no mount namespace can be made here"
    same(program, script, wrapper)
  end

  def tmpfs(options) = "mount -t tmpfs -o #{options} tmpfs /dev/shm"

  def test_no_room_at_all
    refute_nil shared_memory("#{tmpfs("size=1m")}; cat /dev/zero > /dev/shm/others 2> /dev/null || true")
  end

  def test_tiny
    ["size=4k", "size=64k", "size=1m,nr_inodes=2", "size=1m,nr_inodes=3"].each { |options| refute_nil shared_memory(tmpfs(options)), options }
  end

  def test_hardly_enough
    [2, 3, 5].each { |megabytes| shared_memory(tmpfs("size=#{megabytes}m")) }
  end

  def test_read_only
    refute_nil shared_memory(tmpfs("ro"))
  end

  def test_absent
    refute_nil shared_memory("dev=$(mktemp -d); mount -t tmpfs tmpfs $dev; for f in null zero random urandom; do touch $dev/$f; " \
                             "mount --bind /dev/$f $dev/$f; done; mount --move $dev /dev; rmdir $dev")
  end

  def test_a_file_where_shared_memory_is
    refute_nil shared_memory("dev=$(mktemp -d); mount -t tmpfs tmpfs $dev; for f in null zero random urandom; do touch $dev/$f; " \
                             "mount --bind /dev/$f $dev/$f; done; touch $dev/shm; mount --move $dev /dev; rmdir $dev")
  end

  def test_no_proc
    shared_memory("#{tmpfs("size=64m")}; mount -t tmpfs tmpfs /proc")
  end

  # What is left of the shared memory is taken and given back while the program runs.
  def test_filled_meanwhile
    shared_memory(tmpfs("size=24m"), "filler")
  end

  # It takes most of what the limit leaves, and gets it.
  def test_memory_that_the_program_needs_itself
    [["as", 150, 250, 700, 1500], ["data", 100, 160, 1000]].each do |limit, *megabytes|
      megabytes.each { |count| same("hungry", "#{limit} #{count} MB", ["prlimit", "--#{limit}=#{count << 20}"]) }
    end
  end

  def test_other_limits
    ["--memlock=0", "--stack=#{256 << 10}", "--sigpending=0"].each { |limit| same("life", limit, ["prlimit", limit]) }
  end

  # The super-user is not limited so: another user, who must be able to read the Ruby and the build.
  def test_few_processes
    user = ["setpriv", "--reuid", "61234", "--regid", "61234", "--clear-groups"]
    may = [RbConfig.ruby, "-I", BUILD, "-rrperf_top", "-e", "1"]
    skip "no other user can run this Ruby here" unless Process.uid.zero? && system(*user, *may, out: File::NULL, err: File::NULL)
    File.chmod(0o777, @folder)
    (1..3).each { |count| same("alone", "#{count} processes", [*user, "prlimit", "--nproc=#{count}"]) }
  end
end
