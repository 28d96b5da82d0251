/* recording_make FILE [SECONDS [THREADS [METHODS]]]: a recording of a busy server that never was: by
 * default an hour, 64 threads, 10,000 methods in stacks 5 to 60 deep. The same file in every run. */
#include "shm/window/window.h"
#include "tui/recording/recording_write.h"

#include "shm/base/error.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAKE_NODES_PER_METHOD = 3, MAKE_CELLS_PER_THREAD = 6, MAKE_WINDOW_NS = 100000000 };

struct make {
  struct rtop_profile *profile;
  struct rtop_window window;
  uint64_t random;
  uint32_t *nodes, *identity;
  uint32_t node_count, threads, thread_ids[4096];
  int64_t now_ns;
};

static uint32_t make_random(struct make *make, uint32_t below)
{
  make->random = make->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(make->random >> 33) % below;
}

static uint32_t make_frame(struct make *make, uint32_t method)
{
  char label[64], path[96];
  int label_bytes = snprintf(label, sizeof label, "Service%u::Order%u#call_%u", method % 97, method % 13, method);
  int path_bytes = snprintf(path, sizeof path, "/srv/app/models/service%u/order%u.rb", method % 97, method % 13);
  return rtop_symbols_frame(rtop_profile_symbols(make->profile), label, (size_t)label_bytes, path, (size_t)path_bytes,
                            "", 0, method % 500 + 1, RTOP_SYMBOL_RUBY);
}

/* A tree whose branches begin at any node: most stacks end somewhere between 5 and 60 deep. */
static void make_tree(struct make *make, uint32_t methods)
{
  struct rtop_symbols *symbols = rtop_profile_symbols(make->profile);
  uint32_t count = methods * MAKE_NODES_PER_METHOD;
  make->nodes = calloc(count, sizeof *make->nodes);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t parent =
        i < 8 ? 0
              : make->nodes[make_random(make, 8) ? i - 1 - make_random(make, i < 40 ? i : 40) : make_random(make, i)];
    make->nodes[i] = rtop_symbols_node(symbols, parent, make_frame(make, i % methods), make_random(make, 400) + 1);
  }
  make->node_count = count;
  uint32_t all = rtop_symbols_node_count(symbols);
  make->identity = calloc(all, sizeof *make->identity);
  for (uint32_t i = 0; i < all; i++) make->identity[i] = i;
}

/* Skewed: few methods are hot, all are met now and then. */
static uint32_t make_node(struct make *make)
{
  uint32_t bound = make_random(make, 4) ? make->node_count / 20 : make->node_count;
  return make->nodes[make_random(make, bound)];
}

static void make_cell(struct make *make, uint32_t thread, uint64_t wall_ns)
{
  struct rtop_cell *cell = rtop_window_add_cell(&make->window);
  *cell = (struct rtop_cell){
    .node = make_node(make),
    .thread = thread,
    .state = make_random(make, 8) ? RTOP_BLOCKED : make_random(make, 5),
    .samples = 1 + make_random(make, 20),
    .wall_ns = wall_ns,
    .allocations = make_random(make, 2000),
  };
  cell->cpu_ns = cell->state == RTOP_RUNNING ? wall_ns - wall_ns / 50 : make_random(make, 2000);
}

static void make_threads(struct make *make)
{
  for (uint32_t i = 0; i < make->threads; i++) {
    struct rtop_window_thread *thread = rtop_window_add_thread(&make->window);
    char name[32];
    struct rtop_source_thread about = { .serial = i + 1, .name = name, .native_id = 5000 + i, .is_main = i == 0 };
    about.name_bytes = (size_t)snprintf(name, sizeof name, "puma srv tp %03u", i);
    *thread = (struct rtop_window_thread){
      .serial = i + 1,
      .state = make_random(make, 8) ? RTOP_BLOCKED : RTOP_RUNNING,
      .node = make_node(make),
      .state_age_ns = make_random(make, 80000000),
    };
    make->thread_ids[i] = rtop_profile_thread(make->profile, 0, &about);
    uint64_t left_ns = MAKE_WINDOW_NS;
    for (int cell = 1; cell < MAKE_CELLS_PER_THREAD; cell++) {
      uint64_t part_ns = 1 + make_random(make, (uint32_t)(left_ns / 2));
      make_cell(make, i, part_ns);
      left_ns -= part_ns;
    }
    make_cell(make, i, left_ns);
  }
}

static void make_window(struct make *make)
{
  struct rtop_window *window = &make->window;
  rtop_window_reset(window);
  window->start_mono_ns = make->now_ns;
  window->end_mono_ns = make->now_ns += MAKE_WINDOW_NS;
  make_threads(make);
  rtop_window_set_counter(window, RTOP_COUNTER_SAMPLES, 900 + make_random(make, 100));
  rtop_window_set_counter(window, RTOP_COUNTER_RATE_HZ, 1000);
  rtop_window_set_counter(window, RTOP_COUNTER_ALLOCATIONS, 100000 + make_random(make, 50000));
  rtop_window_set_counter(window, RTOP_COUNTER_RSS_BYTES, (UINT64_C(400) << 20) + make_random(make, 1 << 20));
  rtop_window_set_counter(window, RTOP_COUNTER_CPU_NS, 90000000 + make_random(make, 10000000));
  rtop_profile_add(make->profile, 0, window, make->identity,
                   rtop_symbols_node_count(rtop_profile_symbols(make->profile)), make->thread_ids);
}

int main(int argc, char **argv)
{
  struct rtop_error error = { 0 };
  long seconds = argc > 2 ? atol(argv[2]) : 3600, threads = argc > 3 ? atol(argv[3]) : 64;
  long methods = argc > 4 ? atol(argv[4]) : 10000;
  if (argc < 2 || seconds < 1 || threads < 1 || threads > 4096 || methods < 10 || methods > 300000) {
    fprintf(stderr, "usage: recording_make FILE [SECONDS [THREADS [METHODS]]]\n");
    return 2;
  }
  struct make make = {
    .profile = rtop_profile_create(8 << 20), .random = 1, .threads = (uint32_t)threads, .now_ns = INT64_C(1000000000000)
  };
  make_tree(&make, (uint32_t)methods);
  struct rtop_recorder *recorder = rtop_recorder_create(argv[1], make.profile, 0, &error);
  const struct rtop_feed_info info = { .pid = 4711,
                                       .command = "puma 6.4.2 (tcp://0.0.0.0:3000) [shop]",
                                       .ruby = "3.3.8",
                                       .window_ns = MAKE_WINDOW_NS,
                                       .clock_offset_ns = INT64_C(1700000000000000000),
                                       .started_real_ns = INT64_C(1700001000000000000) };
  if (recorder) rtop_recorder_source(recorder, 0, &info);
  for (long i = 0; recorder && i < seconds * 10; i++) make_window(&make);
  bool fine = recorder && rtop_recorder_close(&recorder, &error);
  if (!fine) fprintf(stderr, "recording_make: %s\n", error.text);
  rtop_window_destroy(&make.window);
  rtop_profile_destroy(&make.profile);
  free(make.nodes);
  free(make.identity);
  return fine ? 0 : 1;
}
