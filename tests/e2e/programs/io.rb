# Two threads that pass one byte to and fro through pipes, as fast as they can.
#   io.rb [SECONDS]
FINISH = Process.clock_gettime(Process::CLOCK_MONOTONIC) + (ARGV[0] || Float::INFINITY).to_f

def ping(to, from)
  while Process.clock_gettime(Process::CLOCK_MONOTONIC) < FINISH
    to.syswrite("x")
    from.sysread(1)
  end
ensure
  to.close
end

def pong(to, from)
  loop { to.syswrite(from.sysread(1)) }
rescue EOFError
  nil
end

there, there_end = IO.pipe
back, back_end = IO.pipe
echo = Thread.new { Thread.current.name = "pong"; pong(back_end, there) }
ping(there_end, back)
echo.join
