/* SPDX-License-Identifier: MIT */
/* Late records: move time whose stack was unknown when its window came to the node where it was spent. */
#include "profile_late.h"

#include "profile_carry.h"
#include "profile_slide.h"
#include "profile_windows.h"

/* Share of a value. Exact for wall time (a share of an interval is as long as the overlap); rounded down otherwise. */
static uint64_t late_share(uint64_t value, uint64_t part_ns, uint64_t whole_ns)
{
  return (uint64_t)((unsigned __int128)value * part_ns / whole_ns);
}

static struct profile_cell late_part(const struct profile_cell *cell, uint64_t part_ns)
{
  struct profile_cell part = *cell;
  part.wall_ns = part_ns;
  part.cpu_ns = late_share(cell->cpu_ns, part_ns, cell->wall_ns);
  part.allocations = late_share(cell->allocations, part_ns, cell->wall_ns);
  part.blame_ns = late_share(cell->blame_ns, part_ns, cell->wall_ns);
  part.samples = (uint32_t)late_share(cell->samples, part_ns, cell->wall_ns);
  return part;
}

static void late_take(struct profile_cell *from, const struct profile_cell *part)
{
  from->wall_ns -= part->wall_ns;
  from->cpu_ns -= part->cpu_ns;
  from->allocations -= part->allocations;
  from->blame_ns -= part->blame_ns;
  from->samples -= part->samples;
}

/* Subtracts time of a thread that became known from its state's time that was not sampled, as far as the latter
 * suffices; with `tell`, slides are informed. */
static void late_take_unsampled(struct rtop_profile *profile, struct profile_window *window,
                                const struct profile_cell *known, bool tell)
{
  struct profile_cell *cell = profile_window_unsampled(window, known->thread, known->state);
  if (!cell || (!cell->wall_ns && !cell->cpu_ns)) return;
  if (tell) profile_slides_cell(profile, window, cell, false);
  window->wall_ns[cell->state] -= profile_take_up_to(&cell->wall_ns, known->wall_ns);
  profile_take_up_to(&cell->cpu_ns, known->cpu_ns);
  if (tell) profile_slides_cell(profile, window, cell, true);
  profile_window_changes(profile, window);
}

/* Removes provisional time, for channels before version 1.2. False when there was none. */
static bool late_drop_provisional(struct rtop_profile *profile, struct profile_window *window,
                                  struct profile_presence *presence, bool tell)
{
  struct profile_cell cell = profile_provisional(presence);
  if (!presence->provisional_ns) return false;
  if (tell) profile_slides_cell(profile, window, &cell, false);
  profile_window_changes(profile, window);
  window->wall_ns[presence->state] -= presence->provisional_ns;
  presence->provisional_ns = presence->stack_age_ns = 0;
  presence->stale = false;
  return true;
}

struct late_walk {
  struct rtop_profile *profile;
  const struct profile_late *late;
  int64_t end_ns;           /* of the interval */
  uint32_t steps;           /* number of entries visited; the second walk visits as many */
  uint64_t placed_ns;       /* length of the part of the interval that is covered by windows in memory (ns) */
  struct profile_cell rest; /* what no older window took */
};

static int64_t late_overlap(const struct late_walk *walk, int64_t start_ns, int64_t end_ns)
{
  int64_t from = start_ns > walk->late->start_ns ? start_ns : walk->late->start_ns;
  int64_t to = end_ns < walk->end_ns ? end_ns : walk->end_ns;
  return to > from ? to - from : 0;
}

/* Did the window get its share when it was fetched? */
static bool late_is_settled(const struct rtop_profile *profile, const struct profile_late *late,
                            const struct profile_window *window)
{
  return late->loading && (window->absent || window->loaded != profile->loads);
}

/* Makes the record's stack that of the thread at the window's end, if the record reaches beyond this end. */
static void late_show(const struct late_walk *walk, const struct profile_window *window,
                      struct profile_presence *presence)
{
  const struct profile_late *late = walk->late;
  if (late->start_ns >= window->end_ns || walk->end_ns < window->end_ns || presence->state != late->cell.state ||
      late->cell.node == rtop_symbols_unsampled(walk->profile->symbols))
    return;
  presence->node = late->cell.node;
  presence->stale = false;
  presence->stack_age_ns = 0;
}

/* Replaces what the window had for this time: provisional time, or time that was not sampled. */
static void late_replace(struct late_walk *walk, struct profile_window *window, const struct profile_cell *part)
{
  bool tell = !walk->late->loading; /* A window that is being loaded is reported to
                                       slides as a whole when loading is complete. */
  struct profile_presence *presence = profile_presence_find(window, part->thread);
  bool dropped = presence && late_drop_provisional(walk->profile, window, presence, tell);
  if (!dropped) late_take_unsampled(walk->profile, window, part, tell);
  if (presence) late_show(walk, window, presence);
}

/* Gives an older window its share; false when that was not possible. */
static bool late_give(struct late_walk *walk, struct profile_window *window, const struct profile_cell *part)
{
  if (late_is_settled(walk->profile, walk->late, window)) return true;
  late_replace(walk, window, part);
  if (!profile_window_add_cell(walk->profile, window, part)) return false;
  if (!walk->late->loading) profile_slides_cell(walk->profile, window, part, true);
  return true;
}

/* Does the list of the source's last windows contain everything from the start of the interval on? */
static bool late_is_recent(const struct late_walk *walk, const struct profile_recent *recent)
{
  return !walk->late->loading && recent->first < recent->end &&
         recent->windows[recent->first % PROFILE_RECENT]->start_ns <= walk->late->start_ns;
}

/* Returns the next older window; NULL: there are no more. */
static struct profile_window *late_next(const struct late_walk *walk, const struct profile_recent *recent, uint64_t *at)
{
  if (!recent) return *at > 0 ? profile_window_at(walk->profile, (size_t)-- * at) : NULL;
  return *at > recent->first ? recent->windows[--*at % PROFILE_RECENT] : NULL;
}

/* Walks from the source's newest data down to the first window that the interval reaches. A window claims the time up
 * to the start of the next entry, so rounding between windows loses nothing; gaps claim none. With `place` older
 * windows get their shares, otherwise their overlap is only measured. */
static void late_walk(struct late_walk *walk, const struct profile_window *newest, bool place)
{
  struct rtop_profile *profile = walk->profile;
  const struct profile_recent *recent = &profile->sources[newest->source].recent;
  if (!late_is_recent(walk, recent)) recent = NULL;
  int64_t next_ns = INT64_MAX;
  uint64_t at = recent ? recent->end : walk->late->count;
  uint32_t steps = 0, steps_max = place ? walk->steps : profile->late_steps;
  for (; next_ns > walk->late->start_ns && steps < steps_max; steps++) {
    struct profile_window *window = late_next(walk, recent, &at);
    if (!window) break;
    if (window->source != newest->source) continue;
    uint64_t overlap_ns = (uint64_t)late_overlap(walk, window->start_ns, next_ns);
    next_ns = window->start_ns;
    if (window->gap || overlap_ns == 0) continue;
    if (!place) {
      walk->placed_ns += overlap_ns;
    } else if (window != newest) {
      struct profile_cell part = late_part(&walk->late->cell, overlap_ns);
      if (late_give(walk, window, &part)) late_take(&walk->rest, &part);
    }
  }
  walk->steps = steps;
}

/* Gives the newest window its share. Its provisional time began after the record and stays; slides do not know the
 * window yet. */
static void late_give_newest(struct late_walk *walk, struct profile_window *window)
{
  struct profile_presence *presence = profile_presence_find(window, walk->rest.thread);
  if (walk->rest.wall_ns) late_take_unsampled(walk->profile, window, &walk->rest, false);
  if (presence) late_show(walk, window, presence);
  profile_window_add_cell(walk->profile, window, &walk->rest);
}

/* Gives carried windows their share. Returns the length of the share (ns). */
static uint64_t late_carry(struct late_walk *walk, const struct profile_window *newest)
{
  const struct profile_source *source = &walk->profile->sources[newest->source];
  if (!profile_carries(source) || walk->late->start_ns >= source->carry_end_ns) return 0;
  uint64_t overlap_ns = (uint64_t)late_overlap(walk, source->carry_start_ns, source->carry_end_ns);
  struct profile_cell part = late_part(&walk->late->cell, overlap_ns);
  profile_carry_late(walk->profile, &part);
  return overlap_ns;
}

void profile_apply_late(struct rtop_profile *profile, struct profile_window *window, const struct profile_late *late)
{
  bool newest_too = !late_is_settled(profile, late, window);
  if (late->cell.wall_ns == 0 && !newest_too) return;
  if (late->cell.wall_ns == 0) {
    profile_window_add_cell(profile, window, &late->cell);
    return;
  }
  struct late_walk walk = {
    .profile = profile,
    .late = late,
    .end_ns = late->start_ns + (int64_t)late->cell.wall_ns,
  };
  late_walk(&walk, window, false);
  profile->late_steps -= walk.steps;
  walk.rest = late_part(&late->cell, walk.placed_ns);
  if (!late->loading) profile->late_dropped_ns += late->cell.wall_ns - walk.placed_ns - late_carry(&walk, window);
  late_walk(&walk, window, true);
  /* The newest window gets its share and the remainder left by rounding. */
  if (newest_too && !profile_cell_is_empty(&walk.rest)) late_give_newest(&walk, window);
}
