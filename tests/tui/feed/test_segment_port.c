/* Segments of another user: parsed by a process that has his rights and no others, whose answers are checked. */
#include "tests/tui/channel_fixture.h"

#include "shm/base/error.h"
#include "shm/segment/registry.h"
#include "tui/feed/feed_impl.h"
#include "tui/feed/segment_port_impl.h"
#include "tui/text/source_rights.h"
#include "tui/text/whole_io.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

enum { NOBODY = 65534 };

struct opened {
  struct channel channel;
  struct rtop_registry_entry entry;
  struct rtop_reader *reader;
};

static void open_channel(struct opened *opened, const char *orders)
{
  struct rtop_error error = { 0 };
  memset(opened, 0, sizeof *opened);
  channel_open(&opened->channel);
  channel_tell(&opened->channel, orders);
  if (rtop_registry_find(opened->channel.pid, &opened->entry, &error) != 0) fail_msg("%s", error.text);
  opened->reader = rtop_reader_open(opened->entry.path, opened->entry.uid, &error);
  assert_non_null(opened->reader);
}

static void close_channel(struct opened *opened)
{
  rtop_reader_close(&opened->reader);
  channel_kill(&opened->channel);
}

static void need_root(void)
{
  if (geteuid() != 0) skip(); /* only root can take the rights of another */
}

/* The value of a line of /proc/PID/status. */
static void status_of(pid_t pid, const char *name, char *value, size_t bytes)
{
  char path[64], line[256];
  snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
  FILE *status = fopen(path, "re");
  assert_non_null(status);
  *value = '\0';
  while (fgets(line, sizeof line, status))
    if (strncmp(line, name, strlen(name)) == 0) snprintf(value, bytes, "%s", line + strlen(name));
  fclose(status);
}

static bool descriptor_is(pid_t pid, int number, const char *target)
{
  char path[64], link[512] = "";
  snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, number);
  return readlink(path, link, sizeof link - 1) > 0 && strncmp(link, target, strlen(target)) == 0;
}

/* The user's, for good; no groups, no capabilities, no new ones, a filter; the segment and a socket. */
static void test_the_rights_of_the_process_that_parses(void **state)
{
  (void)state;
  struct opened opened;
  char value[256];
  need_root();
  open_channel(&opened, "w");
  struct segment_port *port = segment_port_open(opened.reader, opened.entry.pid, opened.entry.uid, NULL);
  assert_non_null(port);
  pid_t pid = segment_port_process(port);
  assert_true(pid > 0);
  status_of(pid, "Uid:", value, sizeof value);
  assert_string_equal(value, "\t65534\t65534\t65534\t65534\n");
  status_of(pid, "Gid:", value, sizeof value);
  assert_string_equal(value, "\t65534\t65534\t65534\t65534\n");
  status_of(pid, "CapEff:", value, sizeof value);
  assert_string_equal(value, "\t0000000000000000\n");
  status_of(pid, "CapPrm:", value, sizeof value);
  assert_string_equal(value, "\t0000000000000000\n");
  status_of(pid, "NoNewPrivs:", value, sizeof value);
  assert_string_equal(value, "\t1\n");
  status_of(pid, "Seccomp:", value, sizeof value);
  assert_string_equal(value, "\t2\n");
  int segments = 0, sockets = 0, others = 0;
  for (int fd = 0; fd < 64; fd++) {
    char path[64], link[512] = "";
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, fd);
    if (readlink(path, link, sizeof link - 1) <= 0 || descriptor_is(pid, fd, "/dev/null")) continue;
    segments += strcmp(link, opened.entry.path) == 0;
    sockets += strncmp(link, "socket:", 7) == 0;
    others += strcmp(link, opened.entry.path) != 0 && strncmp(link, "socket:", 7) != 0 && fd != STDERR_FILENO;
  }
  assert_int_equal(segments, 1);
  assert_int_equal(sockets, 1);
  assert_int_equal(others, 0);
  segment_port_close(&port);
  assert_int_equal(kill(pid, 0), -1);
  close_channel(&opened);
}

/* What such a process could still do, if what it parses made it do things. */
static int what_is_left(struct rtop_reader *reader, int out)
{
  struct source_rights rights;
  const int keep[2] = { out, rtop_reader_descriptor(reader) };
  int left = 0;
  if (!rtop_reader_follow_fork(reader) || !source_rights_of(&rights, 0, NOBODY) ||
      !source_rights_take(&rights, SOURCE_RIGHTS_PARSE, keep, 2))
    return -1;
  left |= open("/etc/passwd", O_RDONLY) >= 0;
  left |= (open("/dev/tty", O_RDWR) >= 0 || open("/proc/self/mem", O_RDWR) >= 0) << 1;
  left |= (setuid(0) == 0 || setgid(0) == 0) << 2;
  left |= (socket(AF_UNIX, SOCK_STREAM, 0) >= 0 || kill(getppid(), 0) == 0) << 3;
  left |= (fork() >= 0 || execl("/bin/true", "true", NULL) == 0) << 4;
  left |= (unlink("/tmp/none") == 0 || errno != EPERM) << 5;
  left |= (mmap(NULL, (size_t)1 << 33, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) << 6;
  left |= (ftruncate(rtop_reader_descriptor(reader), 0) == 0) << 7;
  return left;
}

static void test_what_it_cannot_do(void **state)
{
  (void)state;
  struct opened opened;
  int ends[2], left = -1;
  need_root();
#if defined(__SANITIZE_ADDRESS__)
  skip(); /* its memory has no limit then */
#endif
  open_channel(&opened, "w");
  assert_int_equal(pipe(ends), 0);
  pid_t pid = fork();
  if (pid == 0) {
    left = what_is_left(opened.reader, ends[1]);
    _exit(write(ends[1], &left, sizeof left) == sizeof left ? 0 : 1);
  }
  close(ends[1]);
  assert_int_equal(read(ends[0], &left, sizeof left), sizeof left);
  waitpid(pid, NULL, 0);
  close(ends[0]);
  assert_int_equal(left, 0);
  close_channel(&opened);
}

/* Another user's only: for our own there is no process. */
static void test_nobody_is_asked_without_need(void **state)
{
  (void)state;
  struct opened opened;
  open_channel(&opened, "w");
  struct segment_port *port = segment_port_open(opened.reader, opened.entry.pid, geteuid(), NULL);
  assert_non_null(port);
  assert_int_equal(segment_port_process(port), 0);
  struct rtop_window window = { 0 };
  assert_int_equal(segment_port_window(port, RTOP_TIER_FINE, 1, &window), RTOP_OK);
  rtop_window_destroy(&window);
  segment_port_close(&port);
  close_channel(&opened);
}

/* How many mappings of the file this process has. */
static size_t mappings_of(const char *path)
{
  char line[1024];
  size_t count = 0;
  FILE *maps = fopen("/proc/self/maps", "re");
  assert_non_null(maps);
  while (fgets(line, sizeof line, maps)) count += strstr(line, path) != NULL;
  fclose(maps);
  return count;
}

static void expect_the_same(struct segment_port *port, struct rtop_reader *own)
{
  struct rtop_counters counters;
  uint64_t newest = 0;
  pid_t pid = 0;
  rtop_reader_counters(own, &counters);
  assert_int_equal(segment_port_state(port, 1, &pid), RTOP_CHANNEL_LIVE);
  assert_true(pid > 0);
  assert_memory_equal(segment_port_counters(port), &counters, sizeof counters);
  assert_int_equal(segment_port_oldest(port, RTOP_TIER_FINE, &newest), rtop_reader_oldest(own));
  assert_int_equal(newest, rtop_reader_newest(own));
  assert_int_equal(newest, 3);
}

/* A root who watches another user has no mapping of what that user may cut off or fill: even the counters come from the
 * process that parses. What would load from a mapping says that there is nothing. */
static void test_root_maps_nothing(void **state)
{
  (void)state;
  struct opened opened;
  struct rtop_counters counters;
  need_root();
  open_channel(&opened, "www");
  struct rtop_reader *own = rtop_reader_open(opened.entry.path, opened.entry.uid, NULL);
  assert_int_equal(mappings_of(opened.entry.path), 2);
  struct segment_port *port = segment_port_open(opened.reader, opened.entry.pid, opened.entry.uid, NULL);
  assert_non_null(port);
  assert_int_equal(mappings_of(opened.entry.path), 1); /* `own` */
  expect_the_same(port, own);
  rtop_reader_close(&own);
  assert_int_equal(mappings_of(opened.entry.path), 0);
  assert_int_equal(rtop_reader_newest(opened.reader), 0);
  assert_int_equal(rtop_reader_node_count(opened.reader), 0);
  rtop_reader_counters(opened.reader, &counters);
  assert_int_equal(counters.head_sequence, 0);
  assert_int_equal(rtop_registry_find(opened.channel.pid, &opened.entry, NULL), 0);
  assert_int_equal(mappings_of(opened.entry.path), 0);
  segment_port_close(&port);
  close_channel(&opened);
}

static void test_one_that_is_killed_is_told(void **state)
{
  (void)state;
  struct opened opened;
  struct rtop_window window = { 0 };
  need_root();
  open_channel(&opened, "ww");
  struct segment_port *port = segment_port_open(opened.reader, opened.entry.pid, opened.entry.uid, NULL);
  assert_int_equal(segment_port_window(port, RTOP_TIER_FINE, 1, &window), RTOP_OK);
  assert_int_equal(window.cell_count, 1);
  assert_null(segment_port_problem(port));
  kill(segment_port_process(port), SIGKILL);
  assert_int_equal(segment_port_window(port, RTOP_TIER_FINE, 2, &window), RTOP_CORRUPT);
  assert_int_equal(window.cell_count, 0);
  assert_non_null(segment_port_problem(port));
  assert_int_equal(segment_port_process(port), 0);
  struct rtop_frame_entry frame;
  char text[16];
  assert_false(segment_port_frame(port, 1, &frame));
  assert_int_equal(segment_port_string(port, 8, text, sizeof text), 0);
  segment_port_close(&port);
  rtop_window_destroy(&window);
  close_channel(&opened);
}

/* ---- answers of one that was taken over ------------------------------------------------------------- */

/* Answers every question with the same bytes, but tells the counters as they are. */
static struct segment_port *port_to_a_liar(struct rtop_reader *reader, const void *bytes, size_t count)
{
  int ends[2];
  const struct port_answer right = { .result = RTOP_OK };
  struct rtop_counters counters;
  rtop_reader_counters(reader, &counters);
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  pid_t pid = fork();
  if (pid == 0) {
    struct port_request request;
    close(ends[0]);
    while (io_receive(ends[1], &request, sizeof request, 0) == sizeof request &&
           (request.operation == PORT_COUNTERS
                ? io_send(ends[1], &right, sizeof right) && io_send(ends[1], &counters, sizeof counters)
                : io_send(ends[1], bytes, count)))
      ;
    _exit(0);
  }
  close(ends[1]);
  struct segment_port *port = port_attach(reader, pid, ends[0]);
  port_look(port);
  return port;
}

static struct {
  struct port_answer answer;
  struct port_window head;
  struct rtop_window_thread thread;
  struct rtop_cell cells[2];
  struct rtop_fibers fibers;
  struct port_thread entry;
} lie;

/* A window that is right, for one thing to be changed. */
static void make_lie(void)
{
  memset(&lie, 0, sizeof lie);
  lie.head.start_mono_ns = 1;
  lie.head.end_mono_ns = 100;
  lie.head.counts[RTOP_LIST_THREADS] = 1;
  lie.head.counts[RTOP_LIST_CELLS] = 2;
  lie.head.counts[RTOP_LIST_FIBERS] = 1;
  lie.head.published = (struct rtop_counters){ .node_count = 1000, .string_bytes = 4096, .head_sequence = 1 };
  lie.thread = (struct rtop_window_thread){ .slot = 1, .serial = 1, .node = 1 };
  lie.cells[0] = lie.cells[1] = (struct rtop_cell){ .node = 1, .wall_ns = 10 };
  lie.fibers = (struct rtop_fibers){ .serial = 1, .name = 1, .node = 1, .alive = 2, .waiting = 1, .wait_ns = 10 };
  lie.entry.right = 1;
  lie.entry.entry.name_bytes = 4;
}

static enum rtop_result tell_lie(struct rtop_reader *reader)
{
  struct rtop_window window = { 0 };
  struct rtop_thread_entry thread;
  struct segment_port *port = port_to_a_liar(reader, &lie, sizeof lie);
  assert_non_null(port);
  enum rtop_result result = segment_port_window(port, RTOP_TIER_FINE, 1, &window);
  assert_int_equal(window.cell_count, result == RTOP_OK ? 2 : 0);
  assert_int_equal(window.fibers_count, result == RTOP_OK ? 1 : 0);
  if (result == RTOP_OK) assert_memory_equal(window.fibers, &lie.fibers, sizeof lie.fibers);
  if (result == RTOP_OK)
    assert_int_equal(segment_port_thread(port, &window, 0, &thread), lie.entry.entry.name_bytes <= 80);
  rtop_window_destroy(&window);
  segment_port_close(&port);
  return result;
}

static void test_a_wrong_window_is_not_believed(void **state)
{
  (void)state;
  struct opened opened;
  open_channel(&opened, "w");
  make_lie();
  assert_int_equal(tell_lie(opened.reader), RTOP_OK);
#define LIE(what) (make_lie(), what, tell_lie(opened.reader))
  assert_int_equal(LIE(lie.answer.result = 77), RTOP_CORRUPT);
  assert_int_equal(LIE(lie.answer.result = RTOP_LOST), RTOP_LOST);
  assert_int_equal(LIE(lie.head.counts[RTOP_LIST_CELLS] = UINT32_MAX), RTOP_CORRUPT);
  assert_int_equal(LIE(lie.head.counts[RTOP_LIST_MARKS] = 1u << 31), RTOP_CORRUPT);
  assert_int_equal(LIE(lie.head.end_mono_ns = 0), RTOP_CORRUPT);
  assert_int_equal(LIE(lie.head.start_mono_ns = INT64_MIN), RTOP_CORRUPT);
  assert_int_equal(LIE(lie.thread.node = 1000000), RTOP_CORRUPT);
  assert_int_equal(LIE(lie.thread.slot = UINT32_MAX), RTOP_CORRUPT);
  assert_int_equal(LIE(lie.cells[1].node = 1000000), RTOP_CORRUPT);
  assert_int_equal(LIE(lie.cells[1].thread = 1), RTOP_CORRUPT);
  assert_int_equal(LIE(lie.cells[1].state = 5), RTOP_CORRUPT);
  assert_int_equal(LIE(lie.cells[1].wall_ns = INT64_MAX), RTOP_CORRUPT);
  assert_int_equal(LIE(lie.head.counts[RTOP_LIST_FIBERS] = UINT32_MAX), RTOP_CORRUPT);
  assert_int_equal(LIE(lie.fibers.node = 1000000), RTOP_CORRUPT);
  assert_int_equal(LIE(lie.fibers.name = 1000000), RTOP_CORRUPT);
  assert_int_equal(LIE(lie.fibers.waiting = 3), RTOP_CORRUPT);
  assert_int_equal(LIE(lie.fibers.wait_ns = UINT64_MAX), RTOP_CORRUPT);
  assert_int_equal(LIE(lie.entry.entry.name_bytes = 81), RTOP_OK);
  assert_int_equal(LIE(lie.head.published.node_count = 1), RTOP_CORRUPT);
  assert_int_equal(LIE((lie.head.published.node_count = UINT64_MAX, lie.cells[1].node = 10000000)), RTOP_CORRUPT);
#undef LIE
  close_channel(&opened);
}

/* Of entries and strings, too: counts and lengths are those that were asked for, or all is over. */
static void test_wrong_tables_are_not_believed(void **state)
{
  (void)state;
  struct opened opened;
  static struct {
    struct port_answer answer;
    struct port_node nodes[4];
  } nodes;
  static struct {
    struct port_answer answer;
    uint32_t bytes;
    char text[8];
  } string;
  struct rtop_node_entry node;
  char text[32];
  open_channel(&opened, "w");
  nodes.answer.count = 1000;
  struct segment_port *port = port_to_a_liar(opened.reader, &nodes, sizeof nodes);
  assert_false(segment_port_node(port, 4, &node));
  assert_non_null(segment_port_problem(port));
  segment_port_close(&port);
  nodes.answer.count = (uint32_t)rtop_reader_node_count(opened.reader) - 4;
  assert_in_range(nodes.answer.count, 1, 4);
  nodes.nodes[0] = (struct port_node){ .right = 1, .entry.parent = 4 };
  port = port_to_a_liar(opened.reader, &nodes, sizeof nodes.answer + nodes.answer.count * sizeof *nodes.nodes);
  assert_false(segment_port_node(port, 4, &node)); /* its own parent */
  assert_null(segment_port_problem(port));
  assert_false(segment_port_node(port, UINT32_MAX, &node));
  segment_port_close(&port);
  string.answer.count = 1;
  string.bytes = 5;
  memcpy(string.text, "a\nbcd", 5);
  port = port_to_a_liar(opened.reader, &string, sizeof string.answer + 4 + 5);
  assert_int_equal(segment_port_string(port, 8, text, sizeof text), 5);
  assert_int_equal(segment_port_string(port, 8, text, 3), 2);
  segment_port_close(&port);
  string.bytes = UINT32_MAX;
  port = port_to_a_liar(opened.reader, &string, sizeof string);
  assert_int_equal(segment_port_string(port, 8, text, sizeof text), 0);
  assert_non_null(segment_port_problem(port));
  segment_port_close(&port);
  close_channel(&opened);
}

/* It lets us wait, and is ended. */
static void test_no_answer_does_not_hang(void **state)
{
  (void)state;
  struct opened opened;
  struct timespec from, to;
  struct rtop_window window = { 0 };
  open_channel(&opened, "w");
  struct segment_port *port = port_to_a_liar(opened.reader, "", 0);
  clock_gettime(CLOCK_MONOTONIC, &from);
  assert_int_equal(segment_port_window(port, RTOP_TIER_FINE, 1, &window), RTOP_CORRUPT);
  clock_gettime(CLOCK_MONOTONIC, &to);
  assert_true(to.tv_sec - from.tv_sec < 30);
  assert_non_null(segment_port_problem(port));
  segment_port_close(&port);
  close_channel(&opened);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_rights_of_the_process_that_parses),
    cmocka_unit_test(test_what_it_cannot_do),
    cmocka_unit_test(test_nobody_is_asked_without_need),
    cmocka_unit_test(test_root_maps_nothing),
    cmocka_unit_test(test_one_that_is_killed_is_told),
    cmocka_unit_test(test_a_wrong_window_is_not_believed),
    cmocka_unit_test(test_wrong_tables_are_not_believed),
    cmocka_unit_test(test_no_answer_does_not_hang),
  };
  return cmocka_run_group_tests(tests, geteuid() == 0 ? channel_folder_of_another : channel_folder,
                                channel_remove_folder);
}
