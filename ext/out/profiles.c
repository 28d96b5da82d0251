/* SPDX-License-Identifier: MIT */
/* Adds windows to the open profiles. */
#include "profiles.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

static void lock(struct profiles *profiles)
{
  while (!trylock_take(&profiles->lock)) sched_yield();
}

static void recount_hz(struct profiles *profiles)
{
  uint32_t most = 0;
  for (int i = 0; i < PROFILES_MAX; i++)
    if (profiles->all[i].open && profiles->all[i].hz > most) most = profiles->all[i].hz;
  atomic_store(&profiles->hz, most);
}

void profiles_want(struct profiles *profiles, uint32_t hz)
{
  lock(profiles);
  recount_hz(profiles);
  if (hz > atomic_load(&profiles->hz)) atomic_store(&profiles->hz, hz);
  trylock_release(&profiles->lock);
}

int profiles_open(struct profiles *profiles, uint32_t hz)
{
  int slot = 0;
  lock(profiles);
  while (slot < PROFILES_MAX && profiles->all[slot].open) slot++;
  if (slot < PROFILES_MAX) profiles->all[slot] = (struct profile){ .open = true, .hz = hz };
  recount_hz(profiles);
  trylock_release(&profiles->lock);
  return slot < PROFILES_MAX ? slot : -1;
}

/* Copies an array into memory that the reader of a profile owns. */
static void *copy_of(const void *from, size_t bytes)
{
  void *copy = bytes ? malloc(bytes) : NULL;
  if (copy) memcpy(copy, from, bytes);
  return copy;
}

static void copy(struct profile *to, const struct profile *from)
{
  *to = *from;
  to->index = NULL;
  to->cells = copy_of(from->cells, from->cell_count * sizeof *from->cells);
  to->threads = copy_of(from->threads, from->thread_count * sizeof *from->threads);
  to->begun = copy_of(from->begun, from->begun_count * sizeof *from->begun);
  if (!to->cells || !to->threads) to->cell_count = to->thread_count = 0; /* cells are useless without their threads */
  if (!to->begun) to->begun_count = 0;
}

void profiles_read(struct profiles *profiles, int slot, bool clear, bool close, struct profile *to)
{
  struct profile *from = &profiles->all[slot];
  lock(profiles);
  if (close || clear) {
    *to = *from;
    *from = (struct profile){ .open = !close, .hz = from->hz };
  } else {
    copy(to, from);
  }
  recount_hz(profiles);
  trylock_release(&profiles->lock);
}

void profile_free(struct profile *profile)
{
  free(profile->cells);
  free(profile->index);
  free(profile->threads);
  free(profile->begun);
  *profile = (struct profile){ 0 };
}

/* Makes room for one more element. Returns false when there is no room. */
static bool grow(void *array, uint32_t *capacity, uint32_t count, uint32_t most, size_t each)
{
  void **memory = array;
  if (count < *capacity) return true;
  if (count >= most) return false;
  uint32_t wanted = *capacity ? 2 * *capacity : 64;
  void *more = realloc(*memory, wanted * each);
  if (!more) return false;
  *memory = more;
  *capacity = wanted;
  return true;
}

static uint32_t *slot_of(struct profile *profile, uint32_t node, uint32_t thread, uint32_t state)
{
  uint64_t hash = ((uint64_t)node << 32 | (uint64_t)thread << 3 | state) * UINT64_C(0x9e3779b97f4a7c15);
  for (uint32_t at = (uint32_t)(hash >> 40) & profile->index_mask;; at = (at + 1) & profile->index_mask) {
    const struct rtop_cell *cell = profile->index[at] ? &profile->cells[profile->index[at] - 1] : NULL;
    if (!cell || (cell->node == node && cell->thread == thread && cell->state == state)) return &profile->index[at];
  }
}

/* Grows the cells and their hash index, which has twice as many slots. */
static bool grow_cells(struct profile *profile)
{
  uint32_t before = profile->cell_capacity;
  if (!grow(&profile->cells, &profile->cell_capacity, profile->cell_count, PROFILE_CELLS_MAX, sizeof *profile->cells))
    return false;
  if (profile->cell_capacity == before) return true;
  uint32_t *index = calloc(2 * (size_t)profile->cell_capacity, sizeof *index);
  if (!index) {
    profile->cell_capacity = before; /* the larger array is kept, but not used */
    return false;
  }
  free(profile->index);
  profile->index = index;
  profile->index_mask = 2 * profile->cell_capacity - 1;
  for (uint32_t i = 0; i < profile->cell_count; i++) {
    const struct rtop_cell *cell = &profile->cells[i];
    *slot_of(profile, cell->node, cell->thread, cell->state) = i + 1;
  }
  return true;
}

static struct rtop_cell *cell_of(struct profile *profile, uint32_t node, uint32_t thread, uint32_t state)
{
  bool room = grow_cells(profile);
  if (!profile->index) return NULL;
  uint32_t *slot = slot_of(profile, node, thread, state);
  if (*slot == 0 && !room) return NULL;
  if (*slot == 0) {
    profile->cells[profile->cell_count] = (struct rtop_cell){ .node = node, .thread = thread, .state = state };
    *slot = ++profile->cell_count;
  }
  return &profile->cells[*slot - 1];
}

static void add_cell(struct profile *profile, const struct rtop_cell *from, uint32_t thread)
{
  struct rtop_cell *cell = cell_of(profile, from->node, thread, from->state);
  if (!cell) {
    profile->lost++;
    cell = cell_of(profile, RTOP_NODE_FOLDED, thread, from->state);
  }
  if (!cell) return;
  cell->samples += from->samples;
  cell->wall_ns += from->wall_ns;
  cell->cpu_ns += from->cpu_ns;
  cell->allocations += from->allocations;
  cell->blame_ns += from->blame_ns;
}

static uint32_t thread_of(struct profile *profile, const struct rtop_window_thread *row,
                          const struct rtop_writer *writer)
{
  struct rtop_thread_entry entry;
  uint32_t at = profile->thread_count;
  while (at > 0 && profile->threads[at - 1].serial != row->serial) at--;
  if (at == 0 && !grow(&profile->threads, &profile->thread_capacity, profile->thread_count, PROFILE_THREADS_MAX,
                       sizeof *profile->threads))
    return UINT32_MAX;
  if (at == 0) {
    at = ++profile->thread_count;
    profile->threads[at - 1] = (struct profile_thread){ .serial = row->serial };
  }
  struct profile_thread *thread = &profile->threads[at - 1];
  if (!rtop_writer_thread(writer, row->slot, row->serial, &entry)) return at - 1;
  thread->native_id = entry.native_id;
  thread->is_main = (entry.flags & RTOP_THREAD_MAIN) != 0;
  thread->name_bytes = entry.name_bytes < sizeof entry.name ? entry.name_bytes : sizeof entry.name;
  memcpy(thread->name, entry.name, thread->name_bytes);
  return at - 1;
}

/* Moves time whose stack became known later from the node for time not sampled to that stack, as far as the time is
 * part of the profile. */
static void move_late(struct profile *profile, const struct rtop_late *late, uint32_t thread)
{
  struct rtop_cell *from = cell_of(profile, RTOP_NODE_UNSAMPLED, thread, late->cell.state), taken = late->cell;
  int64_t before = profile->start_ns - late->start_mono_ns;
  if (before > 0) {
    uint64_t inside = (uint64_t)before < taken.wall_ns ? taken.wall_ns - (uint64_t)before : 0;
    taken.cpu_ns = taken.wall_ns ? (uint64_t)((double)taken.cpu_ns * (double)inside / (double)taken.wall_ns) : 0;
    taken.wall_ns = inside;
  }
  if (!from) return;
  if (taken.wall_ns > from->wall_ns) taken.wall_ns = from->wall_ns;
  if (taken.cpu_ns > from->cpu_ns) taken.cpu_ns = from->cpu_ns;
  from->wall_ns -= taken.wall_ns;
  from->cpu_ns -= taken.cpu_ns;
  add_cell(profile, &taken, thread);
}

static void add_begun(struct profile *profile, const struct rtop_begun *begun)
{
  uint32_t at = 0;
  while (at < profile->begun_count &&
         (profile->begun[at].node != begun->node || profile->begun[at].label != begun->label))
    at++;
  if (at < profile->begun_count) {
    profile->begun[at].count += begun->count;
    return;
  }
  if (!grow(&profile->begun, &profile->begun_capacity, profile->begun_count, PROFILE_BEGUN_MAX, sizeof *profile->begun))
    return;
  profile->begun[profile->begun_count++] = *begun;
}

static void add_window(struct profile *profile, const struct rtop_window *window, const struct rtop_writer *writer)
{
  uint32_t *places = malloc((window->thread_count + 1) * sizeof *places);
  if (!places) {
    profile->lost += window->cell_count;
    return;
  }
  if (profile->windows++ == 0) profile->start_ns = window->start_mono_ns;
  profile->end_ns = window->end_mono_ns;
  for (size_t i = 0; i < window->thread_count; i++) places[i] = thread_of(profile, &window->threads[i], writer);
  for (size_t i = 0; i < window->cell_count; i++) {
    uint32_t thread = places[window->cells[i].thread];
    if (thread != UINT32_MAX) add_cell(profile, &window->cells[i], thread);
    else profile->lost++;
  }
  for (size_t i = 0; i < window->late_count; i++) {
    uint32_t thread = places[window->late[i].cell.thread];
    if (thread != UINT32_MAX) move_late(profile, &window->late[i], thread);
  }
  for (size_t i = 0; i < window->begun_count; i++) add_begun(profile, &window->begun[i]);
  for (int id = 0; id < RTOP_COUNTER_ID_MAX; id++)
    if (window->counters_present >> id & 1) profile->counters[id] += window->counters[id];
  free(places);
}

void profiles_add(struct profiles *profiles, const struct rtop_window *window, const struct rtop_writer *writer)
{
  if (atomic_load_explicit(&profiles->hz, memory_order_relaxed) == 0) return;
  lock(profiles);
  for (int i = 0; i < PROFILES_MAX; i++)
    if (profiles->all[i].open) add_window(&profiles->all[i], window, writer);
  trylock_release(&profiles->lock);
}

void profiles_forked(struct profiles *profiles)
{
  trylock_release(&profiles->lock);
  for (int i = 0; i < PROFILES_MAX; i++) {
    struct profile *profile = &profiles->all[i];
    /* memory that the parent was changing is not used */
    *profile = (struct profile){ .open = profile->open, .hz = profile->hz };
  }
}
