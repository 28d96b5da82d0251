# The laws that hold for the history of every program: all time of a thread has an owner, once. For who has Minitest's assertions.
module Laws
  NS_PER_MS = 1_000_000

  # All time of a thread has an owner: until its end, or until the program told that it was over, however long the
  # publisher took to make its last window after that.
  def assert_whole_life(dump, thread, absolute: NS_PER_MS)
    charged = dump.total(thread: thread.serial)
    least = thread.ended ? dump.lifetime(thread) : dump.told_ns - [thread.start, dump.start_ns].max
    assert_operator charged, :>=, least - absolute, thread.name
    assert_operator charged, :<=, dump.lifetime(thread) + absolute, thread.name
  end

  # Running, marking and sweeping of all threads are within the window, as it was published.
  def assert_lock_is_one(dump)
    dump.told.each do |window|
      held = window["cells"].sum { |_, _, state, _, wall| %w[running marking sweeping].include?(state) ? wall : 0 }
      assert_operator held, :<=, window["end_ns"] - window["start_ns"], "window #{window["sequence"]}"
    end
  end

  # What a window lacks is in the next one: never more than a mean distance of sampling points, which the window
  # tells, of each state. On a busy machine that takes as much longer as the kernel let ticks and thread wait there.
  def assert_windows_whole(dump, thread, more: 0)
    owed = 0
    per_window = dump.per_window(thread)
    dump.windows.each_cons(2) do |window, following|
      length, covered = per_window[window["sequence"]]
      next unless length
      owed += length - covered
      waited = [window, following].sum { |one| without_core(one, thread) }
      may = 4 * window["counters"]["point_distance_ns"] + NS_PER_MS + waited + more
      assert_operator owed.abs, :<=, may, "#{thread.name}, window #{window["sequence"]}"
    end
  end

  # How long the kernel kept the publisher from its ticks, from its cut or (in the first window) from its start, and
  # the thread from a core while it had the GVL.
  def without_core(window, thread)
    own = window["cells"].select { |cell| cell.thread == thread.serial && %w[running marking sweeping].include?(cell.state) }
    missed = window["counters"]["ticks_missed"] * 1000 * NS_PER_MS / window["counters"]["rate_hz"]
    longer = [window["end_ns"] - window["start_ns"] - 100 * NS_PER_MS, 0].max
    missed + longer + own.sum { |cell| cell.wall - cell.cpu }
  end
end
