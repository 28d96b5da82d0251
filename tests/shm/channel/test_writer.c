#include "tests/shm/support.h"

#include "shm/channel/reader.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Whatever the writer stores goes through here: what a reader would see between two stores. */
static void (*after_store)(off_t offset);

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset)
{
  ssize_t written = syscall(SYS_pwrite64, fd, bytes, count, offset);
  int cause = errno;
  if (after_store) after_store(offset);
  errno = cause;
  return written;
}

static void test_create_and_destroy(void **state)
{
  (void)state;
  struct rtop_writer *writer = support_writer();
  assert_non_null(writer);
  assert_int_equal(support_count_files(), 2);
  assert_int_equal(access(rtop_writer_path(writer), F_OK), 0);
  assert_true(rtop_writer_frame_capacity(writer) >= 2048);
  assert_true(rtop_writer_node_capacity(writer) >= 16384);
  rtop_writer_destroy(&writer, false);
  assert_null(writer);
  assert_int_equal(support_count_files(), 0);
  rtop_writer_destroy(&writer, false);
  rtop_writer_abandon(&writer);
}

static void test_name_can_be_kept(void **state)
{
  (void)state;
  struct rtop_writer *writer = support_writer();
  struct rtop_window window = { 0 };
  char path[512];
  strcpy(path, rtop_writer_path(writer));
  support_window(&window, 1);
  assert_int_equal(rtop_writer_publish(writer, &window), 1);
  rtop_writer_destroy(&writer, true);
  assert_int_equal(support_count_files(), 1);
  struct rtop_reader *reader = rtop_reader_open(path, (uid_t)-1, NULL);
  assert_int_equal(rtop_reader_state(reader, 0, NULL), RTOP_CHANNEL_ENDED);
  assert_int_equal(rtop_reader_newest(reader), 1);
  rtop_reader_close(&reader);
  rtop_window_destroy(&window);
}

static void test_publishes_in_sequence(void **state)
{
  (void)state;
  struct rtop_writer *writer = support_writer();
  struct rtop_window window = { 0 };
  for (uint64_t n = 1; n <= 3000; n++) {
    support_window(&window, n);
    assert_int_equal(rtop_writer_publish(writer, &window), n);
    assert_int_equal(window.sequence, n);
  }
  rtop_window_destroy(&window);
  rtop_writer_destroy(&writer, false);
}

static struct rtop_counters counters_of(const struct rtop_writer *writer)
{
  struct rtop_counters counters;
  int fd = open(rtop_writer_path(writer), O_RDONLY);
  assert_int_equal(pread(fd, &counters, sizeof counters, RTOP_COUNTERS_OFFSET), sizeof counters);
  close(fd);
  return counters;
}

static struct {
  struct rtop_reader *reader;
  uint64_t seen, whole; /* windows at the instant when they are there; those whose names are there, too */
} watch;

/* Every window comes with a node of its own. */
static void look_for_names(off_t offset)
{
  if (offset != RTOP_COUNTERS_OFFSET + (off_t)offsetof(struct rtop_counters, head_sequence)) return;
  struct rtop_node_entry node;
  uint64_t newest = rtop_reader_newest(watch.reader);
  watch.seen++;
  watch.whole +=
      rtop_reader_node(watch.reader, (uint32_t)(RTOP_NODE_FIRST_FREE + newest - 1), &node) && node.line == newest;
}

/* A reader may look at the very instant that a window is there. */
static void test_names_are_there_before_their_window(void **state)
{
  (void)state;
  struct rtop_window window = { 0 };
  struct rtop_writer *writer = support_writer();
  watch.reader = rtop_reader_open(rtop_writer_path(writer), (uid_t)-1, NULL);
  watch.seen = watch.whole = 0;
  for (uint32_t n = 1; n <= 20; n++) {
    struct rtop_node_entry node = { .parent = RTOP_NODE_ROOT, .depth = 1, .line = n };
    uint32_t id;
    assert_true(rtop_writer_add_node(writer, &node, &id));
    assert_int_equal(id, RTOP_NODE_FIRST_FREE + n - 1);
    support_window(&window, n);
    after_store = look_for_names;
    rtop_writer_publish(writer, &window);
    after_store = NULL;
  }
  assert_int_equal(watch.seen, 20);
  assert_int_equal(watch.whole, 20);
  rtop_window_destroy(&window);
  rtop_reader_close(&watch.reader);
  rtop_writer_destroy(&writer, false);
}

static void test_full_tables_are_counted(void **state)
{
  (void)state;
  struct rtop_writer *writer = support_writer();
  struct rtop_window window = { 0 };
  struct rtop_frame_entry frame = { .kind = RTOP_FRAME_RUBY };
  struct rtop_node_entry node = { .parent = 0, .depth = 1 };
  uint32_t id = 0, last = RTOP_NODE_FIRST_FREE - 1;
  while (rtop_writer_add_frame(writer, &frame, &id)) assert_int_equal(id, ++last);
  assert_int_equal(last + 1, rtop_writer_frame_capacity(writer));
  last = RTOP_NODE_FIRST_FREE - 1;
  while (rtop_writer_add_node(writer, &node, &id)) assert_int_equal(id, ++last);
  assert_int_equal(last + 1, rtop_writer_node_capacity(writer));
  while (rtop_writer_add_string(writer, "a string of some length", 23) != 0)
    ;
  for (uint64_t serial = 1; serial <= 1026; serial++) rtop_writer_thread_start(writer, serial, 1, 1, 0, "t", 1);
  rtop_writer_count_losses(writer, &(struct rtop_losses){ .samples_dropped = 5,
                                                          .nodes_overflowed = 2,
                                                          .marks_overflowed = 3,
                                                          .labels_overflowed = 4,
                                                          .segments_lost = 6 });
  rtop_writer_count_losses(writer, &(struct rtop_losses){ .samples_dropped = UINT64_MAX, .nodes_overflowed = 1 });
  support_window(&window, 1);
  assert_int_equal(rtop_writer_publish(writer, &window), 1);
  struct rtop_counters counters = counters_of(writer);
  assert_int_equal(counters.frames_overflowed, 1);
  assert_int_equal(counters.nodes_overflowed, 1 + 2 + 1);
  assert_int_equal(counters.strings_overflowed, 1);
  assert_int_equal(counters.threads_overflowed, 3);
  assert_int_equal(counters.thread_serial, 1026);
  assert_true(counters.samples_dropped == UINT64_MAX);
  assert_int_equal(counters.marks_overflowed, 3);
  assert_int_equal(counters.labels_overflowed, 4);
  assert_int_equal(counters.segments_lost, 6);
  assert_int_equal(counters.windows_folded, 0);
  assert_int_equal(counters.node_count, rtop_writer_node_capacity(writer));
  rtop_window_destroy(&window);
  rtop_writer_destroy(&writer, false);
}

static void add_cells(struct rtop_window *window, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    *rtop_window_add_cell(window) = (struct rtop_cell){
      .node = i % 4, .state = i % 5, .thread = i / 20 % 60, .wall_ns = UINT32_MAX - i, .cpu_ns = i
    };
}

static void test_large_windows_are_folded_and_counted(void **state)
{
  (void)state;
  struct rtop_writer *writer = support_writer();
  struct rtop_window window = { 0 };
  struct rtop_node_entry node = { .depth = 1 };
  uint32_t id;
  while (rtop_writer_add_node(writer, &node, &id))
    ;
  support_window(&window, 1);
  uint64_t before_ns = 0, after_ns = 0;
  for (uint32_t i = 0; i < 30000; i++)
    *rtop_window_add_cell(&window) =
        (struct rtop_cell){ .node = i % 16000, .state = i / 16000, .wall_ns = 1000003 * (uint64_t)i % 999983 };
  for (size_t i = 0; i < window.cell_count; i++) before_ns += window.cells[i].wall_ns;
  assert_int_equal(rtop_writer_publish(writer, &window), 1);
  assert_int_equal(counters_of(writer).windows_folded, 1);
  struct rtop_reader *reader = rtop_reader_open(rtop_writer_path(writer), (uid_t)-1, NULL);
  assert_int_equal(rtop_reader_window(reader, 1, &window), RTOP_OK);
  for (size_t i = 0; i < window.cell_count; i++) after_ns += window.cells[i].wall_ns;
  assert_true(window.folded);
  assert_int_equal(before_ns, after_ns);
  rtop_reader_close(&reader);
  rtop_window_destroy(&window);
  rtop_writer_destroy(&writer, false);
}

/* What cannot be encoded at all still appears, with its time and counters. */
static void test_impossible_windows_keep_their_counters(void **state)
{
  (void)state;
  struct rtop_writer *writer = support_writer();
  struct rtop_window window = { 0 };
  support_window(&window, 1);
  for (uint32_t i = 0; i < 60000; i++)
    *rtop_window_add_thread(&window) = (struct rtop_window_thread){ .serial = i * 1000003u, .state_age_ns = i };
  assert_int_equal(rtop_writer_publish(writer, &window), 1);
  support_window(&window, 2);
  add_cells(&window, (1 << 18) + 1);
  assert_int_equal(rtop_writer_publish(writer, &window), 2);
  assert_int_equal(counters_of(writer).windows_folded, 2);
  struct rtop_reader *reader = rtop_reader_open(rtop_writer_path(writer), (uid_t)-1, NULL);
  for (uint64_t n = 1; n <= 2; n++) {
    assert_int_equal(rtop_reader_window(reader, n, &window), RTOP_OK);
    assert_int_equal(window.counters[RTOP_COUNTER_SAMPLES], n);
    assert_int_equal(window.start_mono_ns, n * 1000);
    /* Of too many threads one is left, with the time of all of them; of too many cells nothing. */
    assert_int_equal(window.thread_count, 2 - n);
    assert_int_equal(window.cell_count, 3 * (2 - n));
    for (size_t i = 0; i < window.cell_count; i++) assert_int_equal(window.cells[i].wall_ns, 10 + i);
  }
  rtop_reader_close(&reader);
  rtop_window_destroy(&window);
  rtop_writer_destroy(&writer, false);
}

/* Truncated, removed or replaced: no call faults, and the next window is refused. */
static void damage(const char *path, int how)
{
  if (how == 0) assert_int_equal(truncate(path, 0), 0);
  else if (how == 1) assert_int_equal(truncate(path, RTOP_PAGE_BYTES), 0);
  else assert_int_equal(unlink(path), 0);
}

static void test_damaged_underneath(void **state)
{
  (void)state;
  for (int how = 0; how < 3; how++) {
    struct rtop_writer *writer = support_writer();
    struct rtop_window window = { 0 };
    struct rtop_frame_entry frame = { 0 };
    struct rtop_node_entry node = { 0 };
    uint32_t id;
    support_window(&window, 1);
    assert_int_equal(rtop_writer_publish(writer, &window), 1);
    uint32_t slot = rtop_writer_thread_start(writer, 1, 1, 1, 0, "t", 1);
    assert_int_equal(slot, 1);
    damage(rtop_writer_path(writer), how);
    rtop_writer_add_string(writer, "abc", 3);
    assert_true(rtop_writer_add_frame(writer, &frame, &id));
    rtop_writer_relabel_frame(writer, id, 0, 0);
    assert_true(rtop_writer_add_node(writer, &node, &id));
    assert_int_equal(rtop_writer_thread_start(writer, 2, 1, 1, 0, "t", 1), 2);
    rtop_writer_thread_name(writer, slot, 1, "x", 1);
    rtop_writer_thread_end(writer, slot, 1, 5);
    assert_int_equal(rtop_writer_publish(writer, &window), 0);
    rtop_writer_watched(writer);
    rtop_writer_destroy(&writer, false);
    rtop_window_destroy(&window);
    support_empty(NULL);
  }
}

/* The forked child must not write into its parent's channel: its view of it is not even there. */
static int abandon(struct support_pipes pipes, void *argument)
{
  struct rtop_writer *writer = argument;
  (void)pipes;
  rtop_writer_abandon(&writer);
  if (writer) return 1;
  writer = support_writer();
  if (!writer) return 2;
  rtop_writer_destroy(&writer, false);
  return 0;
}

static void test_fork(void **state)
{
  (void)state;
  struct rtop_writer *writer = support_writer();
  struct rtop_window window = { 0 };
  struct support_child child = support_fork(abandon, writer);
  assert_int_equal(support_join(&child), 0);
  assert_int_equal(support_count_files(), 2);
  support_window(&window, 1);
  assert_int_equal(rtop_writer_publish(writer, &window), 1);
  rtop_window_destroy(&window);
  rtop_writer_destroy(&writer, false);
}

static void test_wish_and_wake(void **state)
{
  (void)state;
  struct rtop_writer *writer = support_writer();
  struct rtop_request request;
  uint32_t value;
  assert_false(rtop_writer_watched(writer));
  rtop_writer_request(writer, &request, &value);
  assert_int_equal(request.rate_hz, 0);
  assert_false(rtop_writer_wait(writer, value, 1000));
  rtop_writer_wake(writer);
  assert_true(rtop_writer_wait(writer, value, -1));
  rtop_writer_destroy(&writer, false);
}

static void test_no_directory(void **state)
{
  (void)state;
  struct rtop_writer_options options = { .ring_bytes = 1 << 20, .identity = support_identity() };
  struct rtop_error error = { 0 };
  options.directory = support_path("missing");
  assert_null(rtop_writer_create(&options, &error));
  assert_int_equal(error.code, RTOP_ERROR_SYSTEM);
  assert_int_equal(error.errno_value, ENOENT);
}

/* A segment is that long for each megabyte of history. */
#define SEGMENT_BYTES_PER_MB (103 << 14)

/* Limits on file sizes: the history is halved until it fits; below that of 1 MB there is none. SIGXFSZ is at its
 * default. */
static int create_limited(struct support_pipes pipes, void *argument)
{
  const struct rlimit *limit = argument;
  struct rtop_writer_options options = { .ring_bytes = 8 << 20, .identity = support_identity() };
  struct rtop_error error = { 0 };
  struct stat status;
  (void)pipes;
  if (setrlimit(RLIMIT_FSIZE, limit) != 0) return 100;
  struct rtop_writer *writer = rtop_writer_create(&options, &error);
  if (!writer) return error.code == RTOP_ERROR_NO_SPACE ? 0 : 101;
  if (stat(rtop_writer_path(writer), &status) != 0) return 102;
  rtop_writer_destroy(&writer, false);
  return (int)(status.st_size / SEGMENT_BYTES_PER_MB);
}

static void test_file_size_limits(void **state)
{
  (void)state;
  static const struct {
    rlim_t limit;
    int history_mb;
  } limits[] = { { 0, 0 },
                 { 4096, 0 },
                 { SEGMENT_BYTES_PER_MB - 1, 0 },
                 { SEGMENT_BYTES_PER_MB, 1 },
                 { 4 << 20, 2 },
                 { 7 << 20, 4 },
                 { 13 << 20, 8 },
                 { RLIM_INFINITY, 8 } };
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    struct rlimit limit = { limits[i].limit, limits[i].limit };
    struct support_child child = support_fork(create_limited, &limit);
    assert_int_equal(support_join(&child), limits[i].history_mb);
    assert_int_equal(support_count_files(), 0);
  }
}

/* File systems of 1 MB to 300 MB: nothing, the smallest ring, a sixteenth of what is free. */
static void test_small_file_systems(void **state)
{
  (void)state;
  static const struct {
    const char *size;
    off_t bytes;
  } systems[] = { { "size=1m", 0 },
                  { "size=1700k", SEGMENT_BYTES_PER_MB },
                  { "size=60m", 2 * SEGMENT_BYTES_PER_MB },
                  { "size=300m", 8 * SEGMENT_BYTES_PER_MB } };
  const char *small = support_path("small");
  for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++) {
    struct rtop_writer_options options = { .ring_bytes = 8 << 20, .directory = small, .identity = support_identity() };
    struct rtop_error error = { 0 };
    struct stat status = { 0 };
    mkdir(small, 0700);
    if (mount("tmpfs", small, "tmpfs", 0, systems[i].size) != 0) skip();
    struct rtop_writer *writer = rtop_writer_create(&options, &error);
    if (writer) stat(rtop_writer_path(writer), &status);
    rtop_writer_destroy(&writer, false);
    assert_int_equal(umount(small), 0);
    assert_int_equal(status.st_size, systems[i].bytes);
    assert_int_equal(error.code, systems[i].bytes ? RTOP_ERROR_NONE : RTOP_ERROR_NO_SPACE);
  }
}

/* ---- memory in steps --------------------------------------------------------------------------------- */

static uint64_t memory_of(const struct rtop_writer *writer)
{
  struct stat status = { 0 };
  stat(rtop_writer_path(writer), &status);
  return (uint64_t)status.st_blocks * 512;
}

enum { MUCH_NODES = 700 };

static void add_nodes(struct rtop_writer *writer)
{
  struct rtop_node_entry node = { .parent = RTOP_NODE_ROOT, .depth = 1 };
  uint32_t id = 0;
  while (id < MUCH_NODES) assert_true(rtop_writer_add_node(writer, &node, &id));
}

/* Some kB that hardly compress. */
static uint64_t publish_much(struct rtop_writer *writer, uint64_t windows)
{
  struct rtop_window window = { 0 };
  uint64_t sequence = 0;
  for (uint64_t n = 0; n < windows; n++) {
    rtop_window_reset(&window);
    window.start_mono_ns = (int64_t)(n * 1000);
    window.end_mono_ns = (int64_t)(n * 1000 + 1000);
    *rtop_window_add_thread(&window) = (struct rtop_window_thread){ .slot = 1, .serial = 1 };
    for (uint32_t i = 0; i < MUCH_NODES; i++)
      *rtop_window_add_cell(&window) =
          (struct rtop_cell){ .node = i, .state = i % 5, .samples = 1, .wall_ns = (uint64_t)rand() << 8 };
    sequence = rtop_writer_publish(writer, &window);
    if (sequence == 0) break;
  }
  rtop_window_destroy(&window);
  return sequence;
}

/* Every window between the oldest and the newest is whole: a hole would be a window of zeros, or a signal. */
static uint64_t readable_windows(const struct rtop_writer *writer)
{
  struct rtop_window window = { 0 };
  struct rtop_reader *reader = rtop_reader_open(rtop_writer_path(writer), (uid_t)-1, NULL);
  uint64_t count = 0, newest = rtop_reader_newest(reader);
  for (uint64_t q = rtop_reader_oldest(reader); q <= newest; q++, count++)
    assert_int_equal(rtop_reader_window(reader, q, &window), RTOP_OK);
  rtop_reader_close(&reader);
  rtop_window_destroy(&window);
  return count;
}

static void test_memory_grows_with_the_history(void **state)
{
  (void)state;
  struct rtop_writer_options options = { .ring_bytes = 8 << 20, .identity = support_identity() };
  struct rtop_writer *writer = rtop_writer_create(&options, NULL);
  uint64_t whole = rtop_writer_segment(writer)->geometry.segment_bytes, first = memory_of(writer);
  add_nodes(writer);
  assert_int_equal(whole, 8 * SEGMENT_BYTES_PER_MB);
  assert_in_range(first, 1, whole / 4);
  assert_true(publish_much(writer, 300) > 0);
  uint64_t later = memory_of(writer);
  assert_in_range(later, first + (1 << 17), whole / 2);
  assert_true(publish_much(writer, 3000) > 0);
  assert_in_range(memory_of(writer), later + (1 << 21), whole);
  assert_true(readable_windows(writer) > 500);
  rtop_writer_destroy(&writer, false);
}

/* Slots of threads take memory as they are used. */
static void test_memory_grows_with_the_threads(void **state)
{
  (void)state;
  struct rtop_writer_options options = { .ring_bytes = 8 << 20, .identity = support_identity() };
  struct rtop_writer *writer = rtop_writer_create(&options, NULL);
  uint64_t first = memory_of(writer);
  for (uint32_t serial = 1; serial <= 5000; serial++)
    assert_int_equal(rtop_writer_thread_start(writer, serial, 1, 1, 0, "t", 1), serial);
  assert_in_range(memory_of(writer), first + 4000 * sizeof(struct rtop_thread_entry), first + (1 << 20));
  rtop_writer_destroy(&writer, false);
}

static void fill_up(const char *directory, const char *name)
{
  char path[700];
  static char block[1 << 16];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  int fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  memset(block, 1, sizeof block);
  while (write(fd, block, sizeof block) > 0)
    ;
  close(fd);
}

/* Others take what is left: the history is shorter, tables are full sooner, and nothing else happens. */
static void test_full_file_system_shortens_the_history(void **state)
{
  (void)state;
  char small[600], others[700];
  snprintf(small, sizeof small, "%s", support_path("small"));
  snprintf(others, sizeof others, "%s/others", small);
  mkdir(small, 0700);
  if (mount("tmpfs", small, "tmpfs", 0, "size=64m") != 0) skip();
  struct rtop_writer_options options = { .ring_bytes = 8 << 20, .directory = small, .identity = support_identity() };
  struct rtop_writer *writer = rtop_writer_create(&options, NULL);
  struct rtop_node_entry node = { .parent = RTOP_NODE_ROOT, .depth = 1 };
  uint32_t id = 0;
  assert_int_equal(rtop_writer_segment(writer)->geometry.segment_bytes, 4 * SEGMENT_BYTES_PER_MB);
  add_nodes(writer);
  assert_true(publish_much(writer, 10) > 0);
  fill_up(small, "others");
  uint64_t before = memory_of(writer);
  while (rtop_writer_add_node(writer, &node, &id))
    ;
  uint64_t last = publish_much(writer, 1500);
  assert_int_equal(last, 1510);
  assert_int_equal(memory_of(writer), before);
  assert_true(id > 1000 && id + 1 < rtop_writer_node_capacity(writer));
  uint64_t few = readable_windows(writer);
  assert_in_range(few, 20, 400);
  unlink(others);
  assert_true(rtop_writer_add_node(writer, &node, &id));
  assert_true(publish_much(writer, 1500) > last);
  assert_true(readable_windows(writer) > few);
  rtop_writer_destroy(&writer, false);
  assert_int_equal(umount(small), 0);
}

#define WRITER_TEST(name) cmocka_unit_test_setup(name, support_empty)

int main(void)
{
  const struct CMUnitTest tests[] = {
    WRITER_TEST(test_create_and_destroy),
    WRITER_TEST(test_name_can_be_kept),
    WRITER_TEST(test_publishes_in_sequence),
    WRITER_TEST(test_names_are_there_before_their_window),
    WRITER_TEST(test_full_tables_are_counted),
    WRITER_TEST(test_large_windows_are_folded_and_counted),
    WRITER_TEST(test_impossible_windows_keep_their_counters),
    WRITER_TEST(test_damaged_underneath),
    WRITER_TEST(test_fork),
    WRITER_TEST(test_wish_and_wake),
    WRITER_TEST(test_no_directory),
    WRITER_TEST(test_file_size_limits),
    WRITER_TEST(test_small_file_systems),
    WRITER_TEST(test_memory_grows_with_the_history),
    WRITER_TEST(test_memory_grows_with_the_threads),
    WRITER_TEST(test_full_file_system_shortens_the_history),
  };
  return cmocka_run_group_tests(tests, support_setup, support_teardown);
}
