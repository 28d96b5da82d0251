/* Why a process has no core: what the kernel's texts say, and readings of a living process. */
#include "tests/tui/model_fixture.h"
#include "tui/feed/cores.h"

#include <stdlib.h>
#include <unistd.h>

static void test_cpu_stat(void **state)
{
  (void)state;
  uint64_t throttled_ns = 7;
  assert_true(rtop_cores_throttled("nr_periods 101\nnr_throttled 99\nthrottled_time 9012345678\n", &throttled_ns));
  assert_int_equal(throttled_ns, UINT64_C(9012345678));
  assert_true(rtop_cores_throttled("usage_usec 5\nnr_periods 2\nnr_throttled 1\nthrottled_usec 250\nnr_bursts 0\n",
                                   &throttled_ns));
  assert_int_equal(throttled_ns, 250000);
  assert_false(rtop_cores_throttled("usage_usec 5\nuser_usec 4\n", &throttled_ns));
  assert_false(rtop_cores_throttled("throttled_usec x\n", &throttled_ns));
  assert_true(
      rtop_cores_throttled("throttled_usec 18446744073709551615\n", &throttled_ns)); /* nobody's sum runs over */
}

static void check_group(const char *text, int wanted_version, const char *wanted)
{
  int version = 0;
  char *copy = strdup(text);
  const char *group = rtop_cores_group(copy, &version);
  if (wanted) assert_string_equal(group, wanted);
  else assert_null(group);
  if (wanted) assert_int_equal(version, wanted_version);
  free(copy);
}

static void test_group(void **state)
{
  (void)state;
  check_group("0::/system.slice/web.service\n", 2, "/system.slice/web.service");
  check_group("4:memory:/a\n3:cpu,cpuacct:/docker/17\n0::/\n", 1, "/docker/17");
  check_group("2:cpuacct:/b\n1:cpu:/c\n0::/x\n", 1, "/c");
  check_group("3:cpuset:/a\n0::/x\n", 2, "/x"); /* a name that begins alike is another controller */
  check_group("0::/../../other\n", 2, NULL);    /* of another name space: not to be seen from here */
  check_group("", 2, NULL);
  check_group("nonsense\n:::\n", 2, NULL);
}

static void test_of_a_living_process(void **state)
{
  (void)state;
  struct rtop_profile_cores first = { 0 }, second = { 0 };
  if (access("/proc/self/schedstat", R_OK) != 0) skip();
  if (!rtop_cores_read(getpid(), &first)) skip(); /* a kernel that does not count */
  assert_int_equal(first.pid, getpid());
  assert_true(rtop_cores_read(getpid(), &second));
  assert_true(second.delayed_ns >= first.delayed_ns && second.throttled_ns >= first.throttled_ns);
  assert_int_equal(first.tells_throttled, second.tells_throttled);
  assert_false(rtop_cores_read(1 << 30, &second));
}

static void add(struct rtop_profile *profile, int32_t pid, int64_t time_ms, uint64_t delayed_ms, uint64_t throttled_ms)
{
  rtop_profile_add_cores(profile, &(struct rtop_profile_cores){ .pid = pid,
                                                                .time_ns = time_ms * MS,
                                                                .delayed_ns = delayed_ms * (uint64_t)MS,
                                                                .throttled_ns = throttled_ms * (uint64_t)MS,
                                                                .tells_throttled = true });
}

static bool change(struct rtop_profile *profile, int64_t start_ms, int64_t end_ms, struct rtop_profile_cores *found)
{
  return rtop_profile_cores(profile, 0, fixture_span(start_ms * MS, end_ms * MS), found);
}

static void test_of_a_span(void **state)
{
  (void)state;
  struct rtop_profile_cores found;
  struct rtop_profile *profile = rtop_profile_create(8 << 20);
  assert_false(change(profile, 0, 1000, &found));
  for (int64_t ms = 0; ms <= 4000; ms += 250) add(profile, 1, ms, (uint64_t)ms / 2, (uint64_t)ms / 4);
  assert_true(change(profile, 1000, 2000, &found));
  assert_int_equal(found.delayed_ns, 500 * MS);
  assert_int_equal(found.throttled_ns, 250 * MS);
  assert_true(change(profile, 1100, 2050, &found)); /* between readings its share */
  assert_in_range(found.delayed_ns, 470 * MS, 480 * MS);
  assert_false(change(profile, 6000, 7000, &found)); /* nothing was read there */
  assert_false(change(profile, -3000, -2000, &found));
  add(profile, 1, 4250, 100, 1000); /* tasks have ended: their share is not known */
  assert_false(change(profile, 3250, 4250, &found));
  add(profile, 2, 5000, 0, 0); /* another process in the source's place */
  assert_false(change(profile, 4000, 5000, &found));
  rtop_profile_destroy(&profile);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_cpu_stat),
    cmocka_unit_test(test_group),
    cmocka_unit_test(test_of_a_living_process),
    cmocka_unit_test(test_of_a_span),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
