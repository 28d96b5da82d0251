# What the tests of failures share: jobs for tests/faults/server.rb, and the law that they must hold.
require_relative "../ext/support"

module Faults
  include Support

  FOLDER = File.expand_path(__dir__)
  SHIM = "#{BUILD}/tests/faults/fail_calls.so"
  # A file system of its own where shared memory is, so that what is left there is known and nobody else's.
  OWN_MEMORY = "mount -t tmpfs -o size=256m tmpfs /dev/shm"
  FULL = ENV["RTOP_FAULTS"] == "full"

  # How a call may fail; 0: it does half of its work. Of the others one way stands in fail_calls.c.
  ERRORS = {
    "open" => %i[EMFILE EACCES ENOENT EINTR], "openat" => %i[EMFILE EACCES ENOENT EOPNOTSUPP EISDIR ENOSPC], "close" => %i[EINTR EIO],
    "fcntl" => %i[EMFILE ENOLCK EACCES EINTR], "posix_fallocate" => %i[ENOSPC EOPNOTSUPP EINTR EFBIG], "ftruncate" => %i[EFBIG EINTR ENOSPC],
    "linkat" => %i[EPERM ENOENT EEXIST], "renameat2" => %i[ENOSYS EINVAL EEXIST], "mkdirat" => %i[EROFS EEXIST ENOSPC],
    "pread" => [:EIO, :EINTR, 0], "pwrite" => [:ENOSPC, :EINTR, 0, :EBADF], "read" => [:EIO, :EINTR, 0], "write" => %i[EAGAIN EPIPE],
    "getrandom" => [:ENOSYS, :EAGAIN, 0], "syscall" => %i[EINTR ENOSYS EAGAIN], "pthread_create" => %i[EAGAIN EPERM],
    "fopen" => %i[EMFILE EACCES], "timerfd_create" => %i[EMFILE ENOSYS], "mmap" => %i[ENOMEM EAGAIN EPERM], "madvise" => %i[EINVAL ENOMEM],
    "fstat" => %i[EIO EBADF], "clock_gettime" => %i[EINVAL EPERM], "pthread_timedjoin_np" => %i[ETIMEDOUT EINVAL],
  }.freeze
  OTHER_ERRORS = %i[ENOMEM EPERM ENOSYS].freeze
  FOR_EVER = 1 << 40
  PASSES = %w[clock_gettime syscall pthread_timedjoin_np].freeze # as interruptions do: no clock stands, no futex fails for ever
  # Files: those remove them, and without a clock the end cannot wait for the publisher. The next start sweeps them away.
  MAY_LEAVE = %w[lstat unlink clock_gettime *].freeze
  PROCESSES = Hash.new(1).merge("life" => 2, "parked" => 2).freeze

  Job = Struct.new(:program, :fault, :env, :folder)

  def self.included(test_class) = Support.included(test_class)

  def setup
    super
    skip "no #{SHIM}: run make tests" unless File.exist?(SHIM)
    @plain = {}
    @jobs = {}
    FileUtils.rm_rf(@folder)
    folder = @folder = Dir.mktmpdir("rperf-top-faults.", "/tmp") # not in the shared memory, which the programs do not see
    at_exit { FileUtils.rm_rf(folder) }
  end

  def teardown
    @input&.close
    @server && Process.wait(@server)
    super
  end

  # What runs a command after a script, in a mount namespace of its own; nil where none can be made.
  def self.after(script)
    @unshare ||= [%w[unshare -m], %w[unshare -rm]].find { |command| system(*command, "sh", "-c", OWN_MEMORY, err: File::NULL) } || []
    @unshare.empty? ? nil : [*@unshare, "sh", "-ec", "#{script}; exec \"$@\"", "sh"]
  end

  def serve
    own = Faults.after(OWN_MEMORY) || []
    input, @input = IO.pipe(binmode: true)
    @answers, output = IO.pipe(binmode: true)
    env = CLEAN.merge("LD_PRELOAD" => nil, "RPERF_TOP_DIR" => nil, "XDG_RUNTIME_DIR" => nil)
    command = [*own, "env", "LD_PRELOAD=#{SHIM}", RbConfig.ruby, "--disable-gems", "-I", BUILD, "#{FOLDER}/server.rb"]
    @server = Process.spawn(env, *command, in: input, out: output, err: "#{@folder}/server.err")
    [input, output].each(&:close)
  end

  # Where its channel is to be: in XDG_RUNTIME_DIR, or in a shared memory of its own where that can be had.
  def place(folder, runtime)
    return { "RPERF_TOP_DIR" => folder } unless Faults.after(OWN_MEMORY)
    { "XDG_RUNTIME_DIR" => runtime ? "/dev/shm/#{File.basename(folder)}" : nil }
  end

  def send_job(program, fault: nil, env: {}, with: true, runtime: false)
    serve unless @server
    id = @jobs.size
    folder = "#{@folder}/job#{id}"
    Dir.mkdir(folder)
    env = { "FAULT_FOLDER" => folder, "RTOP_FAULT" => fault, "RTOP_FAULT_COUNTS" => "#{folder}/counts", **place(folder, runtime), **env }
    Marshal.dump({ id: id, program: "#{FOLDER}/programs/#{program}.rb", env: env, folder: folder, with: with }, @input)
    @jobs[id] = Job.new(program, fault, env, folder)
    id
  end

  def take_answer
    answer = Marshal.load(@answers)
    answer[:counts] = counts(@jobs[answer[:id]].folder)
    answer
  rescue EOFError
    flunk "the server ended: #{File.read("#{@folder}/server.err")}"
  end

  def counts(folder)
    File.binread("#{folder}/counts").unpack("Z56Q" * (File.size("#{folder}/counts") / 64)).each_slice(2).to_h
  rescue Errno::ENOENT
    {}
  end

  # Runs them all, a few at a time, and yields each answer with its job.
  def run_jobs(jobs, &)
    waiting = jobs.dup
    under_way = 0
    until waiting.empty? && under_way.zero?
      while under_way < 8 && (job = waiting.shift)
        send_job(job[:program], **job.except(:program))
        under_way += 1
      end
      answer = take_answer
      under_way -= 1
      job = @jobs[answer[:id]]
      yield answer, job
      FileUtils.rm_rf(job.folder)
    end
  end

  def answer_to(program, **options)
    answer = nil
    run_jobs([{ program: program, **options }]) { |one| answer = one }
    answer
  end

  def plain(program, env = {})
    @plain[[program, env]] ||= answer_to(program, with: false, env: env)
  end

  def errors_of(kind) = ERRORS.fetch(kind, OTHER_ERRORS).map { |error| error == 0 ? 0 : Errno.const_get(error)::Errno }

  # From the call number `first` on `count` fail, in one way or (many: true) in each.
  def faults(kind, first, count = FOR_EVER, many: false)
    errors = errors_of(kind)
    errors = [errors[first % errors.size]] unless many
    errors.map do |error|
      passes = error == Errno::EINTR::Errno || PASSES.include?(kind)
      "#{kind}:#{first}:#{passes ? [count, 1000].min : count}:#{error}"
    end
  end

  # How often it calls what when nothing fails. The machine has a say in that: the fewest of three lives.
  def calls(program, **options)
    lives = []
    run_jobs([{ program: program, **options }] * 3) { |answer| lives << answer[:counts] }
    lives.reduce { |a, b| a.merge(b) { |_, x, y| [x, y].min } }.reject { |kind, count| count.zero? || kind == "failed" }
  end

  # Runs the program once for each fault and complains of those that break the law.
  def assert_law(program, faults, env: {}, **options)
    plain = plain(program, env)
    assert plain[:success], "the program itself: #{plain}"
    broken = []
    missed = 0
    run_jobs(faults.map { |fault| { program: program, fault: fault, env: env, **options } }) do |answer, job|
      missed += 1 if answer[:counts].fetch("failed", 0).zero?
      what = wrong(answer, plain, job.fault, PROCESSES[program]) and broken << "#{what}: #{describe(answer, job)}"
    end
    assert_empty broken, "#{broken.size} of #{faults.size} broke the law:\n#{broken.join("\n")}\n"
    assert_operator missed, :<=, faults.size / 3, "so many of #{faults.size} faults found no call to fail"
  end

  # The law. Returns what is wrong, or nil. A child says for itself that it is not profiled.
  def wrong(answer, plain, fault, processes)
    lines = answer[:err].lines
    ours = lines.grep(/\Arperf_top: [^;].*; this process is not profiled\n\z/)
    return "it hung" if answer[:hung]
    return "status #{answer[:status]} instead of #{plain[:status]}" if answer[:status] != plain[:status]
    return "output #{answer[:out].inspect} instead of #{plain[:out].inspect}" if answer[:out] != plain[:out]
    return "left #{answer[:left]}" unless answer[:left].empty? || fault.to_s.start_with?(*MAY_LEAVE)
    return "neither profiled nor told" if processes == 1 && !answer[:profiled] && ours.empty?
    return "more than a line of ours" if ours.size > processes
    "other errors" if (lines - ours).join != plain[:err]
  end

  def describe(answer, job)
    "#{job.program} #{job.fault} #{job.env}: #{answer[:status]} #{answer[:out].inspect[0, 200]} #{answer[:err][0, 600]}"
  end
end
