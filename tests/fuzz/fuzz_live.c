/* What feeds hand in, as hostile as a window can be: threads that come and go, late records that reach anywhere,
 * windows in any order, in so little memory that windows are merged, carried and dropped all the time. Sums over
 * parts must add up to the sum over the whole, what slides must stay what is summed, what is recorded must be what comes
 * out of the recording, and nothing may grow beyond its bound. */
#include "shm/base/error.h"
#include "shm/window/window.h"
#include "tests/tui/naive.h"
#include "tui/feed/feed.h"
#include "tui/history/profile.h"
#include "tui/history/profile_each.h"
#include "tui/history/profile_slide.h"
#include "tui/recording/recording_write.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

enum { LIVE_NODES = 64, LIVE_THREADS = 24, LIVE_SOURCES = 3, LIVE_WINDOWS_MAX = 2000, LIVE_LETTINGS_MAX = 3 };
static const int64_t live_window_ns = 100000000;

struct live {
  const uint8_t *next, *end;
  struct rtop_profile *profile;
  struct rtop_window window;
  uint32_t nodes[LIVE_NODES], threads[LIVE_THREADS];
  int64_t now_ns[LIVE_SOURCES];
  struct rtop_slide *slide;
  uint64_t slid_ns;               /* as the slide tells it */
  struct rtop_recorder *recorder; /* NULL: none */
  uint32_t lettings;              /* how often names were let go */
};

static char folder[] = "/dev/shm/rtop-fuzz.XXXXXX", recording[64];

static void clean_up(void)
{
  unlink(recording);
  rmdir(folder);
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
  (void)count;
  (void)arguments;
  if (!mkdtemp(folder)) abort();
  snprintf(recording, sizeof recording, "%s/a.rpt", folder);
  atexit(clean_up);
  return 0;
}

static void demand(bool right)
{
  if (!right) abort();
}

static uint32_t take(struct live *live)
{
  return live->next < live->end ? *live->next++ : 0;
}

/* Small, or one of the numbers at which something turns over. */
static uint64_t take_number(struct live *live)
{
  uint32_t byte = take(live);
  if (byte < 192) return (uint64_t)byte * 1000000;
  if (byte < 254) return (UINT64_C(1) << (byte - 191)) - (byte & 1);
  return byte == 254 ? INT64_MAX : UINT64_MAX;
}

static void meet_nodes(struct live *live)
{
  struct rtop_symbols *symbols = rtop_profile_symbols(live->profile);
  uint32_t unsampled = rtop_symbols_frame(symbols, "(not sampled)", 13, "", 0, "", 0, 0, RTOP_SYMBOL_SPECIAL);
  live->nodes[1] = rtop_symbols_node(symbols, 0, unsampled, 0);
  for (uint32_t i = 2; i < LIVE_NODES; i++) {
    char label[5] = { 'm', (char)take(live), (char)take(live), (char)('a' + i % 26), (char)i };
    uint32_t frame = rtop_symbols_frame(symbols, label, sizeof label, "/a.rb", 5, "", 0, i, RTOP_SYMBOL_RUBY);
    live->nodes[i] = rtop_symbols_node(symbols, live->nodes[take(live) % i], frame, i);
    demand(rtop_symbols_line(symbols, live->nodes[i]) < 2 * LIVE_NODES);
  }
}

static struct rtop_cell take_cell(struct live *live, uint32_t threads)
{
  return (struct rtop_cell){
    .node = take(live) % LIVE_NODES,
    .thread = take(live) % threads,
    .state = take(live) % RTOP_STATE_COUNT,
    .samples = take(live),
    .wall_ns = take_number(live),
    .cpu_ns = take_number(live),
    .allocations = take_number(live),
    .blame_ns = take_number(live),
  };
}

static void make_window(struct live *live, uint32_t source)
{
  struct rtop_window *window = &live->window;
  rtop_window_reset(window);
  uint32_t threads = 1 + take(live) % LIVE_THREADS, cells = take(live) % 64, lates = take(live) % 16;
  for (uint32_t i = 0; i < threads; i++) {
    struct rtop_source_thread thread = { .serial = take(live), .name = (const char *)live->next, .native_id = i };
    thread.name_bytes = (size_t)(live->end - live->next) < 8 ? 0 : 8;
    *rtop_window_add_thread(window) = (struct rtop_window_thread){
      .slot = i,
      .serial = thread.serial,
      .node = take(live) % LIVE_NODES,
      .state = take(live) % RTOP_STATE_COUNT,
      .flags = (uint8_t)take(live),
      .state_age_ns = take_number(live),
      .provisional_ns = take_number(live),
    };
    live->threads[i] = rtop_profile_thread(live->profile, source, &thread);
  }
  for (uint32_t i = 0; i < cells; i++) *rtop_window_add_cell(window) = take_cell(live, threads);
  for (uint32_t i = 0; i < lates; i++)
    *rtop_window_add_late(window) =
        (struct rtop_late){ .cell = take_cell(live, threads), .start_mono_ns = (int64_t)take_number(live) };
  for (unsigned id = 0; id < RTOP_COUNTER_ID_MAX && take(live) & 1; id++)
    rtop_window_set_counter(window, id, take_number(live));
}

static void step(struct live *live)
{
  uint32_t what = take(live), source = what % LIVE_SOURCES;
  int64_t length_ns = what & 64 ? (int64_t)take_number(live) : live_window_ns, start_ns = live->now_ns[source];
  if (what & 128) start_ns -= (int64_t)(take_number(live) % 1000000000);
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
  if ((what & 24) == 24)
    rtop_symbols_relabel(rtop_profile_symbols(live->profile), what % LIVE_NODES, (const char *)live->next,
                         (size_t)(live->end - live->next) % 20, "New", 3);
  if (what & 16)
    rtop_profile_add_mark(live->profile, source, start_ns, (const char *)live->next,
                          (size_t)(live->end - live->next) % 300);
}

static uint64_t wall_of(const struct rtop_profile *profile, struct rtop_span span)
{
  static struct rtop_sum sum;
  uint64_t wall_ns = 0;
  demand(rtop_profile_sum(profile, span, &sum));
  for (size_t i = 0; i < sum.cell_count; i++) wall_ns += rtop_cost_wall(&sum.cells[i].cost);
  demand(wall_ns == rtop_cost_wall(&sum.total));
  return wall_ns;
}

/* ---- sliding ---------------------------------------------------------------------------------------- */

static void slide_restart(void *context)
{
  ((struct live *)context)->slid_ns = 0;
}

static void slide_cell(void *context, const struct rtop_sum_cell *cell, bool comes)
{
  uint64_t wall_ns = rtop_cost_wall(&cell->cost);
  ((struct live *)context)->slid_ns += comes ? wall_ns : -wall_ns;
}

static void slide(struct live *live, int64_t length_ns)
{
  static struct rtop_sum sum, naive;
  struct rtop_span span = rtop_profile_last(live->profile, length_ns);
  demand(rtop_slide_to(live->slide, span, &sum));
  demand(naive_sum(live->profile, span, &naive));
  demand(live->slid_ns == wall_of(live->profile, span));
  demand(live->slid_ns == rtop_cost_wall(&naive.total));
}

/* ---- looking ---------------------------------------------------------------------------------------- */

static void visit(void *context, const struct rtop_look *look)
{
  const struct rtop_profile *profile = context;
  demand(look->start_ns <= look->end_ns);
  for (size_t i = 0; i < look->thread_count; i++) {
    struct rtop_look_thread thread = rtop_look_thread(look, i);
    rtop_profile_thread_name(profile, thread.thread);
    rtop_profile_thread_serial(profile, thread.thread);
  }
  for (size_t i = 0; i < look->cell_count; i++) demand(rtop_look_cell(look, i).state < RTOP_STATES);
  for (size_t i = 0; i < look->long_count; i++)
    demand(rtop_look_long(look, i).start_ns <= rtop_look_long(look, i).end_ns);
  rtop_look_share(look, (struct rtop_span){ look->start_ns, look->end_ns }, 1000);
}

static void look_around(struct rtop_profile *profile, struct rtop_span span)
{
  static struct rtop_window_summary windows[256];
  static struct rtop_sum sum;
  struct rtop_profile_mark marks[16];
  struct rtop_span_brief brief;
  uint64_t wall_ns[RTOP_STATES], times[64][RTOP_STATES] = { 0 };
  rtop_profile_windows(profile, span, windows, 256);
  rtop_profile_brief(profile, span, &brief);
  rtop_profile_change(profile, span);
  rtop_profile_marks(profile, span, marks, 16);
  rtop_profile_each(profile, span, visit, profile);
  rtop_profile_each_summary(profile, span, visit, profile);
  rtop_profile_late_dropped_ns(profile);
  for (uint32_t source = 0; source < LIVE_SOURCES; source++) {
    struct rtop_source_thread about;
    rtop_profile_alone(profile, source, &sum);
    rtop_profile_brief_alone(profile, source, span, &brief);
    rtop_profile_window_alone(profile, source, span, windows);
    rtop_profile_thread_about(profile, source, 1, &about);
    rtop_profile_window_wall(profile, source, span.start_ns, span.end_ns, wall_ns);
  }
  uint32_t bound = rtop_profile_thread_bound(profile) < 64 ? rtop_profile_thread_bound(profile) : 64;
  rtop_profile_thread_times(profile, span, times, bound);
  struct rtop_span at = rtop_profile_window_of(profile, span.end_ns);
  for (int steps = -3; steps <= 3; steps++)
    demand(rtop_profile_step(profile, at.end_ns, steps).start_ns <= span.end_ns);
}

static void look(struct live *live)
{
  struct rtop_profile *profile = live->profile;
  struct rtop_span held = rtop_profile_bounds(profile);
  int64_t middle_ns = held.start_ns + (held.end_ns - held.start_ns) / 2;
  uint64_t both_ns = wall_of(profile, (struct rtop_span){ held.start_ns, middle_ns }) +
                     wall_of(profile, (struct rtop_span){ middle_ns, held.end_ns });
  demand(both_ns == wall_of(profile, held));
  look_around(profile, held);
  look_around(profile, (struct rtop_span){ middle_ns, held.end_ns });
  slide(live, 0);
  slide(live, 3 * live_window_ns);
  slide(live, held.end_ns / 2);
}

/* ---- letting go ------------------------------------------------------------------------------------- */

/* A program that makes methods: then names go, but none that a window has. */
static void let_go(struct live *live)
{
  enum { NAMES = 1200, NAME_BYTES = 1000 };
  static struct rtop_sum sum;
  static char label[NAME_BYTES];
  struct rtop_symbols *symbols = rtop_profile_symbols(live->profile);
  uint32_t parent = 0;
  memset(label, 'x', sizeof label);
  for (uint32_t i = 0; i < NAMES; i++) {
    label[0] = (char)('a' + live->lettings);
    uint32_t frame = rtop_symbols_frame(symbols, label, sizeof label, "/a.rb", 5, "", 0, i, RTOP_SYMBOL_RUBY);
    parent = rtop_symbols_node(symbols, i % 8 ? parent : 0, frame, i);
  }
  live->lettings++;
  rtop_profile_forget(live->profile);
  demand(rtop_profile_sum(live->profile, rtop_profile_bounds(live->profile), &sum));
  for (size_t i = 0; i < sum.cell_count; i++)
    demand(sum.cells[i].node == 0 || rtop_symbols_get_node(symbols, sum.cells[i].node)->depth > 0);
  meet_nodes(live);
}

/* ---- recording -------------------------------------------------------------------------------------- */

static struct rtop_feed_info info_of(uint32_t source)
{
  return (struct rtop_feed_info){ .pid = 4711 + (pid_t)source,
                                  .command = "ruby app.rb",
                                  .ruby = "3.3.8",
                                  .folder = "/app",
                                  .window_ns = 100000000,
                                  .started_real_ns = 1 };
}

static void record(struct live *live)
{
  live->recorder = rtop_recorder_create(recording, live->profile, take(live) & 1 ? RTOP_RECORDING_BYTES_MIN : 0, NULL);
  demand(live->recorder != NULL);
  for (uint32_t source = 0; source < LIVE_SOURCES; source++) {
    struct rtop_feed_info info = info_of(source);
    rtop_recorder_source(live->recorder, source, &info);
  }
}

static void read_back(void)
{
  struct rtop_feed *feeds[LIVE_SOURCES + 1];
  struct rtop_error error = { 0 };
  enum rtop_feed_state state;
  struct rtop_profile *profile = rtop_profile_create(1 << 20);
  int count = rtop_feed_open_recording(recording, profile, feeds, LIVE_SOURCES + 1, &error);
  demand(count > 0 || error.text[0] != '\0');
  for (int i = 0; i < count; i++) {
    struct rtop_feed_end end;
    rtop_feed_poll(feeds[i], profile, &state);
    rtop_feed_end(feeds[i], &end);
    demand(rtop_feed_wait_ms(feeds[i]) > 0);
  }
  struct rtop_span held = rtop_profile_bounds(profile);
  wall_of(profile, held);
  look_around(profile, held);
  for (int i = 0; i < count; i++) rtop_feed_close(&feeds[i]);
  rtop_profile_destroy(&profile);
}

/* What came as it came, then what is held of it. */
static void keep(struct live *live)
{
  struct rtop_feed_info infos[LIVE_SOURCES];
  const struct rtop_feed_info *all[LIVE_SOURCES];
  struct rtop_error error = { 0 };
  if (live->recorder) {
    rtop_recorder_ended(live->recorder, 0, RTOP_FEED_DEAD);
    demand(rtop_recorder_close(&live->recorder, &error));
    read_back();
  }
  for (uint32_t source = 0; source < LIVE_SOURCES; source++) {
    infos[source] = info_of(source);
    all[source] = &infos[source];
  }
  if (rtop_recording_save_span(live->profile, rtop_profile_last(live->profile, 20 * live_window_ns), all, LIVE_SOURCES,
                               recording, &error))
    read_back();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct live live = { .next = data, .end = data + size };
  if (size < 4) return 0;
  uint32_t how = take(&live);
  live.profile = rtop_profile_create(UINT64_C(1) << (12 + take(&live) % 8));
  live.slide = rtop_slide_open(live.profile, &(struct rtop_slide_sink){ &live, slide_restart, slide_cell, NULL });
  if (how & 1) rtop_profile_keep_sums(live.profile);
  if (how & 2) record(&live);
  meet_nodes(&live);
  for (int i = 0; i < LIVE_WINDOWS_MAX && live.next < live.end; i++) {
    step(&live);
    if (i % 8 == 0) slide(&live, 10 * live_window_ns);
    if (live.recorder) rtop_recorder_tick(live.recorder);
    if (how & 8 && i % 16 == 15 && live.lettings < LIVE_LETTINGS_MAX) let_go(&live);
  }
  look(&live);
  if (how & 2) keep(&live);
  if (how & 4) rtop_profile_destroy(&live.profile);
  rtop_slide_close(&live.slide);
  rtop_profile_destroy(&live.profile);
  rtop_window_destroy(&live.window);
  return 0;
}
