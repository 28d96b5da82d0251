/* What is believed of a process that parses a segment for root: any bytes as its answers, to every question in turn. What
 * comes through must be in range. */
#include "shm/base/error.h"
#include "shm/channel/writer.h"
#include "shm/window/window.h"
#include "tui/feed/segment_port_impl.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

static char directory[] = "/dev/shm/rtop-fuzz.XXXXXX", path[512];
static struct rtop_reader *reader;

static void demand(bool condition)
{
  if (!condition) abort();
}

static void clean_up(void)
{
  unlink(path);
  rmdir(directory);
}

/* A segment that says that it has tables. */
int LLVMFuzzerInitialize(int *count, char ***arguments)
{
  struct rtop_segment_sizes sizes = { 4096, 4, 4096, 512, 4096, 8, { { 4096, 4 }, { 4096, 4 } } };
  struct rtop_segment_identity identity = { .window_ns = 100000000, .command = "fuzz" };
  struct rtop_segment segment;
  struct rtop_counters counters = { .string_bytes = 4096, .frame_count = 500, .node_count = 4000 };
  (void)count;
  (void)arguments;
  demand(mkdtemp(directory) != NULL);
  demand(rtop_segment_create(&segment, directory, &sizes, &identity, NULL) == 0);
  snprintf(path, sizeof path, "%s", segment.path);
  demand(pwrite(segment.fd, &counters, sizeof counters, RTOP_COUNTERS_OFFSET) == sizeof counters);
  reader = rtop_reader_open(path, (uid_t)-1, NULL);
  demand(reader != NULL);
  rtop_segment_close(&segment, false);
  atexit(clean_up);
  return 0;
}

/* Never asked: the answers stand in the socket already. */
static pid_t nobody(void)
{
  pid_t pid = fork();
  demand(pid >= 0);
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) pause();
  }
  return pid;
}

/* No count is larger than its table, whatever was answered. */
static void demand_bounds(const struct segment_port *port)
{
  const struct rtop_counters *counters = segment_port_counters(port);
  demand(counters->string_bytes <= 4096 && counters->frame_count <= 512 && counters->node_count <= 4096);
}

static void ask_for_counters(struct segment_port *port)
{
  uint64_t newest;
  segment_port_state(port, 5, NULL);
  demand_bounds(port);
  segment_port_oldest(port, RTOP_TIER_10S, &newest);
}

static void ask_for_windows(struct segment_port *port)
{
  static struct rtop_window window;
  struct rtop_window_limits limits = { .thread_slots = 8 };
  struct rtop_thread_entry thread;
  int64_t start_ns = 0, end_ns = 0;
  if (segment_port_time(port, RTOP_TIER_FINE, 1, &start_ns, &end_ns) == RTOP_OK)
    demand(start_ns >= 0 && start_ns <= end_ns);
  segment_port_find(port, RTOP_TIER_1S, 5);
  if (segment_port_window(port, RTOP_TIER_FINE, 1, &window) != RTOP_OK) return;
  demand_bounds(port);
  limits.node_count = segment_port_counters(port)->node_count;
  limits.string_bytes = segment_port_counters(port)->string_bytes;
  demand(rtop_window_valid(&window, &limits));
  for (size_t i = 0; i < window.thread_count; i++)
    if (segment_port_thread(port, &window, i, &thread)) demand(thread.name_bytes <= sizeof thread.name);
}

static void ask_for_tables(struct segment_port *port, uint32_t from)
{
  char text[300];
  struct rtop_frame_entry frame;
  struct rtop_node_entry node;
  for (uint32_t id = from; id < from + 300; id++) {
    if (segment_port_frame(port, id, &frame))
      demand(frame.kind <= RTOP_FRAME_SPECIAL &&
             segment_port_string(port, frame.label, text, sizeof text) < sizeof text);
    if (segment_port_node(port, id, &node)) demand(id == 0 ? node.parent == 0 : node.parent < id);
  }
  demand(segment_port_string(port, 8, text, 4) < 4);
}

/* A true one: of our own segment directly, and as root with another's rights. */
static void ask_a_true_one(uid_t owner)
{
  struct rtop_error error = { 0 };
  struct rtop_reader *own = rtop_reader_open(path, (uid_t)-1, NULL);
  demand(own != NULL);
  struct segment_port *port = segment_port_open(own, 0, owner, &error);
  demand(port || error.text[0] != '\0');
  if (!port) {
    rtop_reader_close(&own);
    return;
  }
  ask_for_counters(port);
  ask_for_windows(port);
  ask_for_tables(port, 0);
  demand(segment_port_problem(port) == NULL);
  segment_port_close(&port);
  rtop_reader_close(&own);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  int ends[2];
  if (size < 2 || size > 60000) return 0;
  demand(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  if (data[0] == 255) {
    ask_a_true_one(geteuid());
    ask_a_true_one(65534);
  }
  struct segment_port *port = port_attach(reader, nobody(), ends[0]);
  demand(port && write(ends[1], data + 1, size - 1) == (ssize_t)(size - 1) && shutdown(ends[1], SHUT_WR) == 0);
  if (data[0] & 8) ask_for_counters(port);
  else if (data[0] & 6) port_look(port);
  if (data[0] & 1) ask_for_windows(port);
  if (data[0] & 2) ask_for_tables(port, data[0] & 4 ? 450 : 0);
  demand((segment_port_process(port) == 0) == (segment_port_problem(port) != NULL));
  segment_port_close(&port);
  close(ends[1]);
  return 0;
}
