# SPDX-License-Identifier: MIT
begin
  require "fiddle"
rescue LoadError => error
  raise unless error.path == "fiddle" # it is there, and lacks something itself
  raise error, "RperfTop::Reader needs the gem fiddle: install it, and under Bundler add `gem \"fiddle\"` to the Gemfile " \
               "(it is no default gem since Ruby 4.0)"
end

module RperfTop
  # What rperf-top knows of other Ruby processes: librperf_top(3), by its C interface. This process needs no extension.
  # Times are nanoseconds.
  class Reader
    # `code` is a number of enum rperf_top_error_code.
    class Error < StandardError
      attr_reader :code

      def initialize(text, code = 0)
        super(text)
        @code = code
      end
    end

    SONAME = "librperf_top.so.0"
    # In the folder of a build or a gem, beside that of an installation, or where the system has its libraries.
    PLACES = ["#{__dir__}/../#{SONAME}", "#{__dir__}/../../#{SONAME}", SONAME].freeze

    STATES = %i[running waiting blocked marking sweeping].freeze
    PROCESS_STATES = %i[live stalled ended dead].freeze
    METHOD_KINDS = %i[ruby c special group].freeze
    CAUSES = %i[whole running gvl gc gc_others lock io sleep queue fiber other].freeze
    BEHIND_CAUSES = %i[gvl gc lock handover].freeze
    EVENTS = %i[process_joined process_ended thread_started thread_ended gc_begun gc_ended mark label stall stall_ended
                exception window gap].freeze

    # A structure of C: its members in order, as "name:type", with pack's letters and s for a string.
    class Layout
      BYTES = { "C" => 1, "i" => 4, "I" => 4, "q" => 8, "Q" => 8, "d" => 8, "s" => 8 }.freeze
      Member = Struct.new(:name, :type, :count, :offset)
      attr_reader :members, :bytes, :row

      def initialize(text)
        @bytes = 0
        @members = text.split.map do |word|
          name, type, count = word.match(/\A(\w+):(\w)(\d*)\z/).captures
          size = BYTES.fetch(type)
          offset = (@bytes + size - 1) / size * size
          count = count.empty? ? nil : count.to_i
          @bytes = offset + size * (count || 1)
          Member.new(name.to_sym, type, count, offset)
        end
        @row = Struct.new(*@members.map(&:name).reject { |name| name.start_with?("unused") })
      end

      # The values of the structure there, by name.
      def read(pointer)
        bytes = pointer[0, @bytes]
        @members.reject { |member| member.name.start_with?("unused") }.to_h { |member| [member.name, value(bytes, member)] }
      end

      private

      def value(bytes, member)
        return Fiddle::Pointer.new(bytes.unpack1("@#{member.offset}Q")).to_s.force_encoding(Encoding::UTF_8) if member.type == "s"
        values = bytes.unpack("@#{member.offset}#{member.type}#{member.count}")
        member.count ? values : values.first
      end
    end

    COST = Layout.new("wall_ns:Q5 cpu_ns:Q blame_ns:Q allocations:Q samples:Q")
    PROCESS = Layout.new("pid:i parent:i uid:I state:I rate_hz:I threads:I depth:I by_exec:I age_ns:q user:s ruby:s command:s end:s " \
                         "cores:d held:d does:s")
    TOTALS = Layout.new("start_ns:q end_ns:q length_ns:Q windows:I gaps:I cost:Q9 gc_minor:Q gc_major:Q exceptions:Q " \
                        "allocations:Q cpu_ns:Q gvl_releases:Q profiling_ns:Q rate_hz:Q heap_live_slots:Q malloc_bytes:Q rss_bytes:Q")
    METHOD = Layout.new("name:s path:s line:I kind:I threads:I unused:I self_ns:Q total_ns:Q most_ns:Q self:Q9 total:Q9")
    THREAD = Layout.new("name:s where:s serial:Q pid:i native_id:I state:I is_main:C ended:C stale:C unused:C state_age_ns:Q cost:Q9")
    LABEL = Layout.new("key:s value:s count:Q cost:Q9 ended:Q open:Q oldest_ns:Q")
    LATENCY = Layout.new("count:Q sum_ns:Q max_ns:Q p50_ns:Q p90_ns:Q p99_ns:Q known:I unused:I")
    REQUEST = Layout.new("labels:s thread:s method:s start_ns:q end_ns:q serial:Q pid:i native_id:I cause:I unused:I took_ns:Q16 " \
                         "share:d gvl_thread:s gvl_method:s lock_thread:s lock_method:s")
    BEHIND = Layout.new("key:s value:s holder:s method:s cause:I unused:I count:Q wait_ns:Q")
    EVENT = Layout.new("kind:I pid:i time_ns:q since_ns:q length_ns:Q count:Q serial:Q late:I unused:I wall_ns:Q5 name:s method:s detail:s path:s line:I unused2:I")
    LOST = Layout.new("events:Q gaps:Q gap_ns:Q marks:Q labels:Q threads:Q")
    ERROR = Layout.new("code:i errno:i text:C320")

    Cost = Struct.new(*STATES, :cpu_ns, :blame_ns, :allocations, :samples) do
      # With the GVL.
      def held_ns = running + marking + sweeping
      def wall_ns = held_ns + waiting + blocked
    end
    ProcessRow = Struct.new(*PROCESS.row.members, keyword_init: true)
    Totals = Struct.new(*TOTALS.row.members, keyword_init: true) do
      def span = start_ns...end_ns
    end
    MethodRow = Struct.new(*METHOD.row.members.map { |name| { self: :self_cost, total: :total_cost }.fetch(name, name) }, keyword_init: true)
    ThreadRow = Struct.new(*THREAD.row.members, keyword_init: true)
    # `latency` is a Hash by cause, as CAUSES names them; empty when none of the work ended, or that is not known.
    LabelRow = Struct.new(*LABEL.row.members, :latency, keyword_init: true)
    Latency = Struct.new(*LATENCY.row.members, keyword_init: true)
    # `took` is a Hash of nanoseconds by cause; `method_name` is the member `method` of C.
    Request = Struct.new(*REQUEST.row.members.map { |name| { took_ns: :took, method: :method_name }.fetch(name, name) }, keyword_init: true)
    Behind = Struct.new(*BEHIND.row.members.map { |name| { method: :method_name }.fetch(name, name) }, keyword_init: true)
    Event = Struct.new(*EVENT.row.members, keyword_init: true)
    Lost = Struct.new(*LOST.row.members, keyword_init: true)
    Sum = Struct.new(:totals, :methods, :threads, :labels, :requests, :behind, keyword_init: true)

    # The functions of the library, which is loaded when it is needed first. They run without the GVL.
    module Library
      P, I, Q, V = Fiddle::TYPE_VOIDP, Fiddle::TYPE_INT, Fiddle::TYPE_LONG_LONG, Fiddle::TYPE_VOID
      FUNCTIONS = {
        version: [[], P], list_read: [[P], P], list_count: [[P], Q], list_get: [[P, Q], P], list_free: [[P], V],
        open: [[P, P], P], close: [[P], V], poll: [[P], Q], wait: [[P, Q], Q], over: [[P], Fiddle::TYPE_CHAR],
        problem: [[P], P], process_count: [[P], Q], process_get: [[P, Q], P], clock_offset_ns: [[P], Q],
        last: [[P, Q, P], V], sum_make: [[P, P, P, P], P], sum_free: [[P], V], sum_totals: [[P], P],
        sum_method_count: [[P], Q], sum_method: [[P, Q], P], sum_thread_count: [[P], Q], sum_thread: [[P, Q], P],
        sum_label_count: [[P], Q], sum_label: [[P, Q], P], sum_latency: [[P, Q, I], P], cause_name: [[I], P],
        sum_request_count: [[P], Q], sum_request: [[P, Q], P], sum_behind_count: [[P], Q], sum_behind: [[P, Q], P],
        event_name: [[I], P], subscribe: [[P, P, P], P],
        unsubscribe: [[P], V], event_next: [[P], P], events_lost: [[P, P], V]
      }.freeze
      LOADING = Thread::Mutex.new

      module_function

      def handle
        places = PLACES.select { |place| !place.include?("/") || File.exist?(place) }
        Fiddle.dlopen(places.first)
      rescue Fiddle::DLError => error
        raise Error, "#{SONAME} is not there: `make lib`, or a gem that was built with the viewer (#{error.message})"
      end

      def functions
        LOADING.synchronize do
          @functions ||= handle.then do |library|
            FUNCTIONS.to_h { |name, (arguments, result)| [name, Fiddle::Function.new(library["rperf_top_#{name}"], arguments, result)] }
          end
        end
      end

      def call(name, *arguments) = functions.fetch(name).call(*arguments)

      # Yields where an error goes; a NULL raises it.
      def checked
        error = Fiddle::Pointer.malloc(ERROR.bytes, Fiddle::RUBY_FREE)
        error[0, ERROR.bytes] = "\0" * ERROR.bytes
        result = yield error
        return result unless result.null?
        values = ERROR.read(error)
        raise Error.new(values[:text].pack("C*").unpack1("Z*").force_encoding(Encoding::UTF_8), values[:code])
      end

      # A structure of these values; Strings become pointers, which live as long as the block.
      def structure(format, *values)
        kept = values.map { |value| value.is_a?(String) ? Fiddle::Pointer[value + "\0"] : value }
        kept = kept.map { |value| value.is_a?(Fiddle::Pointer) ? value : value || 0 }
        bytes = kept.map { |value| value.is_a?(Fiddle::Pointer) ? value.to_i : value }.pack(format)
        yield Fiddle::Pointer[bytes]
      ensure
        kept&.size
      end
    end

    class << self
      # All that can be followed: an Array of ProcessRow.
      def processes
        list = Library.checked { |error| Library.call(:list_read, error) }
        Array.new(Library.call(:list_count, list)) { |index| row(ProcessRow, PROCESS, Library.call(:list_get, list, index)) }
      ensure
        Library.call(:list_free, list) if list
      end

      # Of the library.
      def version = Library.call(:version).to_s

      # Follows processes by number or by name. With a block it yields the reader, closes it, and has the block's value.
      def open(*targets, **options)
        reader = new(*targets, **options)
        return reader unless block_given?
        begin
          yield reader
        ensure
          reader.close
        end
      end

      def row(kind, layout, pointer)
        values = layout.read(pointer)
        if kind == MethodRow
          values = values.transform_keys { |name| { self: :self_cost, total: :total_cost }.fetch(name, name) }
          values[:kind] = METHOD_KINDS[values[:kind]]
        end
        values[:state] = (kind == ProcessRow ? PROCESS_STATES : STATES)[values[:state]] if values.key?(:state)
        values[:kind] = EVENTS[values[:kind]] if kind == Event
        values = request(values) if [Request, Behind].include?(kind)
        flags = %i[is_main stale late by_exec known] + (kind == ThreadRow ? %i[ended] : [])
        flags.each { |name| values[name] = values[name] != 0 if values.key?(name) }
        %i[cost self_cost total_cost].each { |name| values[name] = Cost.new(*values[name]) if values.key?(name) }
        kind.new(**values)
      end

      private

      # With words for numbers.
      def request(values)
        values = values.transform_keys { |name| { took_ns: :took, method: :method_name }.fetch(name, name) }
        values[:cause] = (values.key?(:took) ? CAUSES : BEHIND_CAUSES)[values[:cause]]
        values[:took] = CAUSES.zip(values[:took]).to_h if values.key?(:took)
        values
      end
    end

    def initialize(*targets, hz: 0, alone: false, from_now: false, memory: 0)
      pids, names = targets.flatten.partition { |target| target.is_a?(Integer) }
      @mutex = Thread::Mutex.new
      strings = names.map { |name| Fiddle::Pointer["#{name}\0"] }
      flags = (alone ? 1 : 0) | (from_now ? 2 : 0)
      Library.structure("QQQQQIIQ", 56, pids.pack("i*"), pids.size, strings.map(&:to_i).pack("Q*"), strings.size, hz, flags, memory) do |options|
        @reader = Library.checked { |error| Library.call(:open, options, error) }
      end
    end

    # Nothing that was got from it can be used any more, but sums and rows.
    def close
      @mutex.synchronize do
        Library.call(:close, @reader) if @reader
        @reader = nil
      end
    end

    # Takes in what is new. The number of windows.
    def poll = call(:poll)

    # Until something is new; nil: every process is over, and nothing more comes. 0: `seconds` went by.
    def wait(seconds = nil)
      finish = seconds && (now + seconds)
      loop do
        slice = finish ? [[finish - now, 0.1].min, 0].max : 0.1
        windows = call(:wait, (slice * 1000).ceil)
        return windows if windows.positive?
        return if windows.negative?
        return 0 if finish && now >= finish
      end
    end

    # Yields after every look that brought something, for so long, or until every process is over.
    def follow(seconds = nil)
      finish = seconds && (now + seconds)
      while (windows = wait(finish && [finish - now, 0].max))
        yield self if windows.positive?
        break if finish && now >= finish
      end
      self
    end

    def over? = call(:over) != 0
    # A sentence, or nil.
    def problem = call(:problem).to_s.force_encoding(Encoding::UTF_8).then { |text| text unless text.empty? }

    def processes
      @mutex.synchronize do
        Array.new(locked(:process_count)) { |index| self.class.row(ProcessRow, PROCESS, locked(:process_get, index)) }
      end
    end

    # The last so many seconds of what is held (nil: all): a Range of nanoseconds.
    def last(seconds = nil)
      bytes = Fiddle::Pointer.malloc(16, Fiddle::RUBY_FREE)
      call(:last, ((seconds || 0) * 1e9).to_i, bytes)
      Range.new(*bytes[0, 16].unpack("qq"), true)
    end

    # An instant as wall clock.
    def time(nanoseconds) = Time.at(0, nanoseconds + call(:clock_offset_ns), :nsec)

    # What was spent in a span (a Range of nanoseconds), or in the last so many seconds, or in all that is held. `slower`:
    # seconds that a request took at least which is listed.
    def sum(span = nil, methods: nil, threads: nil, exclude: nil, label: nil, merge: nil, mode: nil, sort: nil, min_percent: 0,
            pid: 0, only_mine: false, no_c: false, processes: false, slower: 0)
      span = last(span) unless span.is_a?(Range)
      flags = (only_mine ? 1 : 0) | (no_c ? 2 : 0) | (processes ? 4 : 0)
      words = [methods, threads, exclude && [*exclude].join("\n"), label && [*label].join("\n"), merge, mode, sort].map { |word| word&.to_s }
      @mutex.synchronize do
        Library.structure("Q8diIQ", 88, *words, min_percent, pid, flags, (slower * 1e9).round) do |filter|
          within = Fiddle::Pointer[[span.begin, span.end].pack("qq")]
          taken(Library.checked { |error| locked(:sum_make, within, filter, error) })
        end
      end
    end

    # A subscription: Events. Kinds as in EVENTS; none: all but windows. `matching` is a regular expression of POSIX.
    def events(*kinds, pid: 0, matching: nil, queue: 0)
      unknown = kinds - EVENTS
      raise ArgumentError, "no kind of event: #{unknown.join(", ")}" unless unknown.empty?
      wanted = kinds.sum { |kind| 1 << EVENTS.index(kind) }
      @mutex.synchronize do
        Library.structure("QIiQQ", 32, wanted, pid, matching&.to_s, queue) do |filter|
          Events.new(self, Library.checked { |error| locked(:subscribe, filter, error) })
        end
      end
    end

    def call(name, *arguments) = @mutex.synchronize { locked(name, *arguments) }

    # Of a subscription of this reader.
    def of_events(name, *arguments)
      @mutex.synchronize do
        raise Error, "the reader is closed" unless @reader
        result = Library.call(name, *arguments)
        block_given? ? yield(result) : result
      end
    end

    private :call

    private

    def locked(name, *arguments)
      raise Error, "the reader is closed" unless @reader
      Library.call(name, @reader, *arguments)
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    def taken(sum)
      totals = TOTALS.read(Library.call(:sum_totals, sum))
      totals[:cost] = Cost.new(*totals[:cost])
      rows = { method: [MethodRow, METHOD], thread: [ThreadRow, THREAD], label: [LabelRow, LABEL], request: [Request, REQUEST],
               behind: [Behind, BEHIND] }.to_h do |name, (kind, layout)|
        all = Array.new(Library.call(:"sum_#{name}_count", sum)) { |index| self.class.row(kind, layout, Library.call(:"sum_#{name}", sum, index)) }
        [name == :behind ? name : :"#{name}s", all]
      end
      rows[:labels].each_with_index { |row, index| row.latency = latency(sum, index) }
      Sum.new(totals: Totals.new(**totals), **rows)
    ensure
      Library.call(:sum_free, sum)
    end

    def latency(sum, label)
      CAUSES.each_with_index.with_object({}) do |(cause, number), all|
        pointer = Library.call(:sum_latency, sum, label, number)
        all[cause] = self.class.row(Latency, LATENCY, pointer) unless pointer.null?
      end
    end

    # What comes in order of time.
    class Events
      include Enumerable

      def initialize(reader, events)
        @reader = reader
        @events = events
      end

      # Those that are there; more come with every poll, wait or follow of the reader.
      def each
        return to_enum unless block_given?
        while (event = next_one)
          yield event
        end
        self
      end

      def lost
        bytes = Fiddle::Pointer.malloc(LOST.bytes, Fiddle::RUBY_FREE)
        @reader.of_events(:events_lost, @events, bytes)
        Lost.new(**LOST.read(bytes))
      end

      def close
        @reader.of_events(:unsubscribe, @events) if @events
        @events = nil
      end

      private

      def next_one
        raise Error, "the subscription is closed" unless @events
        @reader.of_events(:event_next, @events) { |found| Reader.row(Event, EVENT, found) unless found.null? }
      end
    end
  end
end
