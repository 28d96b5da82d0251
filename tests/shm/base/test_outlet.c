#include "shm/base/clock.h"
#include "tests/shm/support.h"

#include "shm/base/outlet.h"
#include "shm/channel/channel.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct outlet outlet;
static unsigned char *view;
static int fd;
enum { BYTES = 1 << 20 };

static int set_up(void **state)
{
  (void)state;
  fd = open(support_path("file"), O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0600);
  view = mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  outlet_init(&outlet, fd, view);
  return fd < 0 || view == MAP_FAILED || ftruncate(fd, BYTES) != 0;
}

static int tear_down(void **state)
{
  close(fd);
  munmap(view, BYTES);
  return support_empty(state);
}

static void assert_at(off_t offset, const char *expected)
{
  char found[128] = "";
  assert_int_equal(pread(fd, found, strlen(expected), offset), strlen(expected));
  assert_string_equal(found, expected);
}

static void test_stores_at_the_same_distance(void **state)
{
  (void)state;
  char back[6] = "";
  outlet_store(&outlet, view + 4096, "hello", 5);
  assert_at(4096, "hello");
  assert_true(outlet_load(&outlet, back, view + 4096, 5));
  assert_string_equal(back, "hello");
  uint64_t word;
  outlet_release(&outlet, (uint64_t *)(void *)(view + 8), 77);
  assert_int_equal(pread(fd, &word, sizeof word, 8), 8);
  assert_int_equal(word, 77);
  assert_false(outlet_failed(&outlet));
}

/* Whatever the order of the tables: each run goes out once, whole, and a full one goes out by itself. */
static void test_appended_bytes_go_out_together(void **state)
{
  (void)state;
  size_t ends[4] = { 0, 1 << 16, 2 << 16, 3 << 16 };
  unsigned char expected[4][3 * OUTLET_RUN_BYTES], found[3 * OUTLET_RUN_BYTES];
  srand(3);
  for (int i = 0; i < 1000; i++) {
    size_t table = (size_t)rand() % 4, count = 1 + (size_t)rand() % 50;
    size_t start = ends[table] - (table << 16);
    for (size_t at = 0; at < count; at++) expected[table][start + at] = (unsigned char)rand();
    outlet_append(&outlet, view + ends[table], expected[table] + start, count);
    ends[table] += count;
  }
  outlet_flush(&outlet);
  for (size_t table = 0; table < 4; table++) {
    size_t count = ends[table] - (table << 16);
    assert_int_equal(pread(fd, found, count, (off_t)table << 16), count);
    assert_memory_equal(found, expected[table], count);
  }
  outlet_append(&outlet, view + 8, "later", 5);
  assert_at(0, "");
  char back[6] = "";
  assert_true(outlet_load(&outlet, back, view + 8, 5));
  assert_string_equal(back, "later");
}

static void test_nothing_goes_out_after_a_failure(void **state)
{
  (void)state;
  uint64_t word = 0;
  int read_only = open(support_path("file"), O_RDONLY | O_CLOEXEC);
  outlet.fd = read_only;
  outlet_store(&outlet, view, "lost", 4);
  assert_true(outlet_failed(&outlet));
  assert_int_equal(outlet.cause, EBADF);
  outlet.fd = fd;
  outlet_release(&outlet, (uint64_t *)(void *)view, 5);
  outlet_append(&outlet, view, "lost", 4);
  outlet_flush(&outlet);
  assert_int_equal(pread(fd, &word, sizeof word, 0), 8);
  assert_int_equal(word, 0);
  assert_false(outlet_load(&outlet, &word, view, sizeof word));
  close(read_only);
}

/* The same trace through memory and through the file leaves the same bytes. */
static void test_file_and_memory_are_the_same(void **state)
{
  (void)state;
  enum { SLOTS = 16, RING = 16384 };
  static _Alignas(64) struct rtop_counters counters;
  static _Alignas(64) struct rtop_slot slots[SLOTS];
  static _Alignas(64) unsigned char ring_bytes[RING];
  struct rtop_ring memory = { .counters = &counters,
                              .slots = slots,
                              .bytes = ring_bytes,
                              .slot_count = SLOTS,
                              .capacity = RING,
                              .instance_id = (const uint8_t *)"0123456789abcdef" };
  struct rtop_ring file = memory;
  file.counters = (void *)view;
  file.slots = (void *)(view + 4096);
  file.bytes = view + 8192;
  file.outlet = &outlet;
  unsigned char payload[RING / 8], found[RING];
  srand(7);
  for (uint64_t n = 1; n <= 500; n++) {
    for (size_t i = 0; i < sizeof payload; i++) payload[i] = (unsigned char)rand();
    struct rtop_slot slot = { .start_mono_ns = (int64_t)n, .end_mono_ns = (int64_t)n + 1 };
    slot.stored_bytes = slot.raw_bytes = (uint32_t)rand() % (sizeof payload / 8) * 8;
    struct rtop_slot again = slot;
    assert_int_equal(rtop_ring_publish(&memory, &slot, payload), n);
    assert_int_equal(rtop_ring_publish(&file, &again, payload), n);
  }
  assert_int_equal(pread(fd, found, sizeof counters, 0), sizeof counters);
  assert_memory_equal(found, &counters, sizeof counters);
  assert_int_equal(pread(fd, found, sizeof slots, 4096), sizeof slots);
  assert_memory_equal(found, slots, sizeof slots);
  assert_int_equal(pread(fd, found, RING, 8192), RING);
  assert_memory_equal(found, ring_bytes, RING);
}

/* ---- the whole writer, under a file that is cut all the time ---------------------------------------- */

/* Publishes for two seconds; a lost channel is made again. Every call of the writer has its turn. */
static int write_all_the_time(struct support_pipes pipes, void *argument)
{
  struct rtop_window window = { 0 };
  struct rtop_request request;
  int64_t end = clock_now_ns() + 2000000000;
  unsigned lost = 0;
  (void)argument;
  for (uint64_t serial = 1; clock_now_ns() < end;) {
    struct rtop_writer *writer = support_writer();
    if (!writer) continue;
    support_tell(pipes.out);
    for (uint64_t n = 1; clock_now_ns() < end; n++, serial++) {
      struct rtop_frame_entry frame = { .label = rtop_writer_add_string(writer, "Object#work", 11) };
      struct rtop_node_entry node = { .parent = RTOP_NODE_ROOT, .depth = 1 };
      uint32_t id, value;
      rtop_writer_add_frame(writer, &frame, &node.frame);
      rtop_writer_add_node(writer, &node, &id);
      rtop_writer_relabel_frame(writer, node.frame, 8, 0);
      uint32_t slot = rtop_writer_thread_start(writer, serial, 1, 1, 0, "worker", 6);
      rtop_writer_thread_end(writer, slot, serial, 2);
      support_window(&window, n);
      rtop_writer_request(writer, &request, &value);
      rtop_writer_wait(writer, value + 1, 0);
      rtop_writer_wake(writer);
      if (rtop_writer_publish(writer, &window) == 0) break;
    }
    lost++;
    rtop_writer_destroy(&writer, false);
  }
  rtop_window_destroy(&window);
  return lost > 2 ? 0 : 1;
}

static void cut_all_files(void)
{
  static const off_t lengths[] = { 0, 4096, 8192, 100000 };
  DIR *directory = opendir(support_directory());
  for (struct dirent *entry; (entry = readdir(directory));)
    if (strncmp(entry->d_name, "rperf-top.", 10) == 0) truncate(support_path(entry->d_name), lengths[rand() % 4]);
  closedir(directory);
}

static void test_a_file_that_is_cut_is_no_signal(void **state)
{
  (void)state;
  struct support_child child = support_fork(write_all_the_time, NULL);
  assert_true(support_hear(child.from));
  assert_int_equal(fcntl(child.from, F_SETFL, O_NONBLOCK), 0);
  char heard[64];
  while (kill(child.pid, 0) == 0 && read(child.from, heard, sizeof heard) != 0) cut_all_files();
  assert_int_equal(support_join(&child), 0);
}

#define OUTLET_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
    OUTLET_TEST(test_stores_at_the_same_distance),
    OUTLET_TEST(test_appended_bytes_go_out_together),
    OUTLET_TEST(test_nothing_goes_out_after_a_failure),
    OUTLET_TEST(test_file_and_memory_are_the_same),
    cmocka_unit_test_setup(test_a_file_that_is_cut_is_no_signal, support_empty),
  };
  return cmocka_run_group_tests(tests, support_setup, support_teardown);
}
