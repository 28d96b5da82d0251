/* Read by seconds, a channel tells the same as window by window; and where a stall may be, windows come. */
#include "tests/tui/channel_fixture.h"

#include "shm/base/error.h"
#include "tui/feed/feed.h"
#include "tui/history/profile_each.h"

#define CALM_SECOND "qqqqqqqqqq"
#define BUSY_SECOND "qqqqwwqqqq"

struct reader {
  struct rtop_profile *profile;
  struct rtop_feed *feed;
  enum rtop_feed_state state;
};

static bool always;

static void reader_open(struct reader *reader, const struct channel *channel, bool by_seconds)
{
  struct rtop_error error = { 0 };
  reader->profile = rtop_profile_create(64 << 20);
  reader->feed = rtop_feed_open_process(channel->pid, 0, 100, &error);
  if (!reader->feed) fail_msg("%s", error.text);
  if (by_seconds) rtop_feed_by_seconds(reader->feed, always);
}

static void reader_poll(struct reader *reader)
{
  rtop_feed_poll(reader->feed, reader->profile, &reader->state);
}

static void reader_close(struct reader *reader)
{
  rtop_feed_close(&reader->feed);
  rtop_profile_destroy(&reader->profile);
}

/* Until the process is seen to be gone, and all of it was read. */
static void reader_end(struct reader *reader)
{
  do reader_poll(reader);
  while (reader->state == RTOP_FEED_LIVE || reader->state == RTOP_FEED_STALLED);
}

struct found {
  size_t windows, seconds, near_busy; /* of these, in a second beside or with running time, but long */
  int64_t end_ns, last_busy_ns;
  uint64_t wall_ns[RTOP_STATES];
};

static void note(void *context, const struct rtop_look *look)
{
  struct found *found = context;
  bool is_long = look->end_ns - look->start_ns > 2 * (int64_t)CHANNEL_WINDOW_NS;
  assert_false(look->gap);
  if (found->end_ns) assert_int_equal(look->start_ns, found->end_ns); /* nothing is missing, nothing comes twice */
  found->end_ns = look->end_ns;
  found->windows++;
  found->seconds += is_long;
  if (look->wall_ns[RTOP_STATE_RUNNING]) found->last_busy_ns = look->end_ns;
  found->near_busy += is_long && (look->wall_ns[RTOP_STATE_RUNNING] ||
                                  (found->last_busy_ns && look->start_ns - found->last_busy_ns < 700000000));
  for (int i = 0; i < RTOP_STATES; i++) found->wall_ns[i] += look->wall_ns[i];
}

static struct found look_at(const struct reader *reader)
{
  struct found found = { 0 };
  rtop_profile_each(reader->profile, rtop_profile_bounds(reader->profile), note, &found);
  return found;
}

static void check_same(const struct reader *fine, const struct reader *coarse)
{
  struct found one = look_at(fine), other = look_at(coarse);
  struct rtop_span bounds = rtop_profile_bounds(fine->profile), others = rtop_profile_bounds(coarse->profile);
  assert_int_equal(bounds.start_ns, others.start_ns);
  assert_int_equal(bounds.end_ns, others.end_ns);
  assert_memory_equal(one.wall_ns, other.wall_ns, sizeof one.wall_ns);
  assert_int_equal(one.seconds, 0);
  if (!always) assert_int_equal(other.near_busy, 0);
}

/* Orders in pieces; both readers look after each. */
static void tell_and_compare(const char *const *pieces, size_t least, size_t most)
{
  struct channel channel;
  struct reader fine, coarse;
  channel_open(&channel);
  channel_tell(&channel, *pieces++);
  reader_open(&fine, &channel, false);
  reader_open(&coarse, &channel, true);
  for (; *pieces; pieces++) {
    reader_poll(&fine);
    reader_poll(&coarse);
    channel_tell(&channel, *pieces);
  }
  channel_tell(&channel, "x");
  channel_wait(&channel);
  reader_end(&fine);
  reader_end(&coarse);
  check_same(&fine, &coarse);
  assert_in_range(look_at(&coarse).seconds, least, most);
  reader_close(&fine);
  reader_close(&coarse);
}

#define CALM_SECONDS CALM_SECOND CALM_SECOND, CALM_SECOND, CALM_SECOND CALM_SECOND CALM_SECOND

static void test_rest_is_read_by_seconds(void **state)
{
  (void)state;
  tell_and_compare((const char *const[]){ "qqqqqqq", CALM_SECONDS, "qqqqqq", "qqqq", CALM_SECONDS, CALM_SECONDS, NULL },
                   10, 16);
}

static void test_neighbours_of_what_is_lively_come_as_windows(void **state)
{
  (void)state;
  tell_and_compare((const char *const[]){ CALM_SECONDS, CALM_SECONDS, BUSY_SECOND, CALM_SECONDS, CALM_SECONDS, NULL },
                   9, 18);
  tell_and_compare((const char *const[]){ CALM_SECONDS, CALM_SECONDS, BUSY_SECOND CALM_SECOND CALM_SECOND BUSY_SECOND,
                                          BUSY_SECOND CALM_SECOND, CALM_SECONDS, CALM_SECONDS, NULL },
                   9, 18);
}

static void test_what_is_never_at_rest(void **state)
{
  (void)state;
  tell_and_compare((const char *const[]){ BUSY_SECOND, BUSY_SECOND BUSY_SECOND, BUSY_SECOND, BUSY_SECOND BUSY_SECOND,
                                          BUSY_SECOND, NULL },
                   0, 0);
}

static void test_what_is_to_be_read_by_seconds_all_the_same(void **state)
{
  (void)state;
  always = true;
  tell_and_compare((const char *const[]){ "wwwqwww", BUSY_SECOND BUSY_SECOND "wwwwwwwwww", BUSY_SECOND BUSY_SECOND,
                                          "wwwwwwwwwwww", BUSY_SECOND BUSY_SECOND, BUSY_SECOND BUSY_SECOND,
                                          "wwwwwwwwwwwwwwwww", BUSY_SECOND BUSY_SECOND, NULL },
                   4, 12);
  always = false;
}

static void test_a_short_life(void **state)
{
  (void)state;
  tell_and_compare((const char *const[]){ "q", "qq", NULL }, 0, 0);
}

/* A process that stood still: its seconds have holes, which are none of the reader's. */
static void test_holes_in_time(void **state)
{
  (void)state;
  struct channel channel;
  struct reader coarse;
  struct rtop_sum sum = { 0 };
  channel_open(&channel);
  channel_tell(&channel, CALM_SECOND CALM_SECOND);
  reader_open(&coarse, &channel, true);
  for (int i = 0; i < 4; i++) {
    reader_poll(&coarse);
    channel_tell(&channel, "qqqb" CALM_SECOND CALM_SECOND);
  }
  channel_tell(&channel, "x");
  channel_wait(&channel);
  reader_end(&coarse);
  assert_true(rtop_profile_sum(coarse.profile, rtop_profile_bounds(coarse.profile), &sum));
  assert_int_equal(rtop_cost_wall(&sum.total), (20 + 4 * 24) * (uint64_t)CHANNEL_WINDOW_NS);
  rtop_sum_destroy(&sum);
  reader_close(&coarse);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_rest_is_read_by_seconds),
    cmocka_unit_test(test_neighbours_of_what_is_lively_come_as_windows),
    cmocka_unit_test(test_what_is_never_at_rest),
    cmocka_unit_test(test_what_is_to_be_read_by_seconds_all_the_same),
    cmocka_unit_test(test_a_short_life),
    cmocka_unit_test(test_holes_in_time),
  };
  int failed = cmocka_run_group_tests(tests, channel_folder, channel_remove_folder);
  /* Once more with a channel of another user, which root reads by another process. */
  if (geteuid() == 0)
    failed += cmocka_run_group_tests_name("another", tests, channel_folder_of_another, channel_remove_folder);
  return failed;
}
