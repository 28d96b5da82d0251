# For programs of tests (support.rb loads it where it is called): waits for the profiler, not for a time.

# Until the window that is open now is in a segment of this process: what happened so far is known. How many windows a
# segment has had stands in its counters (rperf-top-segment(5)); one that is to come has had none yet.
def window_over
  own = "#{ENV.fetch("RPERF_TOP_DIR")}/rperf-top.#{Process.uid}.#{Process.pid}.????????????????"
  windows = lambda do
    Dir[own].sum { |path| IO.binread(path, 8, 4096 + 64).unpack1("Q") }
  rescue Errno::ENOENT   # it has got its name only now, or lost that of a child's
    retry
  end
  known = windows.call
  sleep 0.001 until windows.call > known
end
