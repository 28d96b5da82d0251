/* Fills a thread's strip second by second. */
#include "thread_strip.h"
#include <stdlib.h>
#include <string.h>

enum { FILLED_PER_CALL = 16 };

static struct thread_strip_cell *cell_at(struct thread_strip *strip, int64_t index)
{
  return &strip->cell[(uint64_t)index % THREAD_STRIP_CELLS];
}

static bool reserve(struct thread_strip *strip, struct thread_strip_cell *cell, uint32_t threads)
{
  if (threads > strip->capacity) {
    uint64_t(*wall_ns)[RTOP_STATES] = realloc(strip->wall_ns, threads * sizeof *wall_ns);
    if (wall_ns == NULL) return false;
    strip->wall_ns = wall_ns;
    strip->capacity = threads;
  }
  if (threads > cell->threads) {
    unsigned char *state = realloc(cell->state, threads);
    if (state == NULL) return false;
    cell->state = state;
  }
  cell->threads = threads;
  return true;
}

static unsigned char largest(const uint64_t *wall_ns)
{
  int best = RTOP_STATES;
  for (int state = 0; state < RTOP_STATES; state++)
    if (wall_ns[state] > (best < RTOP_STATES ? wall_ns[best] : 0)) best = state;
  return (unsigned char)best;
}

static void fill(struct thread_strip *strip, const struct rtop_profile *profile, int64_t index)
{
  struct thread_strip_cell *cell = cell_at(strip, index);
  uint32_t threads = rtop_profile_thread_bound(profile);
  struct rtop_span span = { index * THREAD_STRIP_CELL_NS, (index + 1) * THREAD_STRIP_CELL_NS };
  cell->filled = threads > 0 && reserve(strip, cell, threads);
  if (!cell->filled) return;
  cell->index = index;
  cell->known = rtop_profile_thread_times(profile, span, strip->wall_ns, threads);
  for (uint32_t i = 0; i < threads; i++) cell->state[i] = largest(strip->wall_ns[i]);
}

bool thread_strip_update(struct thread_strip *strip, const struct rtop_profile *profile, int64_t end_ns)
{
  int left = FILLED_PER_CALL;
  bool moved = strip->newest != (end_ns - 1) / THREAD_STRIP_CELL_NS;
  int64_t before = strip->newest;
  strip->newest = (end_ns - 1) / THREAD_STRIP_CELL_NS;
  fill(strip, profile, strip->newest);
  if (moved && before == strip->newest - 1)
    fill(strip, profile, before); /* its last windows came after it was filled */
  for (int64_t index = strip->newest - 1; index > strip->newest - THREAD_STRIP_CELLS; index--) {
    struct thread_strip_cell *cell = cell_at(strip, index);
    if (cell->filled && cell->index == index) continue;
    if (left-- == 0) return true;
    fill(strip, profile, index);
  }
  if (strip->turned != strip->newest) {
    strip->turned = strip->newest;
    strip->turn = strip->turn % (THREAD_STRIP_CELLS - 1) + 1;
    fill(strip, profile, strip->newest - strip->turn);
  }
  return false;
}

int thread_strip_state(const struct thread_strip *strip, uint32_t thread, int age)
{
  int64_t index = strip->newest - age;
  const struct thread_strip_cell *cell = &strip->cell[(uint64_t)index % THREAD_STRIP_CELLS];
  if (age < 0 || age >= THREAD_STRIP_CELLS || !cell->filled || cell->index != index || !cell->known)
    return THREAD_STRIP_UNKNOWN;
  return thread < cell->threads ? cell->state[thread] : RTOP_STATES;
}

void thread_strip_destroy(struct thread_strip *strip)
{
  for (int i = 0; i < THREAD_STRIP_CELLS; i++) free(strip->cell[i].state);
  free(strip->wall_ns);
  memset(strip, 0, sizeof *strip);
}
