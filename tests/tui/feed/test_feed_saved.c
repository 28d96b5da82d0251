/* A profile that a program has saved: what stands in it is told, and nothing in it is believed. */
#include "tests/tui/model_fixture.h"
#include "shm/base/error.h"
#include "tui/feed/feed.h"
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Two threads, 3 s: Work#do of "job=a" runs for 2 s and is blocked for half a second. */
static const char good[] =
    "{\"format\":\"rperf_top profile 2\",\"duration\":3000000000,\"cpu\":1900000000,\"samples\":70,\"lost\":0,"
    "\"exceptions\":4,\"cost\":{},\"gc\":{\"minor\":2,\"major\":1,\"allocations\":99},\"methods\":[],"
    "\"threads\":[{\"name\":\"main\",\"native_id\":11,\"main\":true},{\"name\":\"t\\u001b\",\"native_id\":12,\"main\":"
    "false}],"
    "\"labels\":[],\"calls\":{\"began\":1795421713080691269,\"pid\":4711,\"command\":\"m\\u001b.rb\",\"ruby\":\"3.3."
    "8\",\"own\":5,"
    "\"frames\":[[\"(root)\",\"\",\"\",0,2],[\"job=a\",\"\",\"(labels)\",0,2],[\"Work#do\",\"/w.rb\",\"Work\",7,0]],"
    "\"nodes\":[[0,0,0],[0,1,0],[1,2,9]],"
    "\"cells\":[[2,0,0,60,2000000000,1900000000,90,3],[2,0,2,9,500000000,0,9,0],[0,1,2,1,3000000000,0,0,0]],"
    "\"begun\":[[1,0,6]]}}";

static char path[] = "/tmp/rperf-top-saved.XXXXXX";

static void save(const char *text, size_t bytes)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, bytes, file), bytes);
  fclose(file);
}

/* `text` with one thing instead of another. */
static char *with(const char *text, const char *one, const char *other)
{
  const char *at = strstr(text, one);
  size_t before = at ? (size_t)(at - text) : 0;
  char *changed = malloc(strlen(text) + strlen(other) + 1);
  assert_non_null(at);
  assert_non_null(changed);
  memcpy(changed, text, before);
  strcpy(changed + before, other);
  strcat(changed, at + strlen(one));
  return changed;
}

static struct rtop_feed *open_saved(struct rtop_profile *profile, struct rtop_error *error)
{
  *error = (struct rtop_error){ 0 };
  struct rtop_feed *feed = rtop_feed_open_saved(path, profile, 0, error);
  assert_int_equal(feed == NULL, error->text[0] != '\0');
  return feed;
}

static size_t poll_feed(struct rtop_feed *feed, struct rtop_profile *profile)
{
  enum rtop_feed_state state;
  size_t moved = rtop_feed_poll(feed, profile, &state);
  assert_int_equal(state, RTOP_FEED_REPLAY);
  return moved;
}

static int setup(void **state)
{
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  close(fd);
  *state = NULL;
  return 0;
}

static int teardown(void **state)
{
  (void)state;
  unlink(path);
  strcpy(path + strlen(path) - 6, "XXXXXX");
  return 0;
}

static void test_what_it_tells(void **state)
{
  struct rtop_profile *profile = rtop_profile_create(64 << 20);
  struct rtop_sum sum = { 0 };
  struct rtop_error error;
  (void)state;
  save(good, strlen(good));
  assert_true(rtop_feed_is_saved(path));
  struct rtop_feed *feed = open_saved(profile, &error);
  assert_non_null(feed);
  const struct rtop_feed_info *info = rtop_feed_info(feed);
  assert_int_equal(info->pid, 4711);
  assert_string_equal(info->ruby, "3.3.8");
  assert_null(strchr(info->command, '\033'));
  assert_int_equal(info->started_real_ns, INT64_C(1795421713080691269));
  assert_int_equal(poll_feed(feed, profile), 1);
  assert_int_equal(poll_feed(feed, profile), 0);
  assert_true(rtop_profile_sum(profile, rtop_profile_bounds(profile), &sum));
  assert_int_equal(sum.length_ns, 3000 * MS);
  assert_int_equal(sum.total.wall_ns[RTOP_STATE_RUNNING], 2000 * MS);
  assert_int_equal(sum.total.wall_ns[RTOP_STATE_BLOCKED], 3500 * MS);
  assert_int_equal(sum.total.cpu_ns, 1900 * MS);
  assert_int_equal(sum.counters.allocations, 99);
  assert_int_equal(sum.counters.exceptions, 4);
  assert_int_equal(sum.thread_count, 2);
  assert_string_equal(sum.threads[0].name, "main");
  assert_null(strchr(sum.threads[1].name, '\033'));
  assert_true(rtop_symbols_labelled(rtop_profile_symbols(profile)));
  rtop_sum_destroy(&sum);
  rtop_feed_close(&feed);
  rtop_profile_destroy(&profile);
}

/* No sum is lost when a profile of days becomes several windows. */
static void test_very_long(void **state)
{
  struct rtop_profile *profile = rtop_profile_create(64 << 20);
  struct rtop_sum sum = { 0 };
  struct rtop_error error;
  (void)state;
  char *once = with(good, "\"duration\":3000000000", "\"duration\":300000000000000");
  char *text = with(once, "[0,1,2,1,3000000000,", "[0,1,2,1,299999999999999,");
  save(text, strlen(text));
  struct rtop_feed *feed = open_saved(profile, &error);
  assert_non_null(feed);
  assert_int_equal(poll_feed(feed, profile), 167);
  assert_true(rtop_profile_sum(profile, rtop_profile_bounds(profile), &sum));
  assert_int_equal(sum.length_ns, INT64_C(300000000000000));
  assert_int_equal(sum.total.wall_ns[RTOP_STATE_BLOCKED], INT64_C(299999999999999) + 500 * MS);
  assert_int_equal(sum.counters.allocations, 99);
  rtop_sum_destroy(&sum);
  rtop_feed_close(&feed);
  rtop_profile_destroy(&profile);
  free(text);
  free(once);
}

/* A few bytes may say that they tell of centuries: that is no large work, and still no sum is lost. */
static void test_years(void **state)
{
  struct rtop_profile *profile = rtop_profile_create(64 << 20);
  struct rtop_sum sum = { 0 };
  struct rtop_error error;
  (void)state;
  char *once = with(good, "\"duration\":3000000000", "\"duration\":900000000000000000");
  char *text = with(once, "[0,1,2,1,3000000000,", "[0,1,2,1,899999999999999999,");
  save(text, strlen(text));
  struct rtop_feed *feed = open_saved(profile, &error);
  assert_non_null(feed);
  assert_int_equal(poll_feed(feed, profile), 4096);
  assert_true(rtop_profile_sum(profile, rtop_profile_bounds(profile), &sum));
  assert_int_equal(sum.length_ns, INT64_C(900000000000000000));
  assert_int_equal(sum.total.wall_ns[RTOP_STATE_BLOCKED], INT64_C(899999999999999999) + 500 * MS);
  assert_int_equal(sum.total.wall_ns[RTOP_STATE_RUNNING], 2000 * MS);
  rtop_sum_destroy(&sum);
  rtop_feed_close(&feed);
  rtop_profile_destroy(&profile);
  free(text);
  free(once);
}

/* `text` with a row of a list so often. */
static char *repeated(const char *list, const char *row, size_t often, size_t *bytes)
{
  size_t before = (size_t)(strstr(good, list) - good) + strlen(list), length = strlen(row);
  char *text = malloc(sizeof good + often * length);
  assert_non_null(text);
  memcpy(text, good, before);
  for (size_t i = 0; i < often; i++) memcpy(text + before + i * length, row, length);
  strcpy(text + before + often * length, good + before);
  *bytes = sizeof good - 1 + often * length;
  return text;
}

/* Objects of three bytes each take eighty times that in memory, which no profile that was saved does. */
static void test_more_memory_than_its_size_explains(void **state)
{
  struct rtop_profile *profile = rtop_profile_create(16 << 20);
  struct rtop_error error;
  size_t bytes;
  (void)state;
  char *text = repeated("\"methods\":[", "{},", 5 << 19, &bytes); /* also where malloc() rounds nothing up */
  save(text, bytes);
  assert_null(open_saved(profile, &error));
  assert_non_null(strstr(error.text, "of memory, the limit for a source of 7.5M"));
  free(text);
  rtop_profile_destroy(&profile);
}

/* As many calls as a large program has, for a week: neither too much, nor is one lost. */
static void test_many_calls_for_a_week(void **state)
{
  struct rtop_profile *profile = rtop_profile_create(512 << 20);
  struct rtop_sum sum = { 0 };
  struct rtop_error error;
  size_t bytes;
  (void)state;
  char *text = repeated("\"cells\":[", "[2,0,0,1,10000000,1,1,1],", 50000, &bytes);
  char *week = with(text, "\"duration\":3000000000", "\"duration\":604800000000000");
  save(week, strlen(week));
  struct rtop_feed *feed = open_saved(profile, &error);
  assert_non_null(feed);
  poll_feed(feed, profile);
  assert_true(rtop_profile_sum(profile, rtop_profile_bounds(profile), &sum));
  assert_int_equal(sum.total.wall_ns[RTOP_STATE_RUNNING], 2000 * MS + 50000 * 10 * MS);
  rtop_sum_destroy(&sum);
  rtop_feed_close(&feed);
  rtop_profile_destroy(&profile);
  free(week);
  free(text);
}

static void test_damaged(void **state)
{
  static const char *const changes[][2] = {
    { "\"duration\":3000000000", "\"duration\":-1" },
    { "\"duration\":3000000000", "\"duration\":9223372036854775807" },
    { "\"duration\":3000000000", "\"duration\":\"3\"" },
    { "\"duration\":3000000000", "\"duration\":0" },
    { "\"samples\":70", "\"samples\":7.5" },
    { "\"minor\":2", "\"minor\":null" },
    { "\"threads\":[", "\"threads\":[7," },
    { "\"native_id\":11", "\"native_id\":4294967296" },
    { "\"name\":\"main\"", "\"name\":3" },
    { "\"began\":1795421713080691269", "\"began\":9223372036854775807" },
    { "\"pid\":4711", "\"pid\":4294967296" },
    { "\"command\":\"m\\u001b.rb\"", "\"command\":[]" },
    { "[[\"(root)\"", "[[1" },
    { "\"Work\",7,0]", "\"Work\",7,3]" },
    { "\"Work\",7,0]", "\"Work\",4294967296,0]" },
    { "\"Work\",7,0]", "\"Work\",7]" },
    { "[1,2,9]", "[2,2,9]" },
    { "[1,2,9]", "[1,3,9]" },
    { "[1,2,9]", "[1,2,4294967296]" },
    { "[[0,0,0],", "[[1,0,0]," },
    { "\"nodes\":[[0,0,0],[0,1,0],[1,2,9]]", "\"nodes\":[]" },
    { "\"nodes\":[", "\"nodes\":{},\"more\":[" },
    { "[2,0,0,60", "[3,0,0,60" },
    { "[2,0,0,60", "[2,2,0,60" },
    { "[2,0,0,60", "[2,0,5,60" },
    { "[2,0,0,60", "[4294967298,0,0,60" },
    { "2000000000,1900000000,90,3]", "9223372036854775807,1900000000,90,3]" },
    { "2000000000,1900000000,90,3]", "2000000000,1900000000,90]" },
    { "60,2000000000,1900000000,90,3],[2,0,2,9,500000000",
      "60,9000000000000000000,0,90,3],[2,0,2,9,9000000000000000000" },
    { "[1,0,6]", "[3,0,6]" },
    { "[1,0,6]", "[1,16,6]" },
    { "\"calls\":{", "\"calls\":7,\"more\":{" },
    { "rperf_top profile 2", "rperf_top profile 3" },
    { "\"own\":5", "\"own\":5,\"own\":6" },
  };
  (void)state;
  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
    struct rtop_profile *profile = rtop_profile_create(64 << 20);
    struct rtop_error error;
    char *text = with(good, changes[i][0], changes[i][1]);
    save(text, strlen(text));
    struct rtop_feed *feed = open_saved(profile, &error);
    if (feed) print_error("taken: %s\n", changes[i][1]);
    assert_null(feed);
    assert_non_null(strstr(error.text, path));
    rtop_profile_destroy(&profile);
    free(text);
  }
}

/* Cut off anywhere, or one byte another: never more than a sentence. */
static void test_every_byte(void **state)
{
  (void)state;
  char text[sizeof good];
  for (size_t at = 0; at < sizeof good - 1; at++) {
    struct rtop_profile *profile = rtop_profile_create(16 << 20);
    struct rtop_error error;
    save(good, at);
    assert_null(open_saved(profile, &error));
    memcpy(text, good, sizeof good);
    text[at] = at % 3 == 0 ? '9' : at % 3 == 1 ? '[' : '\0';
    save(text, sizeof good - 1);
    struct rtop_feed *feed = open_saved(profile, &error);
    if (feed) poll_feed(feed, profile);
    if (feed) rtop_feed_close(&feed);
    rtop_profile_destroy(&profile);
  }
}

static void test_other_files(void **state)
{
  struct rtop_profile *profile = rtop_profile_create(16 << 20);
  struct rtop_error error;
  (void)state;
  save("{\"format\":\"other\"}", 18);
  assert_false(rtop_feed_is_saved(path));
  assert_false(rtop_feed_is_saved("/dev/null"));
  assert_false(rtop_feed_is_saved("/"));
  assert_false(rtop_feed_is_saved("/nowhere"));
  char *old = with(good, "rperf_top profile 2", "rperf_top profile 1"), *text = with(old, "\"calls\"", "\"other\"");
  save(text, strlen(text));
  assert_true(rtop_feed_is_saved(path));
  assert_null(open_saved(profile, &error));
  assert_non_null(strstr(error.text, "only RperfTop.load reads it"));
  save(good, strlen(good));
  assert_int_equal(truncate(path, INT64_C(33) << 20), 0);
  assert_null(open_saved(profile, &error));
  assert_non_null(strstr(error.text, "larger than 32M"));
  free(text);
  free(old);
  rtop_profile_destroy(&profile);
}

/* Root reads what stands in another user's file with his rights, for good. */
static void test_rights_of_the_owner(void **state)
{
  struct rtop_profile *profile = rtop_profile_create(16 << 20);
  struct rtop_error error;
  int status;
  (void)state;
  if (geteuid() != 0) skip();
  save(good, strlen(good));
  assert_int_equal(chown(path, 65534, (gid_t)-1), 0);
  pid_t child = fork();
  if (child == 0) {
    struct rtop_feed *feed = open_saved(profile, &error);
    bool wrong = !feed || geteuid() != 65534 || setuid(0) == 0;
    rtop_feed_close(&feed);
    rtop_profile_destroy(&profile);
    _exit(wrong);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  rtop_profile_destroy(&profile);
}

int main(void)
{
#define CASE(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
  const struct CMUnitTest tests[] = {
    CASE(test_what_it_tells),
    CASE(test_very_long),
    CASE(test_years),
    CASE(test_more_memory_than_its_size_explains),
    CASE(test_many_calls_for_a_week),
    CASE(test_damaged),
    CASE(test_every_byte),
    CASE(test_other_files),
    CASE(test_rights_of_the_owner),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
