# Works in one method, then for ever in another one. Says when the first is over.
def burn(seconds)
  finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
  nil while Process.clock_gettime(Process::CLOCK_MONOTONIC) < finish
end

def work_in_the_past = burn(1.5)
def work_at_present = burn(0.01)

work_in_the_past
File.write(ARGV[0], "over") if ARGV[0]
loop { work_at_present }
