/* Windows in order of start: how they are inserted, found and given up. */
#include "profile_impl.h"

#include <stdlib.h>
#include <string.h>

size_t profile_window_bytes(const struct profile_window *window)
{
  return sizeof *window + sizeof window + window->thread_count * sizeof *window->threads +
         window->cell_capacity * sizeof *window->cells + window->long_count * sizeof *window->longs;
}

void profile_window_free(struct profile_window *window)
{
  if (!window) return;
  free(window->threads);
  free(window->cells);
  free(window->longs);
  free(window);
}

bool profile_window_add_cell(struct rtop_profile *profile, struct profile_window *window,
                             const struct profile_cell *cell)
{
  if (window->cell_count == window->cell_capacity) {
    size_t capacity = window->cell_capacity + window->cell_capacity / 4 + 4;
    struct profile_cell *cells = realloc(window->cells, capacity * sizeof *cells);
    if (!cells) return false;
    profile->memory_bytes += (capacity - window->cell_capacity) * sizeof *cells;
    window->cells = cells;
    window->cell_capacity = capacity;
  }
  profile_window_changes(profile, window);
  window->cells[window->cell_count++] = *cell;
  window->wall_ns[cell->state] += cell->wall_ns;
  return true;
}

void profile_cover_add(struct profile_cover *cover, int64_t start_ns, int64_t end_ns)
{
  int64_t from = start_ns > cover->end_ns ? start_ns : cover->end_ns;
  if (end_ns <= from) return;
  cover->windows += start_ns + (end_ns - start_ns) / 2 >= cover->end_ns;
  cover->length_ns += (uint64_t)(end_ns - from);
  cover->end_ns = end_ns;
}

static bool profile_make_room(struct rtop_profile *profile)
{
  if (profile->first + profile->count < profile->capacity) return true;
  if (profile->first > profile->capacity / 2) {
    memmove(profile->windows, profile->windows + profile->first, profile->count * sizeof *profile->windows);
    profile->first = 0;
    return true;
  }
  size_t capacity = profile->capacity ? profile->capacity * 2 : 256;
  struct profile_window **windows = realloc(profile->windows, capacity * sizeof *windows);
  if (!windows) return false;
  profile->windows = windows;
  profile->capacity = capacity;
  return true;
}

bool profile_window_insert(struct rtop_profile *profile, struct profile_window *window)
{
  if (!profile_make_room(profile)) return false;
  struct profile_window **windows = profile->windows + profile->first;
  size_t at = profile->count++;
  for (; at > 0 && windows[at - 1]->start_ns > window->start_ns; at--) windows[at] = windows[at - 1];
  windows[at] = window;
  window->id = ++profile->window_ids;
  profile_window_changes(profile, window);
  if (window->end_ns - window->start_ns > profile->longest_ns) profile->longest_ns = window->end_ns - window->start_ns;
  profile->memory_bytes += profile_window_bytes(window);
  return true;
}

/* A program that makes methods all the time makes names all the time: history gets shorter for them, down to a third. Few
 * names are nobody's loss. */
size_t profile_room(const struct rtop_profile *profile)
{
  static const size_t names_free = 4 << 20;
  size_t names = rtop_symbols_bytes(profile->symbols), most = profile->memory_bytes_max;
  size_t over = names > names_free ? names - names_free : 0;
  return most - (over < most / 3 * 2 ? over : most / 3 * 2);
}

void profile_evict_one(struct rtop_profile *profile)
{
  struct profile_window *window = profile->windows[profile->first++];
  profile->count--;
  profile_slides_lose(profile, window);
  profile_window_changes(profile, window);
  profile->memory_bytes -= profile_window_bytes(window);
  if (profile->keep_sums) profile_carry_window(profile, window);
  for (size_t i = 0; i < window->thread_count; i++) profile_thread_drop_window(profile, window->threads[i].thread);
  profile_window_free(window);
}

/* Windows come in order of start: the newest end is not far from the last one's. */
static bool profile_is_past(const struct rtop_profile *profile)
{
  int64_t now_ns = profile_window_at(profile, profile->count - 1)->end_ns;
  return profile->keep_ns && profile_window_at(profile, 0)->end_ns < now_ns - profile->keep_ns;
}

void profile_evict(struct rtop_profile *profile)
{
  if (profile->loader.load) { /* what can be fetched again is not lost */
    profile_unload(profile);
    return;
  }
  size_t room = profile_room(profile);
  while (profile->count > 1 && profile_is_past(profile)) profile_evict_one(profile);
  if (profile->memory_bytes > room) profile_merge_old(profile);
  while (profile->memory_bytes > room && profile->count > 1) profile_evict_one(profile);
  if (profile->carried_gone > 256) profile_carry_compact(profile);
}

size_t profile_find(const struct rtop_profile *profile, int64_t time_ns)
{
  int64_t earliest = time_ns > INT64_MIN + profile->longest_ns ? time_ns - profile->longest_ns : INT64_MIN;
  size_t low = 0, high = profile->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (profile_window_at(profile, middle)->start_ns < earliest) low = middle + 1;
    else high = middle;
  }
  return low;
}
