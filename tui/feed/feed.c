/* SPDX-License-Identifier: MIT */
/* Opens a source of any kind, and polls it. */
#include "feed.h"

#include "feed_impl.h"
#include "shm/segment/ending.h"
#include "tui/text/budget.h"
#include "tui/text/clock_shift.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

const char *rtop_loss_name(enum rtop_loss loss)
{
  static const char *const names[RTOP_LOSSES] = {
    [RTOP_LOSS_NODES] = "nodes",     [RTOP_LOSS_FRAMES] = "frames",   [RTOP_LOSS_STRINGS] = "strings",
    [RTOP_LOSS_THREADS] = "threads", [RTOP_LOSS_LABELS] = "labels",   [RTOP_LOSS_MARKS] = "marks",
    [RTOP_LOSS_SAMPLES] = "samples", [RTOP_LOSS_WINDOWS] = "windows",
  };
  return names[loss];
}

void rtop_feed_close(struct rtop_feed **handle)
{
  struct rtop_feed *feed = *handle;
  *handle = NULL;
  if (feed) feed->ops->close(feed);
}

const struct rtop_feed_info *rtop_feed_info(const struct rtop_feed *feed)
{
  return &feed->info;
}

enum rtop_feed_state rtop_feed_seen_state(const struct rtop_feed *feed)
{
  return feed->state;
}

void feed_set_end(struct rtop_feed *feed, const char *cause, const char *text, int64_t last_ns)
{
  struct rtop_feed_end *end = &feed->end;
  snprintf(feed->end_cause, sizeof feed->end_cause, "%s", cause);
  snprintf(feed->end_text, sizeof feed->end_text, "%s", text);
  *end = (struct rtop_feed_end){ .cause = feed->end_cause, .text = feed->end_text };
  if (__builtin_add_overflow(last_ns, feed->info.clock_offset_ns, &end->real_ns)) end->real_ns = 0;
  if (__builtin_sub_overflow(end->real_ns, feed->info.started_real_ns, &end->lived_ns) || end->lived_ns < 0)
    end->lived_ns = 0;
}

bool rtop_feed_end(const struct rtop_feed *feed, struct rtop_feed_end *end)
{
  *end = feed->end;
  return feed->has_end;
}

void rtop_feed_waited(struct rtop_feed *feed, int status, bool killed)
{
  struct rtop_ending ending = { .cause = killed ? RTOP_ENDING_SIGNAL : RTOP_ENDING_EXIT,
                                .number = killed ? status - 128 : status };
  if (!feed->has_end || strcmp(feed->end.cause, rtop_ending_cause_name(RTOP_ENDING_VANISHED)) != 0) return;
  feed->end.cause = rtop_ending_cause_name(ending.cause);
  rtop_ending_text(&ending, feed->end_text, sizeof feed->end_text);
}

const char *rtop_feed_problem(const struct rtop_feed *feed)
{
  return *feed->problem ? feed->problem : NULL;
}

void feed_refuse(struct rtop_feed *feed, const struct rtop_budget *budget)
{
  char why[128];
  rtop_budget_say(budget->limit, budget->source_bytes, why, sizeof why);
  snprintf(feed->problem, sizeof feed->problem, "not all of it could be read: it %s", why);
}

void rtop_feed_align(struct rtop_feed *feed, const struct rtop_feed *first)
{
  int64_t offset_ns = feed->info.clock_offset_ns, first_ns = first->info.clock_offset_ns;
  bool same_boot = memcmp(feed->boot_id, first->boot_id, sizeof feed->boot_id) == 0;
  feed->shift_ns = same_boot ? 0 : rtop_clock_shift_ns(offset_ns, first_ns);
  feed->info.clock_offset_ns = same_boot ? first_ns : offset_ns - feed->shift_ns;
  feed->has_end = false; /* its time is found again */
}

void rtop_feed_find_folder(struct rtop_feed *feed)
{
  char link[32];
  if (feed->info.host) return;
  if (feed->state != RTOP_FEED_LIVE && feed->state != RTOP_FEED_STALLED)
    return; /* its number may be another's by now */
  snprintf(link, sizeof link, "/proc/%d/cwd", (int)feed->info.pid);
  ssize_t bytes = readlink(link, feed->folder, sizeof feed->folder - 1);
  feed->folder[bytes > 0 ? bytes : 0] = '\0';
}

size_t rtop_feed_poll(struct rtop_feed *feed, struct rtop_profile *profile, enum rtop_feed_state *state)
{
  /* The state is read first: if the process is gone by then, the subsequent reading gets all its data. */
  feed->state = feed->ops->state(feed);
  size_t moved = feed->ops->read(feed, profile);
  *state = feed->state;
  return moved;
}

void rtop_feed_forget(struct rtop_feed *feed, struct rtop_profile *profile)
{
  if (feed->ops->forget) feed->ops->forget(feed, rtop_profile_symbols(profile));
}

int rtop_feed_wait_ms(const struct rtop_feed *feed)
{
  return feed->ops->wait_ms(feed);
}
