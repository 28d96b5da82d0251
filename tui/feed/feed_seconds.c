/* SPDX-License-Identifier: MIT */
/* Reads a ring by seconds: most processes are idle most of the time, and then one window of the 1 s tier contains as
 * much as ten of 100 ms.
 *
 * Where a stall may be, windows are needed. A stall in a sliding second (stalls.h) has at least half of its time in one
 * of two adjacent seconds; so a second with at least half of a stall's minimum makes both its neighbours be read by
 * windows, too. Windows are read until two consecutive seconds were calm, and a second that is read as a sum is held
 * back until the next one is known.
 */
#include "feed_impl.h"

/* slightly less than the length of ten windows, since seconds are cut by another clock */
#define SECOND_NS INT64_C(990000000)

enum {
  SECONDS_PER_POLL = 1 << 12, /* more than the tier has slots */
  /* a tenth of a second with the GVL or waiting for it: half of the shortest stall by a collection */
  SECONDS_BUSY_PART = 10,
  SECONDS_CALM = 2,     /* number of calm seconds that are read by windows before reading by seconds begins */
  SECONDS_RELEASES = 5, /* this many waits in a second; ten waits shorter than
                           50 ms are half of what counts as many waits */
};

static uint64_t seconds_busy_ns(const struct rtop_window *window)
{
  uint64_t busy_ns = 0;
  for (size_t i = 0; i < window->cell_count; i++)
    if (window->cells[i].state != RTOP_BLOCKED) busy_ns += window->cells[i].wall_ns;
  for (size_t i = 0; i < window->late_count; i++)
    if (window->late[i].cell.state != RTOP_BLOCKED) busy_ns += window->late[i].cell.wall_ns;
  for (size_t i = 0; i < window->thread_count; i++) busy_ns += window->threads[i].provisional_ns;
  return busy_ns;
}

static bool seconds_is_calm(const struct feed_seconds *seconds, int64_t length_ns, uint64_t busy_ns, uint64_t releases)
{
  if (seconds->always) return true;
  return busy_ns < (uint64_t)length_ns / SECONDS_BUSY_PART && releases < SECONDS_RELEASES;
}

void feed_seconds_note(struct feed_ring *feed, const struct rtop_window *window)
{
  struct feed_seconds *seconds = &feed->seconds;
  seconds->length_ns += window->end_mono_ns - window->start_mono_ns;
  seconds->busy_ns += seconds_busy_ns(window);
  seconds->releases += window->counters[RTOP_COUNTER_GVL_RELEASES];
  if (seconds->length_ns < SECOND_NS) return;
  bool calm = seconds_is_calm(seconds, SECOND_NS, seconds->busy_ns, seconds->releases);
  seconds->calm = calm ? seconds->calm + 1 : 0;
  seconds->length_ns = 0;
  seconds->busy_ns = seconds->releases = 0;
}

/* Reads all windows up to the end of the last whole second; later time can be read by seconds. */
static size_t seconds_begin(struct feed_ring *feed, struct rtop_profile *profile)
{
  uint64_t newest;
  int64_t start_ns, end_ns;
  segment_port_oldest(feed->port, RTOP_TIER_1S, &newest);
  if (newest == 0 || segment_port_time(feed->port, RTOP_TIER_1S, newest, &start_ns, &end_ns) != RTOP_OK ||
      end_ns < feed->told_ns)
    return 0;
  size_t moved = feed_read_windows(feed, profile, end_ns);
  if (feed->seconds.calm >= SECONDS_CALM) feed->seconds.next = newest + 1;
  return moved;
}

/* Passes on the second before `next`, unless its windows have been read already. */
static size_t seconds_hand_in(struct feed_ring *feed, struct rtop_profile *profile)
{
  enum rtop_result result = segment_port_window(feed->port, RTOP_TIER_1S, feed->seconds.next - 1, &feed->window);
  return result == RTOP_OK && feed->window.start_mono_ns >= feed->told_ns ? feed_hand_in(feed, profile) : 0;
}

/* Returns to reading window by window, beginning with the second that was held back. */
static void seconds_stop(struct feed_ring *feed)
{
  if (feed->seconds.next) feed->next_sequence = segment_port_find(feed->port, RTOP_TIER_FINE, feed->told_ns);
  feed->seconds = (struct feed_seconds){ .wanted = feed->seconds.wanted, .always = feed->seconds.always };
}

size_t feed_seconds_read(struct feed_ring *feed, struct rtop_profile *profile)
{
  struct feed_seconds *seconds = &feed->seconds;
  size_t moved = 0;
  if (feed->base.state == RTOP_FEED_ENDED || feed->base.state == RTOP_FEED_DEAD) {
    seconds_stop(feed);
    seconds->wanted = false;
    return 0;
  }
  if (seconds->next == 0 && seconds->calm >= SECONDS_CALM) moved = seconds_begin(feed, profile);
  for (int i = 0; i < SECONDS_PER_POLL && seconds->next; i++) {
    enum rtop_result result = segment_port_window(feed->port, RTOP_TIER_1S, seconds->next, &feed->window);
    const struct rtop_window *window = &feed->window;
    if (result == RTOP_NONE_YET || result == RTOP_ENDED || result == RTOP_DEAD) return moved;
    bool calm =
        result == RTOP_OK && seconds_is_calm(seconds, window->end_mono_ns - window->start_mono_ns,
                                             seconds_busy_ns(window), window->counters[RTOP_COUNTER_GVL_RELEASES]);
    if (calm) moved += seconds_hand_in(feed, profile);
    if (calm) seconds->next++;
    else seconds_stop(feed); /* the second was not calm, or contains data that only its windows have */
  }
  return seconds->calm >= SECONDS_CALM ? moved : moved + feed_read_windows(feed, profile, INT64_MAX);
}
