/* Small files that ask for large work are refused with the limit that they reached. */
#include "tests/tui/export_fixture.h"
#include "tests/tui/recording_fixture.h"

#include "tui/recording/recording_format.h"
#include "tui/recording/recording_read.h"
#include "tui/text/budget.h"
#include <errno.h>
#include <lz4.h>
#include <time.h>

static void test_what_is_spent_is_gone(void **state)
{
  (void)state;
  struct rtop_budget budget = { .source_bytes = 1000 };
  uint64_t max = rtop_budget_max(RTOP_BUDGET_MEMORY, 1000);
  assert_true(rtop_budget_spend(&budget, RTOP_BUDGET_MEMORY, max - 1));
  assert_true(rtop_budget_spend(&budget, RTOP_BUDGET_CONTENT, 1)); /* another limit */
  assert_true(rtop_budget_spend(&budget, RTOP_BUDGET_MEMORY, 1));
  assert_false(rtop_budget_spend(&budget, RTOP_BUDGET_MEMORY, 1));
  assert_true(budget.over);
  assert_int_equal(budget.limit, RTOP_BUDGET_MEMORY);
  assert_false(rtop_budget_spend(&budget, RTOP_BUDGET_CONTENT, 1)); /* refused is refused */
}

static void test_it_grows_with_the_source_and_never_wraps(void **state)
{
  (void)state;
  for (int limit = 0; limit < RTOP_BUDGET_LIMITS; limit++) {
    uint64_t before = 0;
    for (int bits = 0; bits < 64; bits++) {
      uint64_t max = rtop_budget_max((enum rtop_budget_limit)limit, UINT64_C(1) << bits);
      assert_true(max >= before && max > 0);
      before = max;
    }
    struct rtop_budget budget = { .source_bytes = 1 };
    assert_false(rtop_budget_spend(&budget, (enum rtop_budget_limit)limit, UINT64_MAX));
  }
}

static void test_it_says_which(void **state)
{
  (void)state;
  char text[128];
  rtop_budget_say(RTOP_BUDGET_CONTENT, 1 << 20, text, sizeof text);
  assert_string_equal(text, "unpacks to more than 32.0M, the limit for a source of 1.0M");
  rtop_budget_say(RTOP_BUDGET_TIME, 0, text, sizeof text);
  assert_string_equal(text, "takes more than 5 s of computing, the limit for a source of 0B");
}

/* ---- recordings that would be bombs ---------------------------------------------------------------- */

static void bomb_head(struct recording_bytes *out)
{
  struct recording_head head = { .byte_order = RECORDING_BYTE_ORDER, .version_major = RECORDING_VERSION_MAJOR };
  memcpy(head.magic, RECORDING_MAGIC, sizeof head.magic);
  recording_seal(&head, sizeof head, RECORDING_TAG_HEAD);
  recording_put(out, &head, sizeof head);
}

static void bomb_text(struct recording_bytes *row, const char *text, size_t bytes)
{
  recording_put_number(row, bytes);
  recording_put(row, text, bytes);
}

static void bomb_source(struct recording_bytes *names)
{
  struct recording_bytes row = { 0 };
  recording_put_number(&row, 0);
  recording_put_number(&row, 4711);
  recording_put_number(&row, 100000000);
  recording_put_signed(&row, 0);
  recording_put_signed(&row, 0);
  bomb_text(&row, "ruby x", 6);
  bomb_text(&row, "3.3.8", 5);
  recording_put_record(names, RECORDING_SOURCE, &row);
  recording_bytes_destroy(&row);
}

/* Writes it, opens it, and wants that it is refused with these words. Returns its size. */
static size_t bomb_refused(const struct recording_bytes *bytes, const char *words)
{
  struct rtop_error error = { 0 };
  char path[128];
  strcpy(path, recording_path("bomb.rpt"));
  assert_false(bytes->failed);
  FILE *file = fopen(path, "w");
  assert_int_equal(fwrite(bytes->data, 1, bytes->count, file), bytes->count);
  fclose(file);
  struct rtop_recording *recording = rtop_recording_open(path, &error);
  assert_null(recording);
  if (!strstr(error.text, words)) fail_msg("%s", error.text);
  unlink(path);
  return bytes->count;
}

/* Thousands of threads, each with the same long name: 4 kB of content for a few bytes of the file. */
static void test_a_recording_that_unpacks_to_much(void **state)
{
  (void)state;
  static char name[4096];
  struct recording_bytes out = { 0 }, none = { 0 };
  memset(name, 'x', sizeof name);
  bomb_head(&out);
  for (uint32_t chunk = 1; chunk <= 3; chunk++) {
    struct recording_bytes names = { 0 }, rows = { 0 };
    bomb_source(&names);
    for (uint32_t i = 0; i < 8000; i++) {
      recording_put_number(&rows, 0);
      recording_put_number(&rows, chunk * 8000 + i);
      recording_put_number(&rows, 7);
      recording_put_number(&rows, 0);
      bomb_text(&rows, name, sizeof name);
    }
    recording_put_record(&names, RECORDING_THREADS, &rows);
    struct recording_chunk_head head = { .number = chunk, .end_ns = 1, .late_ns = INT64_MAX };
    assert_true(recording_put_chunk(&out, &head, &names, &none));
    recording_bytes_destroy(&names);
    recording_bytes_destroy(&rows);
  }
  assert_in_range(bomb_refused(&out, "unpacks to more than"), 1, 1 << 20);
  recording_bytes_destroy(&out);
}

/* ---- work ------------------------------------------------------------------------------------------- */

/* A chunk of one window whose late record reaches back to the very first one. */
static void bomb_late_chunk(struct recording_bytes *out, uint32_t number)
{
  enum { CELLS = 100 };
  static unsigned char raw[1 << 14], scratch[1 << 14];
  struct recording_bytes names = { 0 }, windows = { 0 }, row = { 0 };
  int64_t start_ns = INT64_C(1000000000) + number * INT64_C(100000000);
  struct rtop_window window = { .start_mono_ns = start_ns, .end_mono_ns = start_ns + 100000000 };
  *rtop_window_add_thread(&window) = (struct rtop_window_thread){ .serial = 1 };
  for (uint32_t i = 0; i < CELLS; i++) *rtop_window_add_cell(&window) = (struct rtop_cell){ .node = i, .wall_ns = 10 };
  *rtop_window_add_late(&window) = (struct rtop_late){ .start_mono_ns = 1000000000, .cell.wall_ns = 1000000 };
  assert_true(rtop_window_scratch_bytes(CELLS) <= sizeof scratch);
  recording_put_number(&row, 0);
  recording_put_signed(&row, start_ns);
  recording_put_number(&row, 100000000);
  recording_put(&row, raw, rtop_window_encode(&window, raw, sizeof raw, scratch));
  recording_put_record(&windows, RECORDING_WINDOW, &row);
  if (number == 1) bomb_source(&names);
  struct recording_chunk_head head = {
    .number = number, .window_count = 1, .start_ns = start_ns, .end_ns = start_ns + 100000000, .late_ns = 1000000000
  };
  assert_true(recording_put_chunk(out, &head, &names, &windows));
  recording_bytes_destroy(&names);
  recording_bytes_destroy(&windows);
  recording_bytes_destroy(&row);
  rtop_window_destroy(&window);
}

static double computed_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Every chunk told once for every other would be a minute of work for half a megabyte. */
static void test_late_records_that_all_reach_back(void **state)
{
  (void)state;
  enum { CHUNKS = 4000 };
  struct recording_bytes out = { 0 };
  struct rtop_error error = { 0 };
  struct rtop_feed *feed = NULL;
  struct rtop_sum sum = { 0 };
  enum rtop_feed_state now;
  char path[128];
  bomb_head(&out);
  for (uint32_t number = 1; number <= CHUNKS; number++) bomb_late_chunk(&out, number);
  strcpy(path, recording_path("late.rpt"));
  FILE *file = fopen(path, "w");
  assert_int_equal(fwrite(out.data, 1, out.count, file), out.count);
  fclose(file);
  recording_bytes_destroy(&out);
  struct rtop_profile *profile = rtop_profile_create(96 << 20);
  double before = computed_seconds();
  assert_int_equal(rtop_feed_open_recording(path, profile, &feed, 1, &error), 1);
  rtop_feed_poll(feed, profile, &now);
  assert_true(rtop_profile_sum(profile, rtop_profile_bounds(profile), &sum));
  assert_true(computed_seconds() - before < 15);
  assert_int_equal(sum.window_count, CHUNKS);
  rtop_sum_destroy(&sum);
  rtop_feed_close(&feed);
  rtop_profile_destroy(&profile);
  unlink(path);
}

/* An index of windows that cost three bytes each there, and hundreds of bytes here. */
static void test_an_index_of_too_many_windows(void **state)
{
  (void)state;
  enum { WINDOWS = 1000000 };
  struct recording_bytes out = { 0 }, names = { 0 }, none = { 0 }, raw = { 0 };
  bomb_head(&out);
  bomb_source(&names);
  struct recording_chunk_head head = { .number = 1, .late_ns = INT64_MAX };
  uint64_t chunk_at = out.count;
  assert_true(recording_put_chunk(&out, &head, &names, &none));
  const uint64_t fields[] = { out.count - chunk_at, 1, WINDOWS, head.names_bytes, head.names_raw_bytes, 0, 0, 0, 9, 0 };
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) recording_put_number(&raw, fields[i]);
  for (int i = 0; i < WINDOWS; i++) recording_put(&raw, "\1\0\1", 3);
  struct recording_index_head index = { .chunk_count = 1, .raw_bytes = (uint32_t)raw.count };
  uint64_t index_at = out.count;
  int bound = LZ4_compressBound((int)raw.count);
  char *room = malloc((size_t)bound);
  index.stored_bytes = (uint32_t)LZ4_compress_default((char *)raw.data, room, (int)raw.count, bound);
  recording_put(&out, &index, sizeof index);
  recording_put(&out, room, index.stored_bytes);
  recording_seal(out.data + index_at, out.count - index_at, RECORDING_TAG_INDEX);
  struct recording_end_head end = { .index_count = 1 };
  struct recording_end_foot foot = { .bytes = sizeof end + 8 + sizeof foot };
  size_t end_at = out.count;
  memcpy(foot.tag, RECORDING_TAG_END, 4);
  recording_put(&out, &end, sizeof end);
  recording_put(&out, &index_at, 8);
  recording_put(&out, &foot, sizeof foot);
  recording_seal(out.data + end_at, out.count - end_at, RECORDING_TAG_END);
  assert_in_range(bomb_refused(&out, "of memory, the limit"), 1, 100000);
  free(room);
  recording_bytes_destroy(&raw);
  recording_bytes_destroy(&names);
  recording_bytes_destroy(&out);
}

/* ---- exports --------------------------------------------------------------------------------------- */

/* A chain of calls in which every one has time: written out, stacks are quadratic in it. */
static struct rtop_profile *deep_profile(uint32_t depth)
{
  static const char label[] = "Deep#call_with_a_name_that_is_not_short_at_all_and_goes_on";
  struct rtop_profile *profile = rtop_profile_create(96 << 20);
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  uint32_t frame = fixture_frame(symbols, label, "/app/deep.rb", 1), node = 0, identity[4096];
  struct rtop_window window = { .start_mono_ns = 1000 * MS, .end_mono_ns = 1100 * MS };
  struct rtop_source_thread thread = { .serial = 1, .name = "", .is_main = true };
  uint32_t id = rtop_profile_thread(profile, 0, &thread);
  *rtop_window_add_thread(&window) = (struct rtop_window_thread){ .serial = 1 };
  for (uint32_t i = 0; i < depth; i++) {
    node = rtop_symbols_node(symbols, node, frame, i + 1);
    identity[node] = node;
    *rtop_window_add_cell(&window) = (struct rtop_cell){ .node = node, .wall_ns = 1000 };
  }
  identity[0] = 0;
  assert_true(rtop_profile_add(profile, 0, &window, identity, depth + 1, &id));
  rtop_window_destroy(&window);
  return profile;
}

static void test_an_export_that_would_be_large(void **state)
{
  (void)state;
  static const enum rtop_file_format formats[] = { RTOP_FILE_COLLAPSED, RTOP_FILE_RPERF, RTOP_FILE_TEXT };
  struct rtop_profile *profile = deep_profile(4000);
  struct rtop_sum sum = { 0 };
  struct rtop_methods_options options = { 0 };
  struct rtop_export given = { .profile = profile, .sum = &sum, .options = &options, .command = "", .ruby = "" };
  assert_true(rtop_profile_sum(profile, rtop_profile_bounds(profile), &sum));
  for (size_t i = 0; i < 3; i++)
    for (int gzip = 0; gzip < 2; gzip++) {
      FILE *out = fopen("/dev/null", "w");
      bool fine = rtop_export_write(&given, (struct rtop_file_kind){ formats[i], gzip }, out);
      assert_true(fine || errno == EOVERFLOW);
      assert_int_equal(fine, formats[i] == RTOP_FILE_TEXT); /* a table is as long as there are methods */
      fclose(out);
    }
  assert_non_null(strstr(rtop_export_problem(EOVERFLOW, profile), "64.0M"));
  rtop_profile_add_source_bytes(profile, 64 << 20); /* of a large source it may be that large */
  FILE *out = fopen("/dev/null", "w");
  assert_true(rtop_export_write(&given, (struct rtop_file_kind){ RTOP_FILE_COLLAPSED, false }, out));
  fclose(out);
  rtop_sum_destroy(&sum);
  rtop_profile_destroy(&profile);
}

static void test_a_full_device_is_said(void **state)
{
  (void)state;
  struct report_fixture fixture;
  report_fixture_setup(&fixture);
  struct rtop_export given = export_fixture_given(&fixture);
  for (int format = 0; format < RTOP_FILE_FORMATS; format++)
    for (int gzip = 0; gzip < 2; gzip++) {
      FILE *out = fopen("/dev/full", "w");
      assert_false(rtop_export_write(&given, (struct rtop_file_kind){ (enum rtop_file_format)format, gzip }, out));
      assert_int_equal(errno, ENOSPC);
      fclose(out);
    }
  report_fixture_destroy(&fixture);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_is_spent_is_gone),
    cmocka_unit_test(test_it_grows_with_the_source_and_never_wraps),
    cmocka_unit_test(test_it_says_which),
    cmocka_unit_test(test_a_recording_that_unpacks_to_much),
    cmocka_unit_test(test_late_records_that_all_reach_back),
    cmocka_unit_test(test_an_index_of_too_many_windows),
    cmocka_unit_test(test_an_export_that_would_be_large),
    cmocka_unit_test(test_a_full_device_is_said),
  };
  return cmocka_run_group_tests(tests, recording_folder_make, recording_folder_remove);
}
