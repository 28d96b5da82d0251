/* The decoder of windows, on whatever bytes. What it accepts must be in range, and must be the same
 * when it is encoded and decoded once more.
 */
#include "shm/base/label_text.h"
#include "shm/base/latency.h"
#include "shm/window/window.h"
#include "shm/window/window_merge.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition)
{
  if (!condition) abort();
}

static void check_ranges(const struct rtop_window *window, const struct rtop_window_limits *limits)
{
  uint64_t wall_ns = 0;
  for (size_t i = 0; i < window->cell_count; i++) {
    const struct rtop_cell *cell = &window->cells[i];
    demand(cell->node < limits->node_count && cell->thread < window->thread_count && cell->state < RTOP_STATE_COUNT);
    wall_ns += cell->wall_ns;
    demand(wall_ns <= INT64_MAX);
  }
  for (size_t i = 0; i < window->late_count; i++)
    demand(window->late[i].start_mono_ns >= 0 && window->late[i].cell.thread < window->thread_count);
  for (size_t i = 0; i < window->thread_count; i++)
    demand(window->threads[i].slot < limits->thread_slots && window->threads[i].node < limits->node_count);
  for (size_t i = 0; i < window->mark_count; i++) demand(window->marks[i].name < limits->string_bytes);
  for (size_t i = 0; i < window->begun_count; i++)
    demand(window->begun[i].node < limits->node_count && window->begun[i].label < RTOP_LABEL_PAIRS_MAX);
  for (size_t i = 0; i < window->fibers_count; i++)
    demand(window->fibers[i].node < limits->node_count && window->fibers[i].name < limits->node_count &&
           window->fibers[i].waiting <= window->fibers[i].alive);
  for (size_t i = 0; i < window->exact_count; i++) {
    const struct rtop_exact *exact = &window->exact[i];
    bool times = exact->what == RTOP_EXACT_TOTAL_TIMES || exact->what == RTOP_EXACT_SELF_TIMES;
    demand(exact->node < limits->node_count && (!times || exact->key < RTOP_LATENCY_BUCKETS));
  }
  for (size_t i = 0; i < window->slow_count; i++) {
    const struct rtop_slow *slow = &window->slow[i];
    demand(slow->node < limits->node_count && slow->stack < limits->node_count && slow->end_mono_ns >= 0 &&
           slow->end_mono_ns <= window->end_mono_ns && slow->self_ns <= slow->total_ns &&
           slow->args_bytes <= sizeof slow->args);
  }
  for (size_t i = 0; i < window->raised_count; i++) {
    const struct rtop_raised *raised = &window->raised[i];
    demand(raised->name < limits->node_count && raised->node < limits->node_count && raised->first_mono_ns >= 0 &&
           raised->first_mono_ns <= raised->last_mono_ns && raised->last_mono_ns <= window->end_mono_ns);
  }
}

/* Encoding sorts and sums twins, so that totals are compared and not cells. */
static uint64_t total_ns(const struct rtop_window *window)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < window->cell_count; i++)
    sum += window->cells[i].wall_ns + window->cells[i].cpu_ns * 3 + window->cells[i].blame_ns * 5;
  for (size_t i = 0; i < window->begun_count; i++) sum += window->begun[i].count * 7;
  for (size_t i = 0; i < window->raised_count; i++) sum += window->raised[i].count * 11;
  return sum;
}

static uint64_t total_exact(const struct rtop_window *window)
{
  uint64_t sum = window->exact_count;
  for (size_t i = 0; i < window->exact_count; i++) {
    const struct rtop_exact *exact = &window->exact[i];
    sum += (exact->value + 1) * (exact->node + 3) * (exact->what + 5) * (exact->key + 11);
  }
  return sum;
}

/* Into less room than it takes: the smallest are put together, and what is left is a window with the same time. */
static void check_folding(struct rtop_window *window, size_t room, void *scratch,
                          const struct rtop_window_limits *limits)
{
  static unsigned char raw[RTOP_WINDOW_RAW_BYTES_MAX];
  static struct rtop_window back;
  uint64_t before = total_ns(window);
  size_t bytes = rtop_window_encode(window, raw, room, scratch);
  demand(bytes <= room);
  if (bytes == 0) return;
  back.start_mono_ns = window->start_mono_ns;
  back.end_mono_ns = window->end_mono_ns;
  demand(rtop_window_decode(&back, raw, bytes, limits) && total_ns(&back) == before);
}

static void check_round_trip(struct rtop_window *window, const struct rtop_window_limits *limits)
{
  static unsigned char raw[RTOP_WINDOW_RAW_BYTES_MAX];
  static struct rtop_window back;
  uint64_t before = total_ns(window), exact = total_exact(window);
  void *scratch = malloc(rtop_window_scratch_bytes(window->cell_count) + 1);
  size_t bytes = rtop_window_encode(window, raw, sizeof raw, scratch);
  demand(bytes > 0);
  back.start_mono_ns = window->start_mono_ns;
  back.end_mono_ns = window->end_mono_ns;
  demand(rtop_window_decode(&back, raw, bytes, limits));
  demand(total_ns(&back) == before && total_exact(&back) == exact && back.thread_count == window->thread_count &&
         back.late_count == window->late_count && back.counters_present == window->counters_present);
  check_folding(window, bytes / 2 + 20, scratch, limits);
  free(scratch);
}

/* As a writer adds windows to a longer one, in the memory that it has for that: what is counted stays as it is. */
static void check_merge(const struct rtop_window *window)
{
  static struct window_merge merge;
  uint64_t raised = 0, begun = 0, merged = 0;
  if (!merge.scratch)
    window_merge_init(&merge, calloc(1, window_merge_memory_bytes()), malloc(window_merge_scratch_bytes()));
  for (int times = 0; times < 2; times++) window_merge_add(&merge, window);
  for (size_t i = 0; i < window->raised_count; i++) raised += window->raised[i].count;
  for (size_t i = 0; i < window->begun_count; i++) begun += window->begun[i].count;
  for (size_t i = 0; i < merge.window.raised_count; i++) merged += merge.window.raised[i].count;
  demand(merged == 2 * raised);
  merged = 0;
  for (size_t i = 0; i < merge.window.begun_count; i++) merged += merge.window.begun[i].count;
  demand(merged == 2 * begun);
  demand(merge.window.fibers_count <= window->fibers_count && merge.window.slow_count <= 2 * window->slow_count);
  for (size_t i = 0; i < merge.window.cell_count; i++) demand(merge.window.cells[i].thread < merge.window.thread_count);
  window_merge_clear(&merge);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct rtop_window window;
  static unsigned char unpacked[RTOP_WINDOW_RAW_BYTES_MAX];
  const struct rtop_window_limits limits = { .node_count = 1000, .thread_slots = 64, .string_bytes = 65536 };
  if (size < 4 || size > 65536) return 0;
  /* The first bytes choose the times, the codec and the size after it. */
  uint32_t codec = data[0] % 3, raw_bytes = (uint32_t)data[1] << 8 | data[2];
  window.start_mono_ns = (int64_t)data[3] * 1000;
  window.end_mono_ns = window.start_mono_ns + 1000;
  data += 4;
  size -= 4;
  if (codec == RTOP_CODEC_RAW) raw_bytes = (uint32_t)size;
  if (!rtop_window_decompress(data, size, codec, unpacked, raw_bytes)) return 0;
  unsigned char *exact = malloc(raw_bytes + 1);
  memcpy(exact, unpacked, raw_bytes);
  if (rtop_window_decode(&window, exact, raw_bytes, &limits)) {
    check_ranges(&window, &limits);
    check_merge(&window);
    check_round_trip(&window, &limits);
  }
  free(exact);
  return 0;
}
