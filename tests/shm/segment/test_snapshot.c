#include "tests/shm/support.h"

#include "shm/channel/reader.h"
#include "shm/segment/snapshot.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void publish(struct rtop_writer *writer, uint64_t first, uint64_t last)
{
  struct rtop_window window = { 0 };
  for (uint64_t n = first; n <= last; n++) {
    support_window(&window, n);
    assert_true(rtop_writer_publish(writer, &window) == n);
  }
  rtop_window_destroy(&window);
}

static void *take(const struct rtop_writer *writer, size_t *bytes)
{
  struct rtop_error error;
  const struct rtop_segment *segment = rtop_writer_segment(writer);
  void *image = malloc(*bytes = segment->bytes);
  assert_non_null(image);
  if (rtop_snapshot_take(segment, image, &error) != 0) fail_msg("%s", error.text);
  return image;
}

static struct rtop_reader *save_and_open(const void *image, size_t bytes, const char *path)
{
  struct rtop_error error;
  if (rtop_snapshot_save(image, bytes, path, &error) != 0) fail_msg("%s", error.text);
  struct rtop_reader *reader = rtop_reader_open(path, (uid_t)-1, &error);
  if (!reader) fail_msg("%s", error.text);
  return reader;
}

static void assert_windows(struct rtop_reader *reader, uint64_t first, uint64_t last)
{
  struct rtop_window window = { 0 };
  for (uint64_t n = first; n <= last; n++) {
    assert_int_equal(rtop_reader_window(reader, n, &window), RTOP_OK);
    support_assert_window(&window, n);
  }
  assert_int_equal(rtop_reader_window(reader, last + 1, &window), RTOP_ENDED);
  rtop_window_destroy(&window);
}

static void test_holds_what_was_there(void **state)
{
  (void)state;
  size_t bytes;
  struct rtop_writer *writer = support_writer();
  publish(writer, 1, 5);
  void *image = take(writer, &bytes);
  publish(writer, 6, 9);
  const char *path = support_path("copy");
  struct rtop_reader *reader = save_and_open(image, bytes, path);
  assert_windows(reader, 1, 5);
  assert_int_equal(rtop_reader_state(reader, 0, NULL), RTOP_CHANNEL_ENDED);
  assert_true(
      memcmp(rtop_reader_geometry(reader), &rtop_writer_segment(writer)->geometry, sizeof(struct rtop_geometry)) == 0);
  struct stat status;
  assert_int_equal(stat(path, &status), 0);
  assert_int_equal(status.st_mode & 0777, 0600);
  assert_int_equal(status.st_size, (off_t)bytes);
  assert_true((uint64_t)status.st_blocks * 512 < bytes); /* what is empty takes no room */
  rtop_reader_close(&reader);
  rtop_writer_destroy(&writer, false);
  free(image);
}

/* Windows that were overwritten between the reading of the heads and of the intents: what the ring then holds is
 * newer than the head, and the copy must not pass it off as the old ones. */
static void test_overwritten_meanwhile(void **state)
{
  (void)state;
  size_t bytes;
  struct rtop_writer *writer = support_writer();
  publish(writer, 1, 5);
  unsigned char *image = take(writer, &bytes);
  struct rtop_counters early;
  memcpy(&early, image + RTOP_COUNTERS_OFFSET, sizeof early);
  free(image);
  uint64_t slots;
  rtop_segment_elements(rtop_writer_segment(writer), RTOP_SECTION_DIRECTORY, &slots);
  publish(writer, 6, slots + 3);
  image = take(writer, &bytes);
  struct rtop_counters late;
  memcpy(&late, image + RTOP_COUNTERS_OFFSET, sizeof late);
  early.intent_position = late.intent_position;
  early.intent_sequence = late.intent_sequence;
  memcpy(image + RTOP_COUNTERS_OFFSET, &early, sizeof early);
  struct rtop_reader *reader = save_and_open(image, bytes, support_path("torn"));
  struct rtop_window window = { 0 };
  for (uint64_t n = 1; n <= 3; n++) assert_int_equal(rtop_reader_window(reader, n, &window), RTOP_LOST);
  rtop_window_destroy(&window);
  rtop_reader_close(&reader);
  rtop_writer_destroy(&writer, false);
  free(image);
}

static void test_a_name_that_is_taken(void **state)
{
  (void)state;
  struct rtop_error error;
  static const unsigned char image[8192] = { 1 };
  const char *path = support_path("taken");
  assert_int_equal(rtop_snapshot_save(image, sizeof image, path, &error), 0);
  size_t files = support_count_files();
  assert_int_equal(rtop_snapshot_save(image, sizeof image, path, &error), -1);
  assert_int_equal(error.errno_value, EEXIST);
  assert_int_equal(rtop_snapshot_save(image, sizeof image, support_path("none/there"), &error), -1);
  assert_int_equal(error.errno_value, ENOENT);
  assert_int_equal(support_count_files(), files);
}

static void test_truncated_segment(void **state)
{
  (void)state;
  struct rtop_error error;
  struct rtop_writer *writer = support_writer();
  const struct rtop_segment *segment = rtop_writer_segment(writer);
  void *image = malloc(segment->bytes);
  publish(writer, 1, 2);
  assert_int_equal(truncate(rtop_writer_path(writer), RTOP_SECTIONS_OFFSET), 0);
  assert_int_equal(rtop_snapshot_take(segment, image, &error), -1);
  assert_non_null(strstr(error.text, "truncated"));
  free(image);
  rtop_writer_destroy(&writer, false);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_teardown(test_holds_what_was_there, support_empty),
    cmocka_unit_test_teardown(test_overwritten_meanwhile, support_empty),
    cmocka_unit_test_teardown(test_a_name_that_is_taken, support_empty),
    cmocka_unit_test_teardown(test_truncated_segment, support_empty),
  };
  return cmocka_run_group_tests(tests, support_setup, support_teardown);
}
