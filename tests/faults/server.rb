# A Ruby that starts others by fork, which is twenty times quicker than by exec: it has tests/faults/fail_calls.c
# preloaded and the extension not yet loaded. Each job is a child that loads the extension and then a program.
#
# Reads jobs and writes answers, both with Marshal: {id:, program:, env:, folder:, with:} and {id:, out:, err:,
# status:, success:, hung:, profiled:, left:}. Told to end by the end of its input.
require "io/wait"

SECONDS = 20 # for one job; the programs take a tenth of one
AT_ONCE = 6

Running = Struct.new(:job, :pid, :deadline)
running = []

def name(job, what) = "#{job[:folder]}/#{what}"

def begin_job(job)
  pid = fork do
    Process.setpgid(0, 0)
    STDIN.reopen(File::NULL)
    STDOUT.reopen(name(job, "out"), "w")
    STDERR.reopen(name(job, "err"), "w")
    STDOUT.sync = true
    $0 = "fault"
    Dir.mkdir(job[:env]["XDG_RUNTIME_DIR"], 0o700) if job[:env]["XDG_RUNTIME_DIR"]
    ENV.update(job[:env])
    $state_path = name(job, "state")
    require "rperf_top" if job[:with]
    load job[:program]
    File.write($state_path, RperfTop.running?.to_s) if job[:with] && !File.exist?($state_path)
  end
  Running.new(job, pid, Process.clock_gettime(Process::CLOCK_MONOTONIC) + SECONDS)
end

# Files of its channels that are still there.
def left(job, pid)
  runtime = job[:env]["XDG_RUNTIME_DIR"] || "/nowhere"
  Dir.glob(["#{runtime}/**/{,.}*", "/dev/shm/rperf-top-*/rperf-top.*.#{pid}.*"]).select { |path| File.file?(path) }
end

def answer(job, status, hung)
  Process.kill(:KILL, -status.pid) rescue nil # what it left running
  state = File.read(name(job, "state")) rescue nil
  $answers.write(Marshal.dump(id: job[:id], out: File.binread(name(job, "out")), err: File.binread(name(job, "err")),
                              status: status.to_s.sub(/\Apid \d+ /, ""), success: status.success?, hung: hung, profiled: state == "true",
                              left: left(job, status.pid)))
end

$answers = STDOUT.dup
$answers.binmode
$answers.sync = true
STDIN.binmode
open = true
until !open && running.empty?
  if open && running.size < AT_ONCE && STDIN.wait_readable(running.empty? ? nil : 0)
    begin
      running << begin_job(Marshal.load(STDIN))
      next
    rescue EOFError
      open = false
    end
  end
  before = running.size
  running.reject! do |one|
    _, status = Process.wait2(one.pid, Process::WNOHANG)
    hung = !status && Process.clock_gettime(Process::CLOCK_MONOTONIC) > one.deadline
    if hung
      Process.kill(:KILL, -one.pid)
      status = Process.wait2(one.pid).last
    end
    answer(one.job, status, hung) if status
    status
  end
  sleep(0.002) if running.size == before
end
