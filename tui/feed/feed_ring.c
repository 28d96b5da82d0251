/* SPDX-License-Identifier: MIT */
/* The ring of a live or dead process as a source. */
#include "feed_impl.h"
#include "shm/base/clock.h"
#include "tui/text/clock_shift.h"

#include "family.h"
#include "target.h"
#include "shm/segment/ending.h"
#include "shm/segment/registry.h"
#include "tui/text/text.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  FEED_WINDOWS_PER_POLL = 1 << 14, /* limit of windows per poll, more than any valid ring has slots */
  FEED_RETRIES_MAX = 3,
};
#define FEED_NAME_AGAIN_NS INT64_C(1000000000)
#define FEED_NAME_SELDOM_NS INT64_C(10000000000) /* where very many are watched */
#define FEED_END_AGAIN_NS INT64_C(300000000)     /* then the kernel has tidied up, too */

static void feed_gap(struct feed_ring *feed, struct rtop_profile *profile)
{
  int64_t start_ns, end_ns;
  if (segment_port_time(feed->port, RTOP_TIER_FINE, feed->next_sequence, &start_ns, &end_ns) == RTOP_OK)
    rtop_profile_add_gap(profile, feed->base.source, rtop_clock_shifted(start_ns, feed->base.shift_ns),
                         rtop_clock_shifted(end_ns, feed->base.shift_ns));
}

/* Continues after the writer has overtaken the reader: reads missed windows from the merged tiers, once per poll, then
 * continues with the oldest fine window. Time that no tier holds becomes a gap. */
static size_t feed_skip_lost(struct feed_ring *feed, struct rtop_profile *profile, bool first)
{
  uint64_t lost = feed->next_sequence, oldest = segment_port_oldest(feed->port, RTOP_TIER_FINE, NULL);
  size_t moved = first ? feed_history_read(feed, profile) : 0;
  if (feed->next_sequence <= lost) feed->next_sequence = oldest > lost ? oldest : lost + 1;
  return moved;
}

/* Retries a corrupt window for a few polls, since the writer may just be overwriting it. True: try again later. */
static bool feed_skip_corrupt(struct feed_ring *feed, struct rtop_profile *profile)
{
  if (!feed->distrusted && feed->retries++ < FEED_RETRIES_MAX) return true;
  feed_gap(feed, profile);
  feed->next_sequence++;
  feed->distrusted = true;
  return false;
}

size_t feed_hand_in(struct feed_ring *feed, struct rtop_profile *profile)
{
  struct feed_names *names = &feed->names;
  if (feed->window.end_mono_ns > feed->told_ns) feed->told_ns = feed->window.end_mono_ns;
  rtop_clock_shift_window(&feed->window, feed->base.shift_ns);
  if (!feed_names_update(feed, profile)) {
    rtop_profile_add_gap(profile, feed->base.source, feed->window.start_mono_ns, feed->window.end_mono_ns);
    return 0;
  }
  if (names->budget.over && !*feed->base.problem) feed_refuse(&feed->base, &names->budget);
  feed_names_marks(feed, profile);
  return rtop_profile_add(profile, feed->base.source, &feed->window, names->nodes.of, names->node_count,
                          names->threads);
}

static size_t feed_take(struct feed_ring *feed, struct rtop_profile *profile)
{
  feed->retries = 0;
  feed->distrusted = false;
  feed->next_sequence++;
  if (feed->seconds.wanted) feed_seconds_note(feed, &feed->window);
  return feed_hand_in(feed, profile);
}

static bool feed_at_limit(const struct feed_ring *feed, int64_t limit_ns)
{
  int64_t start_ns, end_ns;
  return limit_ns != INT64_MAX &&
         segment_port_time(feed->port, RTOP_TIER_FINE, feed->next_sequence, &start_ns, &end_ns) == RTOP_OK &&
         start_ns >= limit_ns;
}

size_t feed_read_windows(struct feed_ring *feed, struct rtop_profile *profile, int64_t limit_ns)
{
  size_t moved = 0;
  bool overtaken = false;
  uint64_t newest;
  if (feed->next_sequence == 0) moved = feed_history_read(feed, profile);
  if (feed->next_sequence == 0) return 0;
  for (int i = 0; i < FEED_WINDOWS_PER_POLL && !feed_at_limit(feed, limit_ns); i++) {
    switch (segment_port_window(feed->port, RTOP_TIER_FINE, feed->next_sequence, &feed->window)) {
    case RTOP_OK: moved += feed_take(feed, profile); break;
    case RTOP_LOST:
      moved += feed_skip_lost(feed, profile, !overtaken);
      overtaken = true;
      break;
    case RTOP_CORRUPT:
      segment_port_oldest(feed->port, RTOP_TIER_FINE, &newest);
      if (feed->next_sequence > newest || feed_skip_corrupt(feed, profile)) return moved;
      break;
    case RTOP_NONE_YET:
    case RTOP_ENDED:
    case RTOP_DEAD: return moved;
    }
  }
  return moved;
}

static void ring_count_losses(struct feed_ring *feed)
{
  const struct rtop_counters *counters = segment_port_counters(feed->port);
  uint64_t *to = feed->base.info.losses;
  to[RTOP_LOSS_NODES] = counters->nodes_overflowed;
  to[RTOP_LOSS_FRAMES] = counters->frames_overflowed;
  to[RTOP_LOSS_STRINGS] = counters->strings_overflowed;
  to[RTOP_LOSS_THREADS] = counters->threads_overflowed;
  to[RTOP_LOSS_LABELS] = counters->labels_overflowed;
  to[RTOP_LOSS_MARKS] = counters->marks_overflowed;
  to[RTOP_LOSS_SAMPLES] = counters->samples_dropped;
  to[RTOP_LOSS_WINDOWS] = counters->windows_folded;
  feed->base.info.tells_losses = true;
}

static size_t ring_read(struct rtop_feed *base, struct rtop_profile *profile)
{
  struct feed_ring *feed = (struct feed_ring *)base;
  size_t moved = feed->seconds.wanted ? feed_seconds_read(feed, profile) : 0;
  if (!feed->seconds.wanted) moved += feed_read_windows(feed, profile, INT64_MAX);
  if (segment_port_problem(feed->port) && !*base->problem)
    snprintf(base->problem, sizeof base->problem, "%s", segment_port_problem(feed->port));
  if (moved || !base->info.tells_losses) ring_count_losses(feed);
  if (moved) feed->last_arrival_ns = clock_now_ns();
  return moved;
}

static void ring_find_end(struct feed_ring *feed)
{
  const struct rtop_geometry *geometry = rtop_reader_geometry(feed->reader);
  struct rtop_feed *base = &feed->base;
  struct rtop_ending ending;
  int64_t start_ns, end_ns = geometry->created_mono_ns;
  const struct rtop_counters *said = segment_port_counters(feed->port);
  segment_port_time(feed->port, RTOP_TIER_FINE, said->head_sequence, &start_ns, &end_ns);
  rtop_registry_ending(base->info.pid, geometry, said, end_ns, &ending);
  feed->still_there = ending.still_there;
  rtop_ending_text(&ending, base->end_text, sizeof base->end_text);
  base->end = (struct rtop_feed_end){ .cause = rtop_ending_cause_name(ending.cause), .text = base->end_text };
  if (__builtin_sub_overflow(end_ns, geometry->created_mono_ns, &base->end.lived_ns) || base->end.lived_ns < 0)
    base->end.lived_ns = 0;
  end_ns = rtop_clock_shifted(end_ns, base->shift_ns);
  if (__builtin_add_overflow(end_ns, base->info.clock_offset_ns, &base->end.real_ns)) base->end.real_ns = 0;
  base->has_end = true;
}

/* Finds out how the process ended: when the end is first seen, once more a little later, and at each check while the
 * process still exists, since it closes its channel before it ends and may take long to end. */
static void ring_note_end(struct feed_ring *feed, bool over)
{
  int64_t now_ns = clock_now_ns();
  if (!over) {
    feed->over_since_ns = 0;
    feed->base.has_end = false;
    return;
  }
  bool again = feed->over_since_ns > 0 && now_ns - feed->over_since_ns > FEED_END_AGAIN_NS;
  if (!feed->base.has_end || again || feed->still_there) ring_find_end(feed);
  if (feed->over_since_ns == 0) feed->over_since_ns = now_ns;
  else if (again) feed->over_since_ns = INT64_MAX; /* not again */
}

static enum rtop_feed_state ring_state_of(enum rtop_channel_state state)
{
  switch (state) {
  case RTOP_CHANNEL_LIVE: return RTOP_FEED_LIVE;
  case RTOP_CHANNEL_STALLED: return RTOP_FEED_STALLED;
  case RTOP_CHANNEL_ENDED: return RTOP_FEED_ENDED;
  case RTOP_CHANNEL_DEAD: break;
  }
  return RTOP_FEED_DEAD;
}

/* Updates the process's own name for itself, which may change; the last name remains when the process is gone. */
static void ring_name(struct feed_ring *feed)
{
  int64_t now_ns = clock_now_ns();
  int64_t pause_ns = feed->seconds.wanted ? FEED_NAME_SELDOM_NS : FEED_NAME_AGAIN_NS;
  if (feed->holder <= 0 || (feed->named_ns > 0 && now_ns - feed->named_ns < pause_ns)) return;
  feed->named_ns = now_ns;
  rtop_target_command(feed->holder, feed->base.command, sizeof feed->base.command);
}

/* Says why a living process has never published anything, where that is known: a library that fakes the time makes the
 * publisher wait for moments that do not come. */
static void ring_explain(struct feed_ring *feed)
{
  struct rtop_feed *base = &feed->base;
  if (feed->next_sequence != 0 || feed->explained || feed->holder <= 0) return;
  feed->explained = true;
  if (*base->problem || !rtop_target_has_mapped(feed->holder, "/libfaketime")) return;
  snprintf(base->problem, sizeof base->problem,
           "%d has loaded libfaketime, which fakes the clock that the extension measures with, so there are no data; "
           "start it with FAKETIME_DONT_FAKE_MONOTONIC=1",
           (int)base->info.pid);
}

static enum rtop_feed_state ring_state(struct rtop_feed *base)
{
  struct feed_ring *feed = (struct feed_ring *)base;
  feed->holder = 0;
  enum rtop_feed_state state = ring_state_of(segment_port_state(feed->port, clock_now_ns(), &feed->holder));
  if (state == RTOP_FEED_LIVE || state == RTOP_FEED_STALLED) ring_name(feed);
  if (state == RTOP_FEED_STALLED) ring_explain(feed);
  ring_note_end(feed, state == RTOP_FEED_ENDED || state == RTOP_FEED_DEAD);
  return state;
}

static int ring_wait_ms(const struct rtop_feed *base)
{
  const struct feed_ring *feed = (const struct feed_ring *)base;
  if (base->state == RTOP_FEED_STALLED) return 100;
  if (base->state != RTOP_FEED_LIVE) return 1000;
  int64_t left_ms = (feed->last_arrival_ns + base->info.window_ns - clock_now_ns()) / 1000000;
  /* Once a window is overdue, the ring is checked every few milliseconds, at the cost of one load. */
  return left_ms < 5 ? 5 : left_ms > 1000 ? 1000 : (int)left_ms;
}

static void ring_close(struct rtop_feed *base)
{
  struct feed_ring *feed = (struct feed_ring *)base;
  segment_port_close(&feed->port);
  rtop_reader_close(&feed->reader);
  rtop_window_destroy(&feed->window);
  feed_names_destroy(&feed->names);
  free(feed);
}

static void ring_forget(struct rtop_feed *base, const struct rtop_symbols *symbols)
{
  feed_names_forget(&((struct feed_ring *)base)->names, symbols);
}

static const struct feed_ops ring_ops = { ring_state, ring_read, ring_wait_ms, ring_forget, ring_close };

static void ring_fill_info(struct feed_ring *feed, pid_t pid, uid_t owner)
{
  const struct rtop_geometry *geometry = rtop_reader_geometry(feed->reader);
  rtop_text_sanitize(feed->base.command, sizeof feed->base.command, geometry->command,
                     strnlen(geometry->command, sizeof geometry->command));
  rtop_text_sanitize(feed->base.ruby, sizeof feed->base.ruby, geometry->ruby_version,
                     strnlen(geometry->ruby_version, sizeof geometry->ruby_version));
  feed->base.info = (struct rtop_feed_info){
    .pid = pid,
    .start_ticks = geometry->start_ticks,
    .command = feed->base.command,
    .ruby = feed->base.ruby,
    .folder = feed->base.folder,
    .window_ns = geometry->window_ns,
    .started_real_ns = geometry->created_real_ns,
    .code_real_ns = rtop_family_code_real_ns(pid, geometry->start_ticks),
    .sees_our_files = rtop_family_sees_our_files(pid),
    .bytes = geometry->segment_bytes,
    .owner = owner,
  };
  /* The wall clock may have been set since the channel was made. */
  if (geometry->created_real_ns < feed->base.info.code_real_ns)
    feed->base.info.code_real_ns = geometry->created_real_ns;
  memcpy(feed->base.boot_id, geometry->boot_id, sizeof feed->base.boot_id);
  /* Hostile clocks may be any numbers. */
  if (__builtin_sub_overflow(geometry->created_real_ns, geometry->created_mono_ns, &feed->base.info.clock_offset_ns))
    feed->base.info.clock_offset_ns = 0;
}

struct rtop_feed *rtop_feed_open_entry(const struct rtop_registry_entry *entry, uint32_t source, uint32_t rate_hz,
                                       struct rtop_error *error)
{
  struct feed_ring *feed = calloc(1, sizeof *feed);
  if (!feed) {
    rtop_error_set(error, RTOP_ERROR_SYSTEM, 0, "out of memory");
    return NULL;
  }
  feed->reader = rtop_reader_open(entry->path, entry->uid, error);
  feed->port = feed->reader ? segment_port_open(feed->reader, entry->pid, entry->uid, error) : NULL;
  if (!feed->port) {
    rtop_reader_close(&feed->reader);
    free(feed);
    return NULL;
  }
  feed->base.ops = &ring_ops;
  feed->base.source = source;
  feed->names.budget.source_bytes = rtop_reader_geometry(feed->reader)->segment_bytes;
  feed->last_arrival_ns = clock_now_ns();
  ring_fill_info(feed, entry->pid, entry->uid);
  /* Without a control file windows still come, at the rate that the process chose. */
  if (rate_hz != RTOP_FEED_LOOKS) rtop_reader_watch(feed->reader, rate_hz, NULL);
  feed->base.state = ring_state(&feed->base);
  return &feed->base;
}

int rtop_feed_trace(struct rtop_feed *base, const char *name, uint32_t seconds, uint32_t slower_us)
{
  if (base->ops != &ring_ops) return -1;
  return rtop_reader_trace(((struct feed_ring *)base)->reader, name, seconds, slower_us);
}

void rtop_feed_untrace(struct rtop_feed *base, int slot)
{
  if (base->ops == &ring_ops) rtop_reader_untrace(((struct feed_ring *)base)->reader, slot);
}

void rtop_feed_skip_past(struct rtop_feed *base, int64_t but_ns)
{
  struct feed_ring *feed = (struct feed_ring *)base;
  int64_t start_ns, end_ns;
  if (base->ops != &ring_ops || (base->state != RTOP_FEED_LIVE && base->state != RTOP_FEED_STALLED)) return;
  uint64_t newest = segment_port_counters(feed->port)->head_sequence;
  if (newest == 0) return;
  feed->next_sequence = newest + 1;
  segment_port_time(feed->port, RTOP_TIER_FINE, newest, &start_ns, &feed->told_ns);
  if (but_ns <= 0 || __builtin_sub_overflow(feed->told_ns, but_ns, &start_ns)) return;
  uint64_t first = segment_port_find(feed->port, RTOP_TIER_FINE, start_ns);
  if (first == 0 || first > newest ||
      segment_port_time(feed->port, RTOP_TIER_FINE, first, &start_ns, &end_ns) != RTOP_OK)
    return;
  feed->next_sequence = first;
  feed->told_ns = start_ns;
}

void rtop_feed_by_seconds(struct rtop_feed *base, bool always)
{
  struct feed_ring *feed = (struct feed_ring *)base;
  if (base->ops != &ring_ops) return;
  feed->seconds.always = always;
  const struct rtop_geometry *geometry = rtop_reader_geometry(feed->reader);
  for (uint32_t i = 0; i < geometry->section_count && i < RTOP_SECTION_MAX; i++)
    if (geometry->sections[i].kind == RTOP_SECTION_TIERS) feed->seconds.wanted = true;
}

bool rtop_feed_is_segment(const char *path)
{
  unsigned char magic[sizeof RTOP_MAGIC - 1];
  struct stat status;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  bool is = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
            read(fd, magic, sizeof magic) == sizeof magic && memcmp(magic, RTOP_MAGIC, sizeof magic) == 0;
  if (fd >= 0) close(fd);
  return is;
}

struct rtop_feed *rtop_feed_open_segment(const char *path, uint32_t source, struct rtop_error *error)
{
  struct rtop_registry_entry entry = { .uid = (uid_t)-1 };
  struct stat status;
  if (stat(path, &status) == 0) entry.uid = status.st_uid;
  if (strlen(path) >= sizeof entry.path) {
    rtop_error_set(error, RTOP_ERROR_LIMIT, 0, "the path %.100s… is too long", path);
    return NULL;
  }
  strcpy(entry.path, path);
  struct rtop_feed *feed = rtop_feed_open_entry(&entry, source, 0, error);
  if (feed) feed->info.pid = (pid_t)rtop_reader_geometry(((struct feed_ring *)feed)->reader)->pid;
  return feed;
}

struct rtop_feed *rtop_feed_open_process(pid_t pid, uint32_t source, uint32_t rate_hz, struct rtop_error *error)
{
  struct rtop_registry_entry entry;
  struct rtop_error cause = { 0 };
  struct rtop_feed *feed = NULL;
  if (rtop_registry_find(pid, &entry, &cause) == 0) {
    feed = rtop_feed_open_entry(&entry, source, rate_hz, &cause);
    if (feed) feed->info.pid = pid; /* The pid as the user gave it; a dead process cannot be identified by its lock. */
  }
  if (!feed) {
    char text[sizeof cause.text];
    rtop_target_explain(pid, &cause, text, sizeof text);
    rtop_error_set(error, cause.code ? cause.code : RTOP_ERROR_NOT_FOUND, cause.errno_value, "%s", text);
  }
  return feed;
}
