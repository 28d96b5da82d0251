/* SPDX-License-Identifier: MIT */
/* Finds methods that have much of the last second, and the start of their rise, so that slow
   take-overs are recognised. */
#include "stalls_impl.h"

#include <stdlib.h>
#include <string.h>

/* Number of windows of which a method must have half, to have much of a second. */
enum { RISES_LOUD = 4 };

static struct stalls_rise *rises_find(struct stalls_rise *rises, uint32_t frame)
{
  struct stalls_rise *rise = NULL;
  HASH_FIND(hh, rises, &frame, sizeof frame, rise);
  return rise;
}

/* NULL: memory ran out. */
static struct stalls_rise *rises_get(struct stalls_rise **rises, uint32_t frame)
{
  struct stalls_rise *rise = rises_find(*rises, frame);
  if (rise || !(rise = calloc(1, sizeof *rise))) return rise;
  rise->frame = frame;
  HASH_ADD(hh, *rises, frame, sizeof rise->frame, rise);
  if (!rise->lost) return rise;
  free(rise);
  return NULL;
}

/* Removes entries that have long been calm; with turn 0, all entries. */
static void rises_forget(struct stalls_rise **rises, uint32_t turn)
{
  struct stalls_rise *rise, *next, *gone = NULL;
  HASH_ITER(hh, *rises, rise, next)
  {
    uint32_t last = rise->loud > rise->held ? rise->loud : rise->held;
    if (turn && (rise->stay_ns || turn - last <= STALLS_CALM * STALLS_RISE)) continue;
    HASH_DEL(*rises, rise);
    rise->hh.next = gone;
    gone = rise;
  }
  for (; gone; gone = next) {
    next = gone->hh.next;
    free(gone);
  }
}

static uint64_t rises_second_ns(const struct stalls_source *source)
{
  uint64_t length_ns = 0;
  for (unsigned i = 0; i < STALLS_HALF && i < source->filled; i++) length_ns += stalls_back(source, i)->length_ns;
  return length_ns;
}

/* Notes that the method has half of the newest window. */
static void rises_hold(const struct stalls_source *source, struct stalls_rise *rise)
{
  if (!rise->held || source->turn - rise->held > STALLS_HALF) rise->took_ns = stalls_back(source, 0)->start_ns;
  rise->held = source->turn;
}

/* It has much of the newest second. */
static void rises_note(const struct stalls_source *source, struct stalls_rise *rise)
{
  uint32_t calm = source->turn - 1 - rise->loud;
  if (!rise->rose || calm >= STALLS_HALF) {
    rise->rose = source->turn;
    rise->calm = calm;
    rise->rose_ns = stalls_since(source, source->filled < RISES_LOUD ? source->filled : RISES_LOUD);
  }
  rise->loud = source->turn;
}

bool stalls_note_rises(struct stalls_source *source)
{
  const struct stalls_window *newest = stalls_back(source, 0);
  uint64_t second_ns = rises_second_ns(source);
  for (size_t i = 0; i < newest->share_count; i++) {
    const struct stalls_share *share = &newest->shares[i];
    bool half = share->held_ns * 2 >= newest->length_ns;
    if (!half && source->recent[share->frame] * 10 < second_ns) continue;
    struct stalls_rise *rise = rises_get(&source->rises, share->frame);
    if (!rise) return false;
    if (half) rises_hold(source, rise);
  }
  for (struct stalls_rise *rise = source->rises; rise; rise = rise->hh.next)
    if (source->recent[rise->frame] * 10 >= second_ns) rises_note(source, rise);
  rises_forget(&source->rises, source->turn);
  return true;
}

bool stalls_note_waits(struct stalls_source *source, double many_waits)
{
  const struct stalls_window *newest = stalls_back(source, 0), *older = stalls_back(source, STALLS_HALF);
  double second_ns = (double)rises_second_ns(source);
  for (size_t i = 0; source->filled > STALLS_HALF && i < older->wait_count; i++) {
    struct stalls_rise *rise = rises_find(source->waits_rises, older->waits[i].place);
    if (rise) rise->stay_ns -= older->waits[i].stay_ns;
  }
  for (size_t i = 0; i < newest->wait_count; i++) {
    const struct stalls_waits *waits = &newest->waits[i];
    struct stalls_rise *rise = rises_get(&source->waits_rises, waits->place);
    if (!rise) return false;
    rise->stay_ns += waits->stay_ns;
    if ((double)waits->stay_ns * 2 >= many_waits * (double)newest->length_ns) rises_hold(source, rise);
  }
  for (struct stalls_rise *rise = source->waits_rises; rise; rise = rise->hh.next)
    if ((double)rise->stay_ns * 5 >= many_waits * second_ns) rises_note(source, rise);
  rises_forget(&source->waits_rises, source->turn);
  return true;
}

bool stalls_holds(const struct stalls_source *source, struct stalls_rise *rises, uint32_t frame)
{
  const struct stalls_rise *rise = rises_find(rises, frame);
  return rise && rise->held == source->turn;
}

bool stalls_rose(const struct stalls_source *source, struct stalls_rise *rises, uint32_t frame, uint32_t told,
                 int64_t *start_ns)
{
  const struct stalls_rise *rise = rises_find(rises, frame);
  if (!rise || rise->rose <= told) return false;
  uint32_t windows = source->turn - rise->rose + 1;
  if (windows > STALLS_RISE || rise->calm < STALLS_CALM * windows) return false;
  int64_t second_ns = stalls_since(source, STALLS_HALF);
  *start_ns = rise->held && rise->took_ns > rise->rose_ns ? rise->took_ns : rise->rose_ns;
  if (*start_ns > second_ns) *start_ns = second_ns;
  return true;
}

void stalls_forget_rises(struct stalls_source *source)
{
  rises_forget(&source->rises, 0);
  rises_forget(&source->waits_rises, 0);
}
