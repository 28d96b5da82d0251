/* SPDX-License-Identifier: MIT */
/* A single window: its memory, the order of its cells and threads, and the part of it that a span gets. */
#include "profile_window.h"

#include <stdlib.h>
#include <string.h>

size_t profile_window_bytes(const struct profile_window *window)
{
  return sizeof *window + sizeof window + window->thread_count * sizeof *window->threads +
         window->cell_capacity * sizeof *window->cells + window->long_count * sizeof *window->longs +
         profile_begun_bytes(&window->begun) + profile_fibers_bytes(window->fibers) +
         profile_exact_bytes(window->exact) + profile_raised_bytes(window->raised) + profile_pairs_bytes(window->pairs);
}

void profile_window_free(struct profile_window *window)
{
  if (!window) return;
  free(window->threads);
  free(window->cells);
  free(window->longs);
  profile_begun_destroy(&window->begun);
  profile_fibers_destroy(&window->fibers);
  profile_exact_destroy(&window->exact);
  profile_raised_destroy(&window->raised);
  profile_pairs_destroy(&window->pairs);
  free(window);
}

static int window_compare_unsampled(const void *left, const void *right)
{
  const struct profile_cell *a = left, *b = right;
  if (a->thread != b->thread) return a->thread < b->thread ? -1 : 1;
  return (a->state > b->state) - (a->state < b->state);
}

static int window_compare_threads(const void *left, const void *right)
{
  const struct profile_presence *a = left, *b = right;
  return (a->thread > b->thread) - (a->thread < b->thread);
}

static size_t window_unsampled_first(struct profile_window *window, uint32_t node)
{
  size_t count = 0;
  for (size_t i = 0; i < window->cell_count; i++) {
    if (window->cells[i].node != node) continue;
    struct profile_cell cell = window->cells[i];
    window->cells[i] = window->cells[count];
    window->cells[count++] = cell;
  }
  return count;
}

void profile_window_arrange(struct profile_window *window, uint32_t unsampled)
{
  size_t count = unsampled ? window_unsampled_first(window, unsampled) : 0, kept = 0;
  if (window->thread_count)
    qsort(window->threads, window->thread_count, sizeof *window->threads, window_compare_threads);
  if (count) qsort(window->cells, count, sizeof *window->cells, window_compare_unsampled);
  for (size_t i = 0; i < count; i++)
    if (kept && window_compare_unsampled(&window->cells[kept - 1], &window->cells[i]) == 0)
      profile_cell_add(&window->cells[kept - 1], &window->cells[i]);
    else window->cells[kept++] = window->cells[i];
  if (kept < count)
    memmove(window->cells + kept, window->cells + count, (window->cell_count - count) * sizeof *window->cells);
  window->cell_count -= count - kept;
  window->unsampled_count = kept;
}

struct profile_presence *profile_presence_find(const struct profile_window *window, uint32_t thread)
{
  const struct profile_presence key = { .thread = thread };
  if (!window->thread_count) return NULL;
  return bsearch(&key, window->threads, window->thread_count, sizeof key, window_compare_threads);
}

struct profile_cell *profile_window_unsampled(const struct profile_window *window, uint32_t thread, uint32_t state)
{
  const struct profile_cell key = { .thread = thread, .state = state };
  if (!window->unsampled_count) return NULL;
  return bsearch(&key, window->cells, window->unsampled_count, sizeof key, window_compare_unsampled);
}

/* Short windows count whole if their middle is in the span. A long one (merged from many) counts in proportion,
 * rounded such that the shares of adjacent spans add up to the window: no jump where windows of different lengths
 * meet. */
bool profile_part_of(const struct profile_window *window, const struct rtop_span *span, struct profile_part *part)
{
  int64_t length_ns = window->end_ns - window->start_ns, middle_ns = profile_middle(window);
  *part = (struct profile_part){ .from_ns = 0, .to_ns = length_ns, .length_ns = length_ns };
  if (!window->gap && length_ns <= PROFILE_WHOLE_NS) return middle_ns >= span->start_ns && middle_ns < span->end_ns;
  if (span->start_ns > window->start_ns) part->from_ns = span->start_ns - window->start_ns;
  if (span->end_ns < window->end_ns) part->to_ns = span->end_ns - window->start_ns;
  return part->from_ns < part->to_ns;
}

static uint64_t part_below(uint64_t value, int64_t at_ns, int64_t length_ns)
{
  return (uint64_t)((unsigned __int128)value * (uint64_t)at_ns / (uint64_t)length_ns);
}

uint64_t profile_part_share(const struct profile_part *part, uint64_t value)
{
  if (profile_part_is_whole(part)) return value;
  return part_below(value, part->to_ns, part->length_ns) - part_below(value, part->from_ns, part->length_ns);
}

struct profile_cell profile_part_cell(const struct profile_part *part, const struct profile_cell *cell)
{
  struct profile_cell share = *cell;
  share.samples = (uint32_t)profile_part_share(part, cell->samples);
  share.wall_ns = profile_part_share(part, cell->wall_ns);
  share.cpu_ns = profile_part_share(part, cell->cpu_ns);
  share.allocations = profile_part_share(part, cell->allocations);
  share.blame_ns = profile_part_share(part, cell->blame_ns);
  return share;
}

void profile_cover_clip(const struct rtop_span *span, int64_t *start_ns, int64_t *end_ns)
{
  if (*start_ns < span->start_ns) *start_ns = span->start_ns;
  if (*end_ns > span->end_ns) *end_ns = span->end_ns;
}

void profile_cover_add(struct profile_cover *cover, int64_t start_ns, int64_t end_ns)
{
  int64_t from = start_ns > cover->end_ns ? start_ns : cover->end_ns;
  if (end_ns <= from) return;
  cover->windows += start_ns + (end_ns - start_ns) / 2 >= cover->end_ns;
  cover->length_ns += (uint64_t)(end_ns - from);
  cover->end_ns = end_ns;
}
