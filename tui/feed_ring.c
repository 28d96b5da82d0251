#include "feed_impl.h"

enum {
  FEED_WINDOWS_PER_POLL = 1 << 14,     /* more than any ring has slots: only a hostile one gets here */
  FEED_RETRIES_MAX = 3,
};

static void feed_gap(struct rtop_feed *feed, struct rtop_profile *profile)
{
  int64_t start_ns, end_ns;
  if (rtop_reader_time(feed->reader, feed->next_sequence, &start_ns, &end_ns) == RTOP_OK)
    rtop_profile_add_gap(profile, feed->source, start_ns, end_ns);
}

/* Overtaken: on with the oldest that is left. The hole in time becomes a gap with the next window. */
static void feed_skip_lost(struct rtop_feed *feed)
{
  uint64_t oldest = rtop_reader_oldest(feed->reader);
  feed->next_sequence = oldest > feed->next_sequence ? oldest : feed->next_sequence + 1;
}

/* A corrupt window may be one that is just vanishing: it gets a few polls. True: leave it for later. */
static bool feed_skip_corrupt(struct rtop_feed *feed, struct rtop_profile *profile)
{
  if (!feed->distrusted && feed->retries++ < FEED_RETRIES_MAX)
    return true;
  feed_gap(feed, profile);
  feed->next_sequence++;
  feed->distrusted = true;
  return false;
}

static size_t feed_take(struct rtop_feed *feed, struct rtop_profile *profile)
{
  struct feed_names *names = &feed->names;
  feed->retries = 0;
  feed->distrusted = false;
  feed->next_sequence++;
  if (!feed_names_update(names, feed->reader, profile, feed->source, &feed->window)) {
    rtop_profile_add_gap(profile, feed->source, feed->window.start_mono_ns, feed->window.end_mono_ns);
    return 0;
  }
  return rtop_profile_add(profile, feed->source, &feed->window, names->nodes, names->node_count,
                          names->threads);
}

size_t feed_ring_read(struct rtop_feed *feed, struct rtop_profile *profile)
{
  size_t moved = 0;
  if (feed->next_sequence == 0)
    feed->next_sequence = rtop_reader_oldest(feed->reader);
  if (feed->next_sequence == 0)
    return 0;
  for (int i = 0; i < FEED_WINDOWS_PER_POLL; i++) {
    switch (rtop_reader_window(feed->reader, feed->next_sequence, &feed->window)) {
    case RTOP_OK:
      moved += feed_take(feed, profile);
      break;
    case RTOP_LOST:
      feed_skip_lost(feed);
      break;
    case RTOP_CORRUPT:
      if (feed->next_sequence > rtop_reader_newest(feed->reader) || feed_skip_corrupt(feed, profile))
        return moved;
      break;
    case RTOP_NONE_YET:
    case RTOP_ENDED:
    case RTOP_DEAD:
      return moved;
    }
  }
  return moved;
}
