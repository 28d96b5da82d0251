# SPDX-License-Identifier: MIT
# What RperfTop.profile returns: where the time of a block went, of all threads, as plain frozen data.
module RperfTop
  class Profile
    STATES = %i[running waiting blocked marking sweeping].freeze
    FORMAT = "rperf_top profile 2" # 1 had no calls
    OTHER_FORMAT = "rperf_top: a profile is saved to a file that ends in .json, not to %1$s; " \
                   "rperf-top -r FILE.json -o %1$s writes other formats"
    private_constant :OTHER_FORMAT
    FORMATS = ["rperf_top profile 1", FORMAT].freeze

    # Nanoseconds by state and of CPU; wall is the sum of all states. Allocations are objects, estimated as samples are.
    Cost = Data.define(*STATES, :cpu, :allocations, :samples) do
      def wall = running + waiting + blocked + marking + sweeping
    end
    NOTHING = Cost.new(*[0] * Cost.members.size)

    # self: in the method itself; total: in it and what it calls.
    Method = Data.define(:name, :path, :line, :self, :total)
    Thread = Data.define(:name, :native_id, :main, :cost)
    # All work with this label; count: how often it began.
    Label = Data.define(:key, :value, :count, :cost)
    # Of the whole process.
    GC = Data.define(:minor, :major, :marking, :sweeping, :allocations)

    # duration: nanoseconds between the cuts around the block. samples, lost: how many were taken, and figures that found
    # no room. value: what the block returned; not saved.
    FIELDS = %i[duration cpu samples lost exceptions cost gc methods threads labels].freeze
    attr_reader(*(FIELDS - [:methods]), :value)

    # Largest self first. (Object#methods takes an argument: that one is answered as ever.)
    def methods(*all) = all.empty? ? @methods : super

    def initialize(fields, value = nil)
      FIELDS.each { |name| instance_variable_set(:"@#{name}", fields.fetch(name)) }
      @calls = fields[:calls]
      @value = value
      freeze
    end

    # The method of that name that took the most, or nil.
    def [](name) = @methods.find { |method| method.name == name }

    def to_h
      FIELDS.to_h { |name| [name, plain(instance_variable_get(:"@#{name}"))] }
    end

    # As JSON, in a new file or over an old one; RperfTop.load reads it, and `rperf-top -r`. A name that promises another
    # format is refused: the viewer writes those.
    def save(path)
      raise ArgumentError, OTHER_FORMAT % path unless Reader.saved_as?(File.path(path))
      require "json"
      File.write(path, JSON.generate({ format: FORMAT, **to_h, calls: Reader.saved_calls(@calls) }.compact))
      path
    end

    private

    def plain(object)
      case object
      when Array then object.map { |element| plain(element) }
      when Data then object.to_h.transform_values { |element| plain(element) }
      else object
      end
    end

    class << self
      def load(path)
        require "json"
        found = JSON.parse(File.read(path), symbolize_names: true, max_nesting: 10)
        raise ArgumentError, "#{path} is no profile of rperf_top" unless Hash === found && FORMATS.include?(found[:format])
        new(Reader.fields(found))
      rescue JSON::ParserError, KeyError, TypeError, NoMethodError
        raise ArgumentError, "#{path} is no profile of rperf_top"
      end

      # Profiles of several threads, and within one another, are open at the same time; each tells all of its own time.
      # What the profiler itself cannot do is no matter of the block's: then the profile is empty.
      def take(hz: nil, **options)
        number = Session.open(hz, options)
        OPEN.push(number) if number
        value = yield
        new(Reader.rows(number && RperfTop.profile_read(number, false)), value)
      ensure
        OPEN.delete(number) if number
        Session.close(number)
      end

      # Of the profile that was opened last and is still open.
      def snapshot(clear: false)
        number = OPEN.last or raise "rperf_top: no profile is open"
        new(Reader.rows(RperfTop.profile_read(number, clear)))
      end
    end

    OPEN = [] # numbers of those that are open, in all threads
    private_constant :OPEN

    # The profiler runs as long as somebody needs it, if it did not run before.
    module Session # :nodoc:
      @lock, @users, @own = Mutex.new, 0, false

      def self.open(hz, options)
        @lock.synchronize do
          @users += 1
          @own = start(options) unless RperfTop.running?
        end
        RperfTop.profile_open(hz)
      end

      # False: there is no memory, or no thread can be made. What somebody else raises in this thread is not ours.
      def self.start(options)
        RperfTop.start(record_hz: 0, **options)
      rescue RuntimeError => error
        raise unless error.message.start_with?("rperf_top: ")
        false
      end

      def self.close(number)
        RperfTop.profile_close(number) if number
        @lock.synchronize do
          @users -= 1
          next if @users > 0 || !@own
          @own = false
          RperfTop.stop
        end
      end
    end

    # From numbers to names.
    module Reader # :nodoc:
      SPECIAL = 2 # a frame that is no method; with this namespace it is a set of labels:
      LABELS = "(labels)"
      RESERVED = ["(root)", "(folded)", "(not sampled)", "(no Ruby frames)"].freeze

      # Sums of cells, by whatever they are of.
      class Sums < Hash # :nodoc:
        def initialize = super { |sums, of| sums[of] = [0] * Cost.members.size }

        def add(of, cell)
          _node, _thread, state, samples, wall, cpu, allocations = cell
          sum = self[of]
          sum[state] += wall
          sum[STATES.size] += cpu
          sum[STATES.size + 1] += allocations
          sum[STATES.size + 2] += samples
        end

        def cost(of) = key?(of) ? Cost.new(*self[of]) : NOTHING
      end

      module_function

      # Of what profile_read tells; nil: nothing was recorded.
      def rows(rows)
        rows ||= { duration: 0, lost: 0, counters: Hash.new(0), threads: [], cells: [], begun: [], nodes: {}, frames: {} }
        counters = rows[:counters]
        sums = Sums.new
        rows[:cells].each { |cell| sums.add(:all, cell) }
        whole = sums.cost(:all)
        gc = GC.new(counters[:minor], counters[:major], whole.marking, whole.sweeping, counters[:allocations])
        { duration: rows[:duration], cpu: counters[:cpu], samples: counters[:samples], lost: rows[:lost] + counters[:dropped],
          exceptions: counters[:exceptions], cost: whole, gc: gc, methods: methods_of(rows), threads: threads_of(rows),
          labels: labels_of(rows), calls: calls_of(rows) }
      end

      # What the viewer needs besides: rows, and where they are from.
      def calls_of(rows)
        began = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond) - rows[:duration]
        { rows: rows, began: began, pid: Process.pid, command: $PROGRAM_NAME.dup.force_encoding("UTF-8").scrub("?"),
          ruby: RUBY_VERSION, own: rows[:counters][:cost] }
      end

      # Is that the name of such a file, and not of one in another format?
      def saved_as?(path)
        ["", ".json"].include?(File.extname(path)) && !path.end_with?(".speedscope.json", ".trace.json")
      end

      # In the file an id is a place in a list. Of a profile that was loaded: as it stood there.
      def saved_calls(calls)
        rows = calls&.fetch(:rows, nil) or return calls
        nodes = rows[:nodes].keys.sort.each_with_index.to_h
        frames = rows[:nodes].each_value.map { |_, frame,| frame }.uniq.each_with_index.to_h
        at_place = ->((node, *rest)) { [nodes.fetch(node, 0), *rest] }
        { **calls.except(:rows), frames: frames.keys.map { |id| frame_of(rows, id) },
          nodes: nodes.keys.map { |id| rows[:nodes][id].then { |parent, frame, line| [nodes.fetch(parent), frames[frame], line] } },
          cells: rows[:cells].map(&at_place), begun: rows[:begun].map(&at_place) }
      end

      # A frame that is not there (any more) is as one that found no room.
      def frame_of(rows, id)
        label, path, space, line, kind = rows[:frames][id] || ["(other frames)", "", "", 0, SPECIAL]
        [RESERVED[id] || label.scrub("?"), path.scrub("?"), space.scrub("?"), line, kind]
      end

      # The frames of a node from the leaf on, and its set of labels or nil.
      def stack_of(rows, node)
        frames = []
        while node != 0 && (parent, id, = rows[:nodes][node])
          frame = rows[:frames][id] or break
          return [frames, frame[0]] if frame[2] == LABELS && frame[4] == SPECIAL
          frames << id
          node = parent
        end
        [frames, nil]
      end

      def methods_of(rows)
        own, total = Sums.new, Sums.new
        rows[:cells].each do |cell|
          frames, = stack_of(rows, cell[0])
          frames = [0] if frames.empty?
          own.add(frames.first, cell)
          frames.uniq.each { |frame| total.add(frame, cell) }
        end
        found = total.keys.map do |frame|
          name, path, _space, line, = rows[:frames][frame] || ["", "", "", 0]
          name = RESERVED[frame] || name.scrub("?").freeze
          Method.new(name, path.scrub("?").freeze, line, own.cost(frame), total.cost(frame))
        end
        found.sort_by { |method| [-method.self.wall, -method.total.wall, method.name] }.freeze
      end

      def threads_of(rows)
        sums = Sums.new
        rows[:cells].each { |cell| sums.add(cell[1], cell) }
        rows[:threads].each_with_index.map do |(_serial, native_id, name, main), place|
          Thread.new(name.scrub("?").freeze, native_id, main, sums.cost(place))
        end.freeze
      end

      # In a set a backslash stands before a comma, an equals sign of a key, and a backslash.
      def pairs(set)
        set.scrub("?").scan(/((?:[^\\,=]|\\.)*)=((?:[^\\,]|\\.)*)(?:,|\z)/m).map do |pair|
          pair.map { |text| text.gsub(/\\(.)/m, '\1').freeze }
        end
      end

      def labels_of(rows)
        sums, counts = Sums.new, Hash.new(0)
        rows[:cells].each do |cell|
          _, set = stack_of(rows, cell[0])
          pairs(set).each { |pair| sums.add(pair, cell) } if set
        end
        rows[:begun].each do |node, place, count|
          _, set = stack_of(rows, node)
          pair = set && pairs(set)[place]
          counts[pair] += count if pair
        end
        found = (sums.keys | counts.keys).map { |pair| Label.new(*pair, counts[pair], sums.cost(pair)) }
        found.sort_by { |label| [-label.cost.wall, label.key, label.value] }.freeze
      end

      # Of a file.
      def fields(found)
        { **found.slice(:duration, :cpu, :samples, :lost, :exceptions), calls: found[:calls], cost: cost(found.fetch(:cost)),
          gc: GC.new(**found.fetch(:gc)),
          methods: found.fetch(:methods).map { |row| Method.new(**row, self: cost(row[:self]), total: cost(row[:total])) }.freeze,
          threads: found.fetch(:threads).map { |row| Thread.new(**row, cost: cost(row[:cost])) }.freeze,
          labels: found.fetch(:labels).map { |row| Label.new(**row, cost: cost(row[:cost])) }.freeze }
      rescue ArgumentError # keys that are missing, or too many
        raise KeyError
      end

      def cost(numbers) = Cost.new(**numbers)
    end
  end
end
