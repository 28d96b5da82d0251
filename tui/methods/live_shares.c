/* SPDX-License-Identifier: MIT */
/* The wall time of every method on the stack of each thread; the largest of them gives the method's ratio. */
#include "live_impl.h"

#include "tui/text/reserve.h"
#include <string.h>

enum { SHARES_ORDER_MIN = 2 };

static size_t room_of(const struct live_most *most)
{
  return most->order ? (size_t)1 << most->order : 0;
}

/* Returns the entry of the thread's share, or the free one that it would get. */
static struct live_share *share_at(const struct live_shares *shares, const struct live_most *most, uint32_t thread)
{
  size_t mask = room_of(most) - 1, at = thread & mask;
  struct live_share *first = &shares->all[most->first];
  while (first[at].thread && first[at].thread != thread + 1) at = (at + 1) & mask;
  return &first[at];
}

/* Returns the index of a room of 1 << order empty shares; 0: memory ran out. */
static uint32_t room_make(struct live_shares *shares, uint32_t order)
{
  uint32_t first = shares->idle[order];
  size_t count = (size_t)1 << order;
  if (first) {
    shares->idle[order] = shares->all[first].thread;
  } else {
    size_t end = (shares->count ? shares->count : 1) + count;
    if (end > UINT32_MAX || !rtop_reserve(&shares->all, &shares->capacity, end, sizeof *shares->all)) return 0;
    shares->count = end;
    first = (uint32_t)(end - count);
  }
  memset(&shares->all[first], 0, count * sizeof *shares->all);
  return first;
}

/* Is there an entry for every thread, so that no search is needed? */
static bool is_wide(const struct live_shares *shares, const struct live_most *most)
{
  return room_of(most) >= shares->threads;
}

/* Moves the shares to a larger room, or to one of the same size without empty ones. False: memory ran out. */
static bool spread(struct live_shares *shares, struct live_most *most)
{
  struct live_most wider = *most;
  uint32_t held = 0;
  for (size_t i = 0; i < room_of(most); i++) held += shares->all[most->first + i].wall_ns > 0;
  wider.order = SHARES_ORDER_MIN;
  while (wider.order + 1 < LIVE_SHARES_ORDERS && !is_wide(shares, &wider) && held >= room_of(&wider) / 2) wider.order++;
  wider.used = 0;
  wider.first = room_make(shares, wider.order);
  if (!wider.first) return false;
  for (size_t i = 0; i < room_of(most); i++) {
    const struct live_share *share = &shares->all[most->first + i];
    if (!share->wall_ns) continue;
    *share_at(shares, &wider, share->thread - 1) = *share;
    wider.used++;
  }
  if (most->order) {
    shares->all[most->first].thread = shares->idle[most->order];
    shares->idle[most->order] = most->first;
  }
  *most = wider;
  return true;
}

/* Returns the share of a thread, added if new; NULL: memory ran out. Where searches are needed, a quarter of the
 * entries stays free, so that searches end soon. */
static struct live_share *share_for(struct live_shares *shares, struct live_most *most, uint32_t thread)
{
  bool wide = is_wide(shares, most);
  if (!wide && most->used == room_of(most) && !spread(shares, most)) return NULL;
  struct live_share *share = share_at(shares, most, thread);
  if (share->thread) return share;
  if (!wide && most->used >= room_of(most) / 4 * 3) {
    if (!spread(shares, most)) return NULL;
    share = share_at(shares, most, thread);
  }
  share->thread = thread + 1;
  most->used++;
  return share;
}

void live_most_changed(struct rtop_live *live, uint32_t frame)
{
  struct live_shares *shares = &live->shares;
  if (frame >= shares->most_capacity || shares->most[frame].listed) return;
  shares->most[frame].listed = true;
  if (rtop_reserve(&shares->changed, &shares->changed_capacity, (size_t)shares->changed_count + 1,
                   sizeof *shares->changed))
    shares->changed[shares->changed_count++] = frame;
  else live->failed = true;
}

static void share_add(struct rtop_live *live, uint32_t frame, uint32_t thread, uint64_t wall_ns, bool hidden)
{
  struct live_most *most = &live->shares.most[frame];
  struct live_share *share = share_for(&live->shares, most, thread);
  if (!share) {
    live->failed = true;
    return;
  }
  share->wall_ns += wall_ns;
  if (share->wall_ns >= most->wall_ns && !hidden) {
    most->thread = thread + 1;
    most->wall_ns = share->wall_ns;
    most->look = false;
  } else if (most->thread == thread + 1) {
    most->look = true; /* none has more than it had */
  } else {
    return;
  }
  live_most_changed(live, frame);
}

void live_shares_due(struct rtop_live *live, uint32_t entry, uint32_t thread, uint64_t wall_ns)
{
  struct live_shares *shares = &live->shares;
  struct live_dues *dues = wall_ns >> 63 ? &shares->falling : &shares->growing;
  if (!wall_ns) return;
  if (rtop_reserve(&dues->all, &dues->capacity, (size_t)dues->count + 1, sizeof *dues->all))
    dues->all[dues->count++] = (struct live_due){ wall_ns, entry, thread };
  else live->failed = true;
  shares->threads = thread >= shares->threads ? thread + 1 : shares->threads;
}

static void settle_dues(struct rtop_live *live, struct live_dues *dues)
{
  for (uint32_t i = 0; i < dues->count; i++) {
    const struct live_due *due = &dues->all[i];
    bool hidden = live->threads[due->thread].hidden;
    for (const struct live_climb *climb = &live->climbs[due->entry]; climb->frame; climb = &live->climbs[climb->up])
      share_add(live, climb->frame, due->thread, due->wall_ns, hidden);
  }
  dues->count = 0;
}

void live_shares_settle(struct rtop_live *live)
{
  struct live_shares *shares = &live->shares;
  if (!rtop_reserve(&shares->most, &shares->most_capacity, rtop_symbols_frame_count(live->symbols),
                    sizeof *shares->most)) {
    live->failed = true;
    return;
  }
  settle_dues(live, &shares->falling); /* Decreases come first, so that no thread has
                                          the largest share just for a moment. */
  settle_dues(live, &shares->growing);
}

void live_shares_look(struct rtop_live *live)
{
  for (uint32_t frame = 1; frame < live->shares.most_capacity; frame++)
    if (live->shares.most[frame].order) {
      live->shares.most[frame].look = true;
      live_most_changed(live, frame);
    }
}

static void look_for_most(const struct rtop_live *live, struct live_most *most)
{
  const struct live_share *shares = &live->shares.all[most->first];
  most->look = false;
  most->thread = 0;
  most->wall_ns = 0;
  for (size_t i = 0; i < room_of(most); i++)
    if (shares[i].wall_ns > most->wall_ns && !live->threads[shares[i].thread - 1].hidden) {
      most->thread = shares[i].thread;
      most->wall_ns = shares[i].wall_ns;
    }
}

uint64_t live_most_ns(const struct rtop_live *live, uint32_t frame)
{
  return frame < live->shares.most_capacity ? live->shares.most[frame].wall_ns : 0;
}

const uint32_t *live_shares_finish(struct rtop_live *live, uint32_t *count)
{
  struct live_shares *shares = &live->shares;
  for (uint32_t i = 0; i < shares->changed_count; i++) {
    struct live_most *most = &shares->most[shares->changed[i]];
    most->listed = false;
    if (most->look) look_for_most(live, most);
  }
  *count = shares->changed_count;
  shares->changed_count = 0;
  return shares->changed;
}

void live_shares_restart(struct rtop_live *live)
{
  struct live_shares *shares = &live->shares;
  if (shares->most) memset(shares->most, 0, shares->most_capacity * sizeof *shares->most);
  memset(shares->idle, 0, sizeof shares->idle);
  shares->count = 0;
  shares->changed_count = shares->threads = shares->falling.count = shares->growing.count = 0;
}
