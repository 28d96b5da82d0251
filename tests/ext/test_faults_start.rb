# Each call that the extension makes to start fails in turn, and then all of a kind: the program does not see it.
require_relative "../faults/support"

class FaultsStartTest < Minitest::Test
  include Faults

  # These only compute, or are told nothing of failures.
  CANNOT_FAIL = %w[
    free memchr memcmp memcpy memmem memmove memrchr memset strchr strcmp strcspn strerror strlen strncmp strnlen strpbrk strrchr
    strspn strstr strtod strtoul strtoull snprintf vsnprintf __isoc99_sscanf __isoc23_sscanf __isoc23_strtoul
    __isoc23_strtoull qsort getenv secure_getenv geteuid getpid sched_yield sigfillset pthread_self pthread_sigmask
    pthread_attr_destroy closedir __errno_location __ctype_b_loc __ctype_tolower_loc __tls_get_addr __rseq_offset
    __rseq_size __cxa_finalize __stack_chk_fail dlsym log log1p __sched_cpucount
  ].freeze

  # A new call into libc must be added to one of the two lists.
  def test_every_call_can_be_failed
    imports = `nm -D --undefined-only #{BUILD}/rperf_top.so`.lines.filter_map { |line| line[/ U (\w+)/, 1] }.grep_v(/\A(rb|ruby)_|\A_ITM|gmon/)
    known = `nm -D --defined-only #{SHIM}`.lines.map { |line| line[/ [TWi] (\w+)/, 1] }
    assert_operator (imports & known).size, :>, 40
    assert_empty imports - known - CANNOT_FAIL
  end

  def test_each_call_fails_once
    counts = calls("start", runtime: true)
    assert_operator counts.values.sum, :>, 200
    faults = counts.flat_map do |kind, count|
      some(count, 60).flat_map { |number| faults(kind, number, 1, many: FULL) }
    end
    assert_law("start", faults, runtime: true)
  end

  # All, but of clocks, which are read a thousand times: the first ones, then every so many.
  def some(count, most)
    return (1..count).to_a if FULL || count <= most
    (1..most / 2).to_a + (1..most / 2).map { |i| most / 2 + (count - most / 2) * i / (most / 2) }
  end

  def test_every_call_of_a_kind_fails
    counts = calls("start")
    assert_law("start", counts.flat_map do |kind, count|
      [1, count / 2 + 1].uniq.flat_map { |first| faults(kind, first, many: FULL) }
    end)
  end
end
