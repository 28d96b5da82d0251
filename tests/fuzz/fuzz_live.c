/* What feeds hand in, as hostile as a window can be: threads that come and go, late records that reach anywhere,
 * windows in any order, in so little memory that windows are merged, carried and dropped all the time. Sums over
 * parts must add up to the sum over the whole, and nothing may grow beyond its bound. */
#include "shm/window.h"
#include "tui/profile.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LIVE_NODES = 64, LIVE_THREADS = 24, LIVE_SOURCES = 3, LIVE_WINDOWS_MAX = 2000 };
static const int64_t live_window_ns = 100000000;

struct live {
  const uint8_t *next, *end;
  struct rtop_profile *profile;
  struct rtop_window window;
  uint32_t nodes[LIVE_NODES], threads[LIVE_THREADS];
  int64_t now_ns[LIVE_SOURCES];
};

static void demand(bool right)
{
  if (!right)
    abort();
}

static uint32_t take(struct live *live)
{
  return live->next < live->end ? *live->next++ : 0;
}

/* Small, or one of the numbers at which something turns over. */
static uint64_t take_number(struct live *live)
{
  uint32_t byte = take(live);
  if (byte < 192)
    return (uint64_t)byte * 1000000;
  if (byte < 254)
    return (UINT64_C(1) << (byte - 191)) - (byte & 1);
  return byte == 254 ? INT64_MAX : UINT64_MAX;
}

static void meet_nodes(struct live *live)
{
  struct rtop_symbols *symbols = rtop_profile_symbols(live->profile);
  for (uint32_t i = 1; i < LIVE_NODES; i++) {
    char label[5] = {'m', (char)take(live), (char)take(live), (char)('a' + i % 26), (char)i};
    uint32_t frame = rtop_symbols_frame(symbols, label, sizeof label, "/a.rb", 5, "", 0, i, RTOP_SYMBOL_RUBY);
    live->nodes[i] = rtop_symbols_node(symbols, live->nodes[take(live) % i], frame, i);
  }
}

static struct rtop_cell take_cell(struct live *live, uint32_t threads)
{
  return (struct rtop_cell){
    .node = take(live) % LIVE_NODES, .thread = take(live) % threads, .state = take(live) % RTOP_STATE_COUNT,
    .samples = take(live), .wall_ns = take_number(live), .cpu_ns = take_number(live),
    .allocations = take_number(live), .blame_ns = take_number(live),
  };
}

static void make_window(struct live *live, uint32_t source)
{
  struct rtop_window *window = &live->window;
  rtop_window_reset(window);
  uint32_t threads = 1 + take(live) % LIVE_THREADS, cells = take(live) % 64, lates = take(live) % 16;
  for (uint32_t i = 0; i < threads; i++) {
    struct rtop_source_thread thread = {.serial = take(live), .name = (const char *)live->next, .native_id = i};
    thread.name_bytes = (size_t)(live->end - live->next) < 8 ? 0 : 8;
    *rtop_window_add_thread(window) = (struct rtop_window_thread){
      .slot = i, .serial = thread.serial, .node = take(live) % LIVE_NODES, .state = take(live) % RTOP_STATE_COUNT,
      .flags = (uint8_t)take(live), .state_age_ns = take_number(live), .provisional_ns = take_number(live),
    };
    live->threads[i] = rtop_profile_thread(live->profile, source, &thread);
  }
  for (uint32_t i = 0; i < cells; i++)
    *rtop_window_add_cell(window) = take_cell(live, threads);
  for (uint32_t i = 0; i < lates; i++)
    *rtop_window_add_late(window) = (struct rtop_late){
      .cell = take_cell(live, threads), .start_mono_ns = (int64_t)take_number(live)};
  for (unsigned id = 0; id < RTOP_COUNTER_ID_MAX && take(live) & 1; id++)
    rtop_window_set_counter(window, id, take_number(live));
}

static void step(struct live *live)
{
  uint32_t what = take(live), source = what % LIVE_SOURCES;
  int64_t length_ns = what & 64 ? (int64_t)take_number(live) : live_window_ns, start_ns = live->now_ns[source];
  if (what & 128)
    start_ns -= (int64_t)(take_number(live) % 1000000000);
  if (length_ns <= 0 || __builtin_add_overflow(start_ns, length_ns, &live->now_ns[source]))
    live->now_ns[source] = start_ns = live_window_ns;
  if (what & 32) {
    rtop_profile_add_gap(live->profile, source, start_ns, live->now_ns[source]);
    return;
  }
  make_window(live, source);
  live->window.start_mono_ns = start_ns;
  live->window.end_mono_ns = live->now_ns[source];
  rtop_profile_add(live->profile, source, &live->window, live->nodes, LIVE_NODES, live->threads);
  if (what & 16)
    rtop_profile_add_mark(live->profile, source, start_ns, (const char *)live->next,
                          (size_t)(live->end - live->next) % 300);
}

static uint64_t wall_of(const struct rtop_profile *profile, struct rtop_span span)
{
  static struct rtop_sum sum;
  uint64_t wall_ns = 0;
  demand(rtop_profile_sum(profile, span, &sum));
  for (size_t i = 0; i < sum.cell_count; i++)
    wall_ns += rtop_cost_wall(&sum.cells[i].cost);
  demand(wall_ns == rtop_cost_wall(&sum.total));
  return wall_ns;
}

static void look(const struct rtop_profile *profile)
{
  static struct rtop_window_summary windows[256];
  struct rtop_span held = rtop_profile_bounds(profile);
  struct rtop_span_brief brief;
  int64_t middle_ns = held.start_ns + (held.end_ns - held.start_ns) / 2;
  uint64_t both_ns = wall_of(profile, (struct rtop_span){held.start_ns, middle_ns}) +
                     wall_of(profile, (struct rtop_span){middle_ns, held.end_ns});
  demand(both_ns == wall_of(profile, held));
  rtop_profile_windows(profile, held, windows, 256);
  rtop_profile_brief(profile, held, &brief);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct live live = {.next = data, .end = data + size};
  if (size < 4)
    return 0;
  bool keeps = take(&live) & 1;
  live.profile = rtop_profile_create(1 << (12 + take(&live) % 8));
  if (keeps)
    rtop_profile_keep_sums(live.profile);
  meet_nodes(&live);
  for (int i = 0; i < LIVE_WINDOWS_MAX && live.next < live.end; i++)
    step(&live);
  look(live.profile);
  rtop_profile_destroy(&live.profile);
  rtop_window_destroy(&live.window);
  return 0;
}
