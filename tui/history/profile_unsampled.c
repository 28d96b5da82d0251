/* Time whose stack was not known when its window came, and late records that move it to where it belongs.
 *
 * A window holds that time in its first cells, one for each thread and state, in order, so that the cell of a
 * record is found in a few steps: a window may bring thousands of records, each for thousands of threads.
 */
#include "profile_impl.h"

#include <stdlib.h>
#include <string.h>

static int unsampled_compare(const void *left, const void *right)
{
  const struct profile_cell *a = left, *b = right;
  if (a->thread != b->thread) return a->thread < b->thread ? -1 : 1;
  return (a->state > b->state) - (a->state < b->state);
}

static int unsampled_compare_threads(const void *left, const void *right)
{
  const struct profile_presence *a = left, *b = right;
  return (a->thread > b->thread) - (a->thread < b->thread);
}

static size_t unsampled_to_the_front(struct profile_window *window, uint32_t node)
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

void profile_unsampled_arrange(const struct rtop_profile *profile, struct profile_window *window)
{
  uint32_t node = rtop_symbols_unsampled(profile->symbols);
  size_t count = node ? unsampled_to_the_front(window, node) : 0, kept = 0;
  if (window->thread_count)
    qsort(window->threads, window->thread_count, sizeof *window->threads, unsampled_compare_threads);
  if (count) qsort(window->cells, count, sizeof *window->cells, unsampled_compare);
  for (size_t i = 0; i < count; i++)
    if (kept && unsampled_compare(&window->cells[kept - 1], &window->cells[i]) == 0)
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
  return bsearch(&key, window->threads, window->thread_count, sizeof key, unsampled_compare_threads);
}

static uint64_t unsampled_less(uint64_t *from, uint64_t wanted)
{
  uint64_t taken = *from < wanted ? *from : wanted;
  *from -= taken;
  return taken;
}

void profile_unsampled_take(struct rtop_profile *profile, struct profile_window *window,
                            const struct profile_cell *known, bool tell)
{
  if (!window->unsampled_count) return;
  struct profile_cell *cell = bsearch(known, window->cells, window->unsampled_count, sizeof *cell, unsampled_compare);
  if (!cell || (!cell->wall_ns && !cell->cpu_ns)) return;
  if (tell) profile_slides_cell(profile, window, cell, false);
  window->wall_ns[cell->state] -= unsampled_less(&cell->wall_ns, known->wall_ns);
  unsampled_less(&cell->cpu_ns, known->cpu_ns);
  if (tell) profile_slides_cell(profile, window, cell, true);
  profile_window_changes(profile, window);
}

void profile_unsampled_carry(struct rtop_profile *profile, const struct profile_cell *known)
{
  struct rtop_cost *cost = cost_table_find(&profile->carry, known->thread, rtop_symbols_unsampled(profile->symbols));
  if (!cost) return;
  unsampled_less(&cost->wall_ns[known->state], known->wall_ns);
  unsampled_less(&cost->cpu_ns, known->cpu_ns);
}
