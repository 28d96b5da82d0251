#include "feed.h"

#include "feed_impl.h"
#include "shm/registry.h"
#include "target.h"
#include "text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *rtop_feed_state_name(enum rtop_feed_state state)
{
  switch (state) {
  case RTOP_FEED_LIVE: return "live";
  case RTOP_FEED_STALLED: return "stalled";
  case RTOP_FEED_ENDED: return "ended";
  case RTOP_FEED_DEAD: return "dead";
  case RTOP_FEED_REPLAY: return "replay";
  }
  return "";
}

static int64_t feed_now_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static enum rtop_feed_state feed_state(struct rtop_feed *feed)
{
  switch (rtop_reader_state(feed->reader, feed_now_ns(), NULL)) {
  case RTOP_CHANNEL_LIVE: return RTOP_FEED_LIVE;
  case RTOP_CHANNEL_STALLED: return RTOP_FEED_STALLED;
  case RTOP_CHANNEL_ENDED: return RTOP_FEED_ENDED;
  case RTOP_CHANNEL_DEAD: return RTOP_FEED_DEAD;
  }
  return RTOP_FEED_DEAD;
}

static void feed_fill_info(struct rtop_feed *feed, pid_t pid)
{
  const struct rtop_geometry *geometry = rtop_reader_geometry(feed->reader);
  rtop_text_sanitize(feed->command, sizeof feed->command, geometry->command,
                     strnlen(geometry->command, sizeof geometry->command));
  rtop_text_sanitize(feed->ruby, sizeof feed->ruby, geometry->ruby_version,
                     strnlen(geometry->ruby_version, sizeof geometry->ruby_version));
  feed->info = (struct rtop_feed_info){
    .pid = pid,
    .command = feed->command,
    .ruby = feed->ruby,
    .window_ns = geometry->window_ns,
    .started_real_ns = geometry->created_real_ns,
  };
  /* Hostile clocks may be any numbers. */
  if (__builtin_sub_overflow(geometry->created_real_ns, geometry->created_mono_ns,
                             &feed->info.clock_offset_ns))
    feed->info.clock_offset_ns = 0;
}

struct rtop_feed *rtop_feed_open_entry(const struct rtop_registry_entry *entry, uint32_t source,
                                       uint32_t rate_hz, struct rtop_error *error)
{
  struct rtop_feed *feed = calloc(1, sizeof *feed);
  if (!feed) {
    rtop_error_set(error, RTOP_ERROR_SYSTEM, 0, "out of memory");
    return NULL;
  }
  feed->reader = rtop_reader_open(entry->path, entry->uid, error);
  if (!feed->reader) {
    free(feed);
    return NULL;
  }
  feed->source = source;
  feed->last_arrival_ns = feed_now_ns();
  feed_fill_info(feed, entry->pid);
  /* Without a control file windows still come, at the recorder's rate. */
  rtop_reader_watch(feed->reader, rate_hz, NULL);
  feed->state = feed_state(feed);
  return feed;
}

struct rtop_feed *rtop_feed_open_process(pid_t pid, uint32_t source, uint32_t rate_hz,
                                         struct rtop_error *error)
{
  struct rtop_registry_entry entry;
  struct rtop_error cause = {0};
  struct rtop_feed *feed = NULL;
  if (rtop_registry_find(pid, &entry, &cause) == 0) {
    feed = rtop_feed_open_entry(&entry, source, rate_hz, &cause);
    if (feed)
      feed->info.pid = pid;            /* as the user calls it; a dead one is not told by its lock */
  }
  if (!feed) {
    char text[sizeof cause.text];
    rtop_target_explain(pid, &cause, text, sizeof text);
    rtop_error_set(error, cause.code ? cause.code : RTOP_ERROR_NOT_FOUND, cause.errno_value, "%s", text);
  }
  return feed;
}

void rtop_feed_close(struct rtop_feed **handle)
{
  struct rtop_feed *feed = *handle;
  *handle = NULL;
  if (!feed)
    return;
  rtop_reader_unwatch(feed->reader);
  rtop_reader_close(&feed->reader);
  rtop_window_destroy(&feed->window);
  feed_names_destroy(&feed->names);
  free(feed);
}

const struct rtop_feed_info *rtop_feed_info(const struct rtop_feed *feed)
{
  return &feed->info;
}

size_t rtop_feed_poll(struct rtop_feed *feed, struct rtop_profile *profile, enum rtop_feed_state *state)
{
  /* The state first: when it says that the process is gone, the reading after it gets all there is. */
  feed->state = feed_state(feed);
  size_t moved = feed_ring_read(feed, profile);
  if (moved)
    feed->last_arrival_ns = feed_now_ns();
  *state = feed->state;
  return moved;
}

int rtop_feed_wait_ms(const struct rtop_feed *feed)
{
  if (feed->state == RTOP_FEED_STALLED)
    return 100;
  if (feed->state != RTOP_FEED_LIVE)
    return 1000;
  int64_t left_ms = (feed->last_arrival_ns + feed->info.window_ns - feed_now_ns()) / 1000000;
  /* Overdue windows are looked for every few milliseconds: looking is one load. */
  return left_ms < 5 ? 5 : left_ms > 1000 ? 1000 : (int)left_ms;
}
