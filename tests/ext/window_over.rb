# For programs of tests (support.rb loads it where it is called, or where Ractors are): waits for the profiler, not for a
# time. What a Ractor's block returned is Ractor#value, as in Ruby 4.0.
Ractor.alias_method :value, :take unless Ractor.method_defined?(:value)

# Until the window that is open now is in a segment of this process: what happened so far is known. That is so when it
# has been written to twice, a window apart. Asked is only when: whoever opens and closes a file of his own loses the
# lock (fcntl(2)) by which others know that he lives.
def window_over
  own = "#{ENV.fetch("RPERF_TOP_DIR")}/rperf-top.#{Process.uid}.#{Process.pid}.????????????????"
  written = lambda do
    Dir[own].map { |path| File.mtime(path) }.max
  rescue Errno::ENOENT
    nil
  end
  last, times = written.call, 0
  until times == 2
    sleep 0.001
    now = written.call
    next if now.nil? || (last && now - last < 0.06)
    last = now
    times += 1
  end
end
