/* A process that publishes the windows of a small web server without being one: for tests of the screen
 * that need no Ruby. Uses the real writer, so that the viewer cannot tell the difference.
 *
 *   fake_process [SECONDS]      runs for that long (for ever); prints "ready PID" when it can be watched
 *
 * With RESTS in its environment it has no past, and its threads only wait; COPIES is how many of it there are, which end
 * with the first: for tests with hundreds of them.
 * SIGTERM ends the channel in good order. SIGUSR1 stops publishing (stalled), SIGUSR2 goes on.
 */
#include "shm/base/clock.h"
#include "shm/channel/writer.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { WINDOW_NS = 100000000, THREADS = 5, HISTORY = 300, FILLER = 40 };

static volatile sig_atomic_t ending, paused;
static bool rests;

static const struct {
  const char *label, *path, *space;
  uint32_t line, kind;
} frames[] = {
  { "OrdersController#index", "/app/controllers/orders_controller.rb", "OrdersController", 18, RTOP_FRAME_RUBY },
  { "Order#total", "/app/models/order.rb", "Order", 7, RTOP_FRAME_RUBY },
  { "JSON::Ext::Generator#generate", "", "JSON::Ext::Generator", 0, RTOP_FRAME_C },
  { "PG::Connection#exec_params", "", "PG::Connection", 0, RTOP_FRAME_C },
  { "Queue#pop", "", "Queue", 0, RTOP_FRAME_C },
  { "Puma::Server#process_client", "/gems/puma/server.rb", "Puma::Server", 440, RTOP_FRAME_RUBY },
};
enum { FRAMES = sizeof frames / sizeof frames[0] };

/* parent is a row of this table (-1: root); frame a row of the table above. */
static const struct {
  int parent;
  uint32_t frame, line;
} nodes[] = {
  { -1, 5, 445 }, { 0, 0, 19 }, { 1, 1, 9 }, { 1, 2, 0 }, { 1, 3, 0 }, { -1, 4, 0 },
};
enum { NODES = sizeof nodes / sizeof nodes[0] };

static uint32_t node_ids[NODES], filler_ids[FILLER], slots[THREADS];

static void on_signal(int number)
{
  ending = number == SIGTERM || number == SIGINT ? 1 : ending;
  paused = number == SIGUSR1 ? 1 : number == SIGUSR2 ? 0 : paused;
}

static void die(const char *what)
{
  fprintf(stderr, "fake_process: %s\n", what);
  exit(1);
}

static uint32_t add_frame(struct rtop_writer *writer, const char *label, const char *path, const char *space,
                          uint32_t line, uint32_t kind)
{
  struct rtop_frame_entry frame = { .line = line, .kind = kind };
  uint32_t id = 0;
  frame.label = rtop_writer_add_string(writer, label, strlen(label));
  frame.path = rtop_writer_add_string(writer, path, strlen(path));
  frame.namespace_label = rtop_writer_add_string(writer, space, strlen(space));
  if (!rtop_writer_add_frame(writer, &frame, &id)) die("no room for a frame");
  return id;
}

static uint32_t add_node(struct rtop_writer *writer, uint32_t parent, uint32_t depth, uint32_t frame, uint32_t line)
{
  struct rtop_node_entry node = { .parent = parent, .frame = frame, .line = line, .depth = depth };
  uint32_t id = 0;
  if (!rtop_writer_add_node(writer, &node, &id)) die("no room for a node");
  return id;
}

static void add_tables(struct rtop_writer *writer)
{
  uint32_t frame_ids[FRAMES], depths[NODES];
  for (int i = 0; i < FRAMES; i++)
    frame_ids[i] = add_frame(writer, frames[i].label, frames[i].path, frames[i].space, frames[i].line, frames[i].kind);
  for (int i = 0; i < NODES; i++) {
    int parent = nodes[i].parent;
    depths[i] = parent < 0 ? 1 : depths[parent] + 1;
    node_ids[i] =
        add_node(writer, parent < 0 ? 0 : node_ids[parent], depths[i], frame_ids[nodes[i].frame], nodes[i].line);
  }
  for (int i = 0; i < FILLER; i++) {
    char label[32];
    snprintf(label, sizeof label, "Filler#method_%02d", i);
    filler_ids[i] =
        add_node(writer, node_ids[1], depths[1] + 1,
                 add_frame(writer, label, "/app/lib/filler.rb", "Filler", (uint32_t)(10 * i + 1), RTOP_FRAME_RUBY),
                 (uint32_t)(10 * i + 2));
  }
}

static void add_threads(struct rtop_writer *writer)
{
  for (uint32_t i = 0; i < THREADS; i++) {
    char name[32];
    snprintf(name, sizeof name, "puma srv tp %03u", i);
    slots[i] =
        rtop_writer_thread_start(writer, i + 1, (uint32_t)getpid() + i, clock_now_ns(), i == 0 ? RTOP_THREAD_MAIN : 0,
                                 i == 0 ? "main" : name, i == 0 ? 4 : strlen(name));
  }
}

static void add_cell(struct rtop_window *window, uint32_t thread, uint32_t node, uint32_t state, uint64_t per_mille)
{
  struct rtop_cell *cell = rtop_window_add_cell(window);
  if (cell == NULL) die("out of memory");
  *cell = (struct rtop_cell){
    .node = node,
    .thread = thread,
    .state = state,
    .samples = (uint32_t)per_mille / 10 + 1,
    .wall_ns = per_mille * (WINDOW_NS / 1000),
    .cpu_ns = state == RTOP_RUNNING ? per_mille * (WINDOW_NS / 1000) : 0,
    .allocations = state == RTOP_RUNNING ? per_mille * (1 + node % 7) : 0,
  };
}

/* Every thread's cells make a whole window, and the GVL is held for all of it. `turn` lets waits move a little. */
static void add_cells(struct rtop_window *window, uint64_t turn)
{
  uint64_t sway = turn * 37 % 101;
  add_cell(window, 1, node_ids[2], RTOP_RUNNING, 350);
  add_cell(window, 1, node_ids[2], RTOP_WAITING, 350 - sway);
  add_cell(window, 1, node_ids[3], RTOP_RUNNING, 200);
  add_cell(window, 1, node_ids[3], RTOP_WAITING, sway);
  add_cell(window, 1, node_ids[3], RTOP_MARKING, 100);
  add_cell(window, 2, node_ids[4], RTOP_BLOCKED, 700);
  add_cell(window, 2, node_ids[1], RTOP_RUNNING, 150);
  add_cell(window, 2, node_ids[1], RTOP_WAITING, 150);
  add_cell(window, 0, node_ids[5], RTOP_BLOCKED, 1000);
  add_cell(window, 3, node_ids[5], RTOP_BLOCKED, 1000);
  for (uint32_t i = 0; i < FILLER; i++) {
    add_cell(window, 4, filler_ids[i], RTOP_RUNNING, 5);
    add_cell(window, 4, filler_ids[i], RTOP_WAITING, 20);
  }
}

static void fill_window(struct rtop_window *window, int64_t end_ns, uint64_t turn)
{
  static const uint32_t states[THREADS] = { RTOP_BLOCKED, RTOP_RUNNING, RTOP_WAITING, RTOP_BLOCKED, RTOP_WAITING };
  const uint32_t leaf[THREADS] = { node_ids[5], node_ids[2], node_ids[1], node_ids[5], filler_ids[0] };
  rtop_window_reset(window);
  window->start_mono_ns = end_ns - WINDOW_NS;
  window->end_mono_ns = end_ns;
  for (uint32_t i = 0; i < THREADS; i++) {
    struct rtop_window_thread *thread = rtop_window_add_thread(window);
    if (thread == NULL) die("out of memory");
    *thread = (struct rtop_window_thread){ .slot = slots[i], .state = states[i], .node = leaf[i], .serial = i + 1 };
  }
  if (rests)
    for (uint32_t i = 0; i < THREADS; i++) add_cell(window, i, node_ids[5], RTOP_BLOCKED, 1000);
  else add_cells(window, turn);
  rtop_window_set_counter(window, RTOP_COUNTER_SAMPLES, 100);
  rtop_window_set_counter(window, RTOP_COUNTER_TICKS, 100);
  rtop_window_set_counter(window, RTOP_COUNTER_COST_NS, 50000);
  rtop_window_set_counter(window, RTOP_COUNTER_RATE_HZ, 1000);
  rtop_window_set_counter(window, RTOP_COUNTER_RATE_WANTED_HZ, 1000);
  rtop_window_set_counter(window, RTOP_COUNTER_GC_MINOR, turn % 3 == 0);
  rtop_window_set_counter(window, RTOP_COUNTER_ALLOCATIONS, 1000 + turn % 10);
  rtop_window_set_counter(window, RTOP_COUNTER_RSS_BYTES, UINT64_C(123) << 20);
  rtop_window_set_counter(window, RTOP_COUNTER_CPU_NS, 95000000);
}

static void wait_until(int64_t until_ns)
{
  int64_t left_ns;
  while (!ending && (left_ns = until_ns - clock_now_ns()) > 0) poll(NULL, 0, (int)(left_ns / 1000000) + 1);
}

static void publish(struct rtop_writer *writer, struct rtop_window *window)
{
  if (rtop_writer_publish(writer, window) == 0) die("the channel is gone");
}

static void make_copies(const char *count)
{
  for (long left = count ? strtol(count, NULL, 10) : 1; left > 1; left--)
    if (fork() == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      return;
    }
}

/* What it calls itself is what it was started as. */
static const char title[] = "fake puma: worker 0 [shop]";

int main(int argc, char **argv)
{
  if (strcmp(argv[0], title) != 0) execl("/proc/self/exe", title, argc > 1 ? argv[1] : (char *)NULL, (char *)NULL);
  struct rtop_writer_options options = { .ring_bytes = 1 << 20 };
  struct rtop_error error = { 0 };
  struct rtop_window window = { 0 };
  rests = getenv("RESTS") != NULL;
  make_copies(getenv("COPIES"));
  options.identity.window_ns = WINDOW_NS;
  strcpy(options.identity.ruby_version, "3.3.8");
  strcpy(options.identity.tool_version, "test");
  strcpy(options.identity.command, title);
  struct sigaction action = { .sa_handler = on_signal };
  static const int watched[] = { SIGTERM, SIGINT, SIGUSR1, SIGUSR2 };
  for (size_t i = 0; i < sizeof watched / sizeof watched[0]; i++) sigaction(watched[i], &action, NULL);
  struct rtop_writer *writer = rtop_writer_create(&options, &error);
  if (writer == NULL) die(error.text);
  add_tables(writer);
  add_threads(writer);
  int64_t at_ns = clock_now_ns();
  int64_t stop_ns = argc > 1 ? at_ns + (int64_t)(strtod(argv[1], NULL) * 1e9) : INT64_MAX;
  uint64_t turn = 0;
  for (; turn < HISTORY && !rests; turn++) { /* a past, so that the timeline has something to show */
    fill_window(&window, at_ns - (int64_t)(HISTORY - 1 - turn) * WINDOW_NS, turn);
    publish(writer, &window);
  }
  printf("ready %d\n", (int)getpid());
  fflush(stdout);
  while (!ending && at_ns < stop_ns) {
    at_ns += WINDOW_NS;
    wait_until(at_ns);
    if (!ending && !paused) {
      fill_window(&window, at_ns, turn++);
      publish(writer, &window);
    }
  }
  rtop_writer_destroy(&writer, false);
  rtop_window_destroy(&window);
  return 0;
}
