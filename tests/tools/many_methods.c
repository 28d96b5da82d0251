/* A process with many methods and threads without being one, for the cost of looking at it.
 *
 *   many_methods [METHODS [THREADS [SECONDS [LEAVES]]]]     10000, 64, for ever (0), all; prints "ready PID"
 *
 * Methods stand in classes and gems and call each other some twenty deep. All the figures of a window are
 * different in the next one. LEAVES: how many stacks of running threads a window holds; a sampler at 1000 Hz
 * finds 100 in 100 ms. Half of them are spread over all methods, half over forty hot ones. Without it every
 * method is the leaf of some stack in every second: ten times what a sampler would find.
 */
#include "shm/base/clock.h"
#include "shm/channel/writer.h"
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  WINDOW_NS = 100000000,
  WINDOWS_PER_SECOND = 10,
  HISTORY = 30,
  HISTORY_SAMPLED = 600,
  DEPTH = 20,
  METHODS_PER_CLASS = 25,
  THREADS_MAX = 1024,
  METHODS_MAX = 100000
};

static struct many {
  struct rtop_writer *writer;
  struct rtop_window window;
  uint32_t methods, threads, leaves_per_window;
  uint32_t *frames, *leaves; /* by method: its frame, the node where it is the leaf */
  uint32_t slots[THREADS_MAX];
  uint32_t random;
} many;

static volatile sig_atomic_t ending;

static void on_signal(int number)
{
  (void)number;
  ending = 1;
}

static void die(const char *what)
{
  fprintf(stderr, "many_methods: %s\n", what);
  exit(1);
}

static uint32_t random_below(uint32_t bound)
{
  many.random = many.random * 1664525 + 1013904223;
  return (uint32_t)(((uint64_t)many.random * bound) >> 32);
}

static uint32_t text_id(const char *text)
{
  return rtop_writer_add_string(many.writer, text, strlen(text));
}

static void add_frame(uint32_t method)
{
  char space[64], label[96], path[128];
  uint32_t class = method / METHODS_PER_CLASS;
  snprintf(space, sizeof space, "Domain%02u::Service%03u", class % 20, class);
  snprintf(label, sizeof label, "%s#work_%05u", space, method);
  snprintf(path, sizeof path,
           class % 3 ? "/srv/app/lib/domain%02u/service%03u.rb"
                     : "/usr/lib/ruby/gems/3.3.0/gems/domain-1.%u/lib/service%03u.rb",
           class % 20, class);
  struct rtop_frame_entry frame = { .line = 10 * (method % METHODS_PER_CLASS) + 1, .kind = RTOP_FRAME_RUBY };
  frame.label = text_id(label);
  frame.path = text_id(path);
  frame.namespace_label = text_id(space);
  if (!rtop_writer_add_frame(many.writer, &frame, &many.frames[method])) die("no room for a frame");
}

/* A method is called by one that came before it, up to DEPTH deep. */
static void add_tables(void)
{
  uint32_t *depth = calloc(many.methods, sizeof *depth);
  if (!depth) die("out of memory");
  for (uint32_t method = 0; method < many.methods; method++) {
    uint32_t caller = method ? random_below(method) : 0;
    bool below = method > 0 && depth[caller] < DEPTH;
    if (below && random_below(3) && method > 8) caller = method - 1 - random_below(8); /* deep rather than broad */
    below = below && depth[caller] < DEPTH;
    depth[method] = below ? depth[caller] + 1 : 1;
    add_frame(method);
    struct rtop_node_entry node = {
      .parent = below ? many.leaves[caller] : 0,
      .frame = many.frames[method],
      .depth = depth[method],
      .line = 10 * (method % METHODS_PER_CLASS) + 3,
    };
    if (!rtop_writer_add_node(many.writer, &node, &many.leaves[method])) die("no room for a node");
  }
  free(depth);
}

static void add_threads(void)
{
  for (uint32_t i = 0; i < many.threads; i++) {
    char name[32];
    snprintf(name, sizeof name, "worker %03u", i);
    many.slots[i] = rtop_writer_thread_start(many.writer, i + 1, (uint32_t)getpid() + i, clock_now_ns(),
                                             i ? 0 : RTOP_THREAD_MAIN, name, strlen(name));
  }
}

static void add_cell(uint32_t thread, uint32_t method, uint32_t state, uint64_t wall_ns)
{
  struct rtop_cell *cell = rtop_window_add_cell(&many.window);
  if (!cell) die("out of memory");
  *cell = (struct rtop_cell){
    .node = many.leaves[method],
    .thread = thread,
    .state = state,
    .samples = 1,
    .wall_ns = wall_ns,
    .cpu_ns = state == RTOP_RUNNING ? wall_ns : 0,
    .allocations = random_below(50),
  };
}

static uint32_t leaf(uint32_t at, uint32_t share, uint32_t first)
{
  bool hot = many.leaves_per_window ? at % 2 : at >= share;
  if (hot) return random_below(40) * (many.methods / 40);
  return many.leaves_per_window ? random_below(many.methods) : (first + at) % many.methods;
}

/* Threads run in turn; what is left of the window they wait. */
static void fill_window(int64_t end_ns, uint64_t turn)
{
  uint32_t share = many.methods / WINDOWS_PER_SECOND + 1, leaves = share + share / 4;
  uint32_t first = (uint32_t)(turn % WINDOWS_PER_SECOND) * share;
  leaves = many.leaves_per_window ? many.leaves_per_window : leaves;
  uint64_t slice_ns = WINDOW_NS / leaves;
  rtop_window_reset(&many.window);
  many.window.start_mono_ns = end_ns - WINDOW_NS;
  many.window.end_mono_ns = end_ns;
  for (uint32_t i = 0; i < many.threads; i++) {
    struct rtop_window_thread *thread = rtop_window_add_thread(&many.window);
    if (!thread) die("out of memory");
    uint32_t hot = random_below(40) * (many.methods / 40);
    *thread = (struct rtop_window_thread){
      .slot = many.slots[i],
      .serial = i + 1,
      .node = many.leaves[hot],
      .state = i == 0  ? RTOP_RUNNING
               : i % 3 ? RTOP_BLOCKED
                       : RTOP_WAITING,
    };
    add_cell(i, hot, i % 3 ? RTOP_BLOCKED : RTOP_WAITING, WINDOW_NS - WINDOW_NS / many.threads);
  }
  for (uint32_t i = 0; i < leaves; i++) {
    uint32_t method = leaf(i, share, first);
    add_cell(method % many.threads, method, RTOP_RUNNING, slice_ns / 2 + random_below((uint32_t)slice_ns));
  }
  rtop_window_set_counter(&many.window, RTOP_COUNTER_SAMPLES, leaves);
  rtop_window_set_counter(&many.window, RTOP_COUNTER_TICKS, 100);
  rtop_window_set_counter(&many.window, RTOP_COUNTER_COST_NS, 50000 + random_below(20000));
  rtop_window_set_counter(&many.window, RTOP_COUNTER_RATE_HZ, 1000);
  rtop_window_set_counter(&many.window, RTOP_COUNTER_RATE_WANTED_HZ, 1000);
  rtop_window_set_counter(&many.window, RTOP_COUNTER_GC_MINOR, turn % 3 == 0);
  rtop_window_set_counter(&many.window, RTOP_COUNTER_ALLOCATIONS, 1000 + random_below(500));
  rtop_window_set_counter(&many.window, RTOP_COUNTER_RSS_BYTES, (UINT64_C(300) << 20) + turn % 64 * 65536);
  rtop_window_set_counter(&many.window, RTOP_COUNTER_CPU_NS, 95000000);
}

static void publish(int64_t end_ns, uint64_t turn)
{
  fill_window(end_ns, turn);
  if (rtop_writer_publish(many.writer, &many.window) == 0) die("the channel is gone");
}

static void open_channel(void)
{
  struct rtop_writer_options options = { .ring_bytes = 16 << 20 };
  struct rtop_error error = { 0 };
  options.identity.window_ns = WINDOW_NS;
  strcpy(options.identity.ruby_version, "3.3.8");
  strcpy(options.identity.tool_version, "test");
  strcpy(options.identity.command, "many methods");
  many.writer = rtop_writer_create(&options, &error);
  if (!many.writer) die(error.text);
  many.frames = calloc(many.methods, sizeof *many.frames);
  many.leaves = calloc(many.methods, sizeof *many.leaves);
  if (!many.frames || !many.leaves) die("out of memory");
  add_tables();
  add_threads();
}

static uint32_t number(int argc, char **argv, int at, uint32_t usual, uint32_t most)
{
  unsigned long value = argc > at ? strtoul(argv[at], NULL, 10) : usual;
  return value < 1 ? 1 : value > most ? most : (uint32_t)value;
}

int main(int argc, char **argv)
{
  struct sigaction action = { .sa_handler = on_signal };
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  many.methods = number(argc, argv, 1, 10000, METHODS_MAX);
  many.threads = number(argc, argv, 2, 64, THREADS_MAX);
  many.leaves_per_window = argc > 4 ? (uint32_t)strtoul(argv[4], NULL, 10) : 0;
  open_channel();
  double seconds = argc > 3 ? strtod(argv[3], NULL) : 0;
  int64_t at_ns = clock_now_ns(), stop_ns = seconds > 0 ? at_ns + (int64_t)(seconds * 1e9) : INT64_MAX;
  uint64_t turn = 0, history = many.leaves_per_window ? HISTORY_SAMPLED : HISTORY;
  for (; turn < history; turn++) publish(at_ns - (int64_t)(history - 1 - turn) * WINDOW_NS, turn);
  printf("ready %d\n", (int)getpid());
  fflush(stdout);
  while (!ending && at_ns < stop_ns) {
    at_ns += WINDOW_NS;
    for (int64_t left_ns; !ending && (left_ns = at_ns - clock_now_ns()) > 0;)
      poll(NULL, 0, (int)(left_ns / 1000000) + 1);
    if (!ending) publish(at_ns, turn++);
  }
  rtop_writer_destroy(&many.writer, false);
  rtop_window_destroy(&many.window);
  free(many.frames);
  free(many.leaves);
  return 0;
}
