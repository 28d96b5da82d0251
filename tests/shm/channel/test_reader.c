#include "tests/shm/support.h"

#include "shm/channel/reader.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

static struct rtop_window window;

/* A writer in a process of its own: publishes `windows` windows, tells, and then does one of these each
 * time it is told: */
struct plan {
  uint64_t windows;
  enum { END_KEPT, PUBLISH_MORE, WAIT_FOR_WATCHER } then;
  char path[512];
};

static int write_windows(struct rtop_writer *writer, uint64_t first, uint64_t count)
{
  for (uint64_t n = first; n < first + count; n++) {
    support_window(&window, n);
    if (rtop_writer_publish(writer, &window) != n) return 1;
  }
  return 0;
}

static void add_stack(struct rtop_writer *writer)
{
  struct rtop_frame_entry frame = { .kind = RTOP_FRAME_RUBY, .line = 12 };
  struct rtop_node_entry node = { .parent = RTOP_NODE_ROOT, .line = 14, .depth = 1 };
  uint32_t id;
  frame.label = rtop_writer_add_string(writer, "Object#fib", 10);
  frame.path = rtop_writer_add_string(writer, "/app/fib.rb", 11);
  rtop_writer_add_frame(writer, &frame, &node.frame);
  rtop_writer_add_node(writer, &node, &id);
  rtop_writer_thread_start(writer, 1, 4711, 5, RTOP_THREAD_MAIN, "main", 4);
}

static int wait_for_watcher(struct rtop_writer *writer)
{
  struct rtop_request request;
  uint32_t value;
  rtop_writer_request(writer, &request, &value);
  while (!rtop_writer_watched(writer) || request.rate_hz != 1000) {
    if (!rtop_writer_wait(writer, value, 20 * SECOND)) return 3;
    rtop_writer_request(writer, &request, &value);
  }
  return write_windows(writer, 1, 1);
}

static int writer_process(struct support_pipes pipes, void *argument)
{
  const struct plan *plan = argument;
  struct rtop_writer *writer = support_writer();
  uint64_t next = plan->windows + 1;
  if (!writer) return 1;
  add_stack(writer);
  if (write_windows(writer, 1, plan->windows) != 0) return 2;
  dprintf(pipes.out, "%-511s", rtop_writer_path(writer));
  if (plan->then == WAIT_FOR_WATCHER) {
    int status = wait_for_watcher(writer);
    support_tell(pipes.out);
    support_hear(pipes.in);
    rtop_writer_destroy(&writer, false);
    return status;
  }
  while (support_hear(pipes.in) && plan->then == PUBLISH_MORE) {
    write_windows(writer, next++, 1);
    support_tell(pipes.out);
  }
  rtop_writer_destroy(&writer, plan->then == END_KEPT);
  rtop_window_destroy(&window);
  return 0;
}

static struct support_child start(struct plan *plan)
{
  struct support_child child = support_fork(writer_process, plan);
  size_t length = 0;
  while (length < 511) {
    ssize_t got = read(child.from, plan->path + length, 511 - length);
    assert_true(got > 0);
    length += (size_t)got;
  }
  plan->path[strcspn(plan->path, " ")] = '\0';
  return child;
}

static struct rtop_reader *open_reader(const char *path)
{
  struct rtop_error error = { 0 };
  struct rtop_reader *reader = rtop_reader_open(path, (uid_t)-1, &error);
  if (!reader) fail_msg("%s", error.text);
  return reader;
}

static void assert_windows(struct rtop_reader *reader, uint64_t first, uint64_t last)
{
  for (uint64_t n = first; n <= last; n++) {
    int64_t start_ns, end_ns;
    assert_int_equal(rtop_reader_window(reader, n, &window), RTOP_OK);
    assert_int_equal(window.sequence, n);
    support_assert_window(&window, n);
    assert_int_equal(rtop_reader_time(reader, n, &start_ns, &end_ns), RTOP_OK);
    assert_int_equal(start_ns, n * 1000);
    assert_int_equal(end_ns, n * 1000 + 1000);
  }
}

/* Each is told as what it is. */
static void test_losses(void **state)
{
  (void)state;
  struct rtop_writer *writer = support_writer();
  struct rtop_counters losses;
  struct rtop_reader *reader = open_reader(rtop_writer_path(writer));
  rtop_reader_counters(reader, &losses);
  assert_true(losses.nodes_overflowed + losses.frames_overflowed + losses.threads_overflowed + losses.samples_dropped +
                  losses.windows_folded ==
              0);
  rtop_writer_count_losses(writer, &(struct rtop_losses){ .samples_dropped = 1,
                                                          .nodes_overflowed = 2,
                                                          .frames_overflowed = 3,
                                                          .threads_overflowed = 4,
                                                          .windows_folded = 5,
                                                          .marks_overflowed = 6,
                                                          .labels_overflowed = 7 });
  assert_int_equal(write_windows(writer, 1, 1), 0);
  rtop_reader_counters(reader, &losses);
  assert_int_equal(losses.samples_dropped, 1);
  assert_int_equal(losses.nodes_overflowed, 2);
  assert_int_equal(losses.frames_overflowed, 3);
  assert_int_equal(losses.threads_overflowed, 4);
  assert_int_equal(losses.windows_folded, 5);
  assert_int_equal(losses.marks_overflowed, 6);
  assert_int_equal(losses.labels_overflowed, 7);
  assert_int_equal(losses.strings_overflowed, 0);
  rtop_reader_close(&reader);
  rtop_writer_destroy(&writer, false);
}

static void test_one_process(void **state)
{
  (void)state;
  struct rtop_writer *writer = support_writer();
  add_stack(writer);
  assert_int_equal(write_windows(writer, 1, 50), 0);
  struct rtop_reader *reader = open_reader(rtop_writer_path(writer));
  assert_string_equal(rtop_reader_path(reader), rtop_writer_path(writer));
  assert_int_equal(rtop_reader_newest(reader), 50);
  assert_int_equal(rtop_reader_oldest(reader), 1);
  assert_windows(reader, 1, 50);
  assert_int_equal(write_windows(writer, 51, 2000), 0);
  assert_int_equal(rtop_reader_newest(reader), 2050);
  assert_int_equal(rtop_reader_oldest(reader), 2050 - 1024 + 1);
  assert_windows(reader, rtop_reader_oldest(reader), 2050);
  assert_int_equal(rtop_reader_window(reader, 1, &window), RTOP_LOST);
  assert_int_equal(rtop_reader_window(reader, 0, &window), RTOP_LOST);
  rtop_reader_close(&reader);
  assert_null(reader);
  rtop_reader_close(&reader);
  rtop_writer_destroy(&writer, false);
}

static void test_tables(void **state)
{
  (void)state;
  struct rtop_writer *writer = support_writer();
  struct rtop_frame_entry frame;
  struct rtop_node_entry node;
  struct rtop_thread_entry thread;
  char text[32];
  struct rtop_reader *reader = open_reader(rtop_writer_path(writer));
  assert_int_equal(rtop_reader_node_count(reader), RTOP_NODE_FIRST_FREE);
  add_stack(writer);
  assert_false(rtop_reader_node(reader, 4, &node));
  assert_int_equal(write_windows(writer, 1, 1), 0);
  assert_int_equal(rtop_reader_frame_count(reader), 5);
  assert_true(rtop_reader_node(reader, 4, &node));
  assert_int_equal(node.line, 14);
  assert_true(rtop_reader_frame(reader, node.frame, &frame));
  assert_int_equal(rtop_reader_string(reader, frame.label, text, sizeof text), 10);
  assert_string_equal(text, "Object#fib");
  assert_true(rtop_reader_thread(reader, 1, 1, &thread));
  assert_int_equal(thread.native_id, 4711);
  assert_int_equal(thread.flags, RTOP_THREAD_MAIN);
  struct rtop_counters counters;
  rtop_reader_counters(reader, &counters);
  assert_int_equal(counters.head_sequence, 1);
  assert_int_equal(counters.thread_serial, 1);
  rtop_reader_close(&reader);
  rtop_writer_destroy(&writer, false);
}

static void test_two_processes_live(void **state)
{
  (void)state;
  struct plan plan = { .windows = 20, .then = PUBLISH_MORE };
  struct support_child child = start(&plan);
  pid_t pid;
  struct rtop_reader *reader = open_reader(plan.path);
  assert_int_equal(rtop_reader_state(reader, 0, &pid), RTOP_CHANNEL_LIVE);
  assert_int_equal(pid, child.pid);
  assert_int_equal(rtop_reader_geometry(reader)->pid, child.pid);
  assert_windows(reader, 1, 20);
  for (uint64_t n = 21; n < 30; n++) {
    assert_int_equal(rtop_reader_window(reader, n, &window), RTOP_NONE_YET);
    support_tell(child.to);
    assert_true(support_hear(child.from));
    assert_windows(reader, n, n);
  }
  assert_int_equal(support_join(&child), 0);
  assert_int_equal(rtop_reader_state(reader, 0, &pid), RTOP_CHANNEL_ENDED);
  assert_int_equal(rtop_reader_window(reader, 30, &window), RTOP_ENDED);
  assert_windows(reader, 1, 29);
  rtop_reader_close(&reader);
}

static void test_stalled(void **state)
{
  (void)state;
  struct plan plan = { .windows = 3, .then = PUBLISH_MORE };
  struct support_child child = start(&plan);
  struct rtop_reader *reader = open_reader(plan.path);
  const int64_t patience = 3 * INT64_C(100000000) + 2 * SECOND; /* of who does not watch */
  assert_int_equal(rtop_reader_state(reader, 50 * SECOND, NULL), RTOP_CHANNEL_LIVE);
  assert_int_equal(rtop_reader_state(reader, 50 * SECOND + patience, NULL), RTOP_CHANNEL_LIVE);
  assert_int_equal(rtop_reader_state(reader, 50 * SECOND + patience + 1, NULL), RTOP_CHANNEL_STALLED);
  support_tell(child.to);
  assert_true(support_hear(child.from));
  assert_int_equal(rtop_reader_state(reader, 90 * SECOND, NULL), RTOP_CHANNEL_LIVE);
  rtop_reader_close(&reader);
  assert_int_equal(support_join(&child), 0);
}

static void test_killed(void **state)
{
  (void)state;
  struct plan plan = { .windows = 200, .then = PUBLISH_MORE };
  struct support_child child = start(&plan);
  struct rtop_reader *reader = open_reader(plan.path);
  assert_int_equal(support_kill(&child), 128 + SIGKILL);
  assert_int_equal(rtop_reader_state(reader, 0, NULL), RTOP_CHANNEL_DEAD);
  assert_int_equal(rtop_reader_window(reader, 201, &window), RTOP_DEAD);
  assert_windows(reader, 1, 200);
  rtop_reader_close(&reader);
  /* Post mortem: opened only afterwards. */
  reader = open_reader(plan.path);
  assert_int_equal(rtop_reader_state(reader, 0, NULL), RTOP_CHANNEL_DEAD);
  assert_windows(reader, 1, 200);
  assert_int_equal(rtop_reader_watch(reader, 1000, NULL), 0);
  rtop_reader_close(&reader);
}

static void test_watching_wakes_a_parked_writer(void **state)
{
  (void)state;
  struct plan plan = { .windows = 0, .then = WAIT_FOR_WATCHER };
  struct support_child child = start(&plan);
  struct rtop_reader *reader = open_reader(plan.path);
  assert_int_equal(rtop_reader_newest(reader), 0);
  assert_int_equal(rtop_reader_oldest(reader), 0);
  assert_int_equal(rtop_reader_watch(reader, 1000, NULL), 0);
  assert_true(support_hear(child.from));
  assert_windows(reader, 1, 1);
  rtop_reader_unwatch(reader);
  rtop_reader_close(&reader);
  assert_int_equal(support_join(&child), 0);
}

static void test_no_control_file(void **state)
{
  (void)state;
  struct plan plan = { .windows = 1, .then = PUBLISH_MORE };
  struct support_child child = start(&plan);
  struct rtop_error error = { 0 };
  char control[520];
  snprintf(control, sizeof control, "%s.ctl", plan.path);
  assert_int_equal(unlink(control), 0);
  struct rtop_reader *reader = open_reader(plan.path);
  assert_int_equal(rtop_reader_watch(reader, 1000, &error), -1);
  assert_int_equal(error.code, RTOP_ERROR_NOT_FOUND);
  assert_windows(reader, 1, 1);
  rtop_reader_close(&reader);
  assert_int_equal(support_join(&child), 0);
}

/* Closing any descriptor of the file drops the lock; asking for the state takes it again. */
static bool child_is_watched(void *argument)
{
  return rtop_writer_watched(argument);
}

static int wait_until_watched_twice(struct support_pipes pipes, void *argument)
{
  (void)argument;
  struct rtop_writer *writer = support_writer();
  dprintf(pipes.out, "%-511s", rtop_writer_path(writer));
  for (int round = 0; round < 2; round++) {
    if (!support_wait_for(child_is_watched, writer)) return 1;
    support_tell(pipes.out);
    support_hear(pipes.in);
  }
  rtop_writer_destroy(&writer, false);
  return 0;
}

static void test_lost_viewer_lock_is_taken_again(void **state)
{
  (void)state;
  struct support_child child = support_fork(wait_until_watched_twice, NULL);
  char path[512] = "";
  assert_int_equal(read(child.from, path, 511), 511);
  path[strcspn(path, " ")] = '\0';
  struct rtop_reader *reader = open_reader(path);
  assert_int_equal(rtop_reader_watch(reader, 0, NULL), 0);
  assert_true(support_hear(child.from));
  close(open(path, O_RDONLY));
  rtop_reader_state(reader, 0, NULL);
  support_tell(child.to);
  assert_true(support_hear(child.from));
  support_tell(child.to);
  assert_int_equal(support_join(&child), 0);
  rtop_reader_close(&reader);
}

/* Truncated at every page while it is open: never a fault. */
static void test_truncated_underneath(void **state)
{
  (void)state;
  struct rtop_writer *writer = support_writer();
  struct stat status;
  struct rtop_thread_entry thread;
  struct rtop_frame_entry frame;
  struct rtop_node_entry node;
  struct rtop_counters counters;
  int64_t start_ns, end_ns;
  char text[16];
  add_stack(writer);
  assert_int_equal(write_windows(writer, 1, 900), 0);
  struct rtop_reader *reader = open_reader(rtop_writer_path(writer));
  assert_int_equal(stat(rtop_writer_path(writer), &status), 0);
  size_t corrupt = 0;
  for (off_t bytes = status.st_size; bytes >= 0; bytes -= RTOP_PAGE_BYTES) {
    assert_int_equal(truncate(rtop_writer_path(writer), bytes), 0);
    rtop_reader_newest(reader);
    rtop_reader_oldest(reader);
    rtop_reader_state(reader, 0, NULL);
    rtop_reader_time(reader, 500, &start_ns, &end_ns);
    corrupt += rtop_reader_window(reader, 500, &window) == RTOP_CORRUPT;
    rtop_reader_thread(reader, 1, 1, &thread);
    rtop_reader_frame(reader, 4, &frame);
    rtop_reader_node(reader, 4, &node);
    rtop_reader_string(reader, 8, text, sizeof text);
    rtop_reader_counters(reader, &counters);
    rtop_reader_watch(reader, 5, NULL);
  }
  assert_true(corrupt > 100);
  assert_int_equal(rtop_reader_newest(reader), 0);
  assert_int_equal(rtop_reader_window(reader, 500, &window), RTOP_CORRUPT);
  assert_int_equal(rtop_reader_node_count(reader), 0);
  rtop_reader_close(&reader);
  rtop_writer_destroy(&writer, false);
}

/* Counts that the writer would never publish do not lead the reader out of its tables. */
static void test_wild_counts(void **state)
{
  (void)state;
  struct rtop_writer *writer = support_writer();
  assert_int_equal(write_windows(writer, 1, 3), 0);
  int fd = open(rtop_writer_path(writer), O_RDWR);
  struct rtop_reader *reader = open_reader(rtop_writer_path(writer));
  const off_t where = RTOP_COUNTERS_OFFSET + (off_t)offsetof(struct rtop_counters, node_count);
  struct rtop_node_entry node;
  uint64_t wild = UINT64_MAX, few = 2;
  assert_int_equal(pwrite(fd, &wild, sizeof wild, where), sizeof wild);
  assert_int_equal(rtop_reader_node_count(reader), 16384);
  rtop_reader_node(reader, 16383, &node);
  assert_false(rtop_reader_node(reader, 16384, &node));
  assert_int_equal(rtop_reader_window(reader, 2, &window), RTOP_OK);
  assert_int_equal(pwrite(fd, &few, sizeof few, where), sizeof few);
  assert_int_equal(rtop_reader_window(reader, 2, &window), RTOP_CORRUPT);
  close(fd);
  rtop_reader_close(&reader);
  rtop_writer_destroy(&writer, false);
}

static void test_clear_words_for_what_cannot_be_opened(void **state)
{
  (void)state;
  struct rtop_error error = { 0 };
  assert_null(rtop_reader_open(support_path("missing"), (uid_t)-1, &error));
  assert_int_equal(error.code, RTOP_ERROR_NOT_FOUND);
  struct rtop_writer *writer = support_writer();
  char path[512];
  strcpy(path, rtop_writer_path(writer));
  int fd = open(path, O_RDWR);
  uint16_t major = 2;
  assert_int_equal(pwrite(fd, &major, sizeof major, offsetof(struct rtop_geometry, version_major)), sizeof major);
  assert_null(rtop_reader_open(path, (uid_t)-1, &error));
  assert_int_equal(error.code, RTOP_ERROR_VERSION);
  assert_string_equal(error.text, "made by rperf-top channel version 2.11, this viewer reads 1.x: update the viewer");
  close(fd);
  assert_int_equal(truncate(path, 100), 0);
  rtop_writer_destroy(&writer, true);
  assert_null(rtop_reader_open(path, (uid_t)-1, &error));
}

static void test_names_of_states(void **state)
{
  (void)state;
  assert_string_equal(rtop_channel_state_name(RTOP_CHANNEL_LIVE), "live");
  assert_string_equal(rtop_channel_state_name(RTOP_CHANNEL_STALLED), "stalled");
  assert_string_equal(rtop_channel_state_name(RTOP_CHANNEL_ENDED), "ended");
  assert_string_equal(rtop_channel_state_name(RTOP_CHANNEL_DEAD), "dead");
}

static int tear_down(void **state)
{
  (void)state;
  rtop_window_destroy(&window);
  return 0;
}

#define READER_TEST(name) cmocka_unit_test_setup_teardown(name, support_empty, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
    READER_TEST(test_losses),
    READER_TEST(test_one_process),
    READER_TEST(test_tables),
    READER_TEST(test_two_processes_live),
    READER_TEST(test_stalled),
    READER_TEST(test_killed),
    READER_TEST(test_watching_wakes_a_parked_writer),
    READER_TEST(test_no_control_file),
    READER_TEST(test_lost_viewer_lock_is_taken_again),
    READER_TEST(test_truncated_underneath),
    READER_TEST(test_wild_counts),
    READER_TEST(test_clear_words_for_what_cannot_be_opened),
    READER_TEST(test_names_of_states),
  };
  return cmocka_run_group_tests(tests, support_setup, support_teardown);
}
