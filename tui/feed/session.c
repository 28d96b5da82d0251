/* SPDX-License-Identifier: MIT */
/* Holds the feeds of a session and merges them. */
#include "session_impl.h"
#include "cores.h"

#include "shm/base/clock.h"
#include "shm/base/error.h"
#include "shm/segment/registry.h"
#include "tui/text/fnv.h"
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "tui/text/text.h"
#include <unistd.h>

bool session_is_over(enum rtop_feed_state state)
{
  return state == RTOP_FEED_ENDED || state == RTOP_FEED_DEAD || state == RTOP_FEED_REPLAY;
}

static struct rtop_session *session_create(uint32_t rate_hz, size_t memory_bytes, struct rtop_error *error)
{
  struct rtop_session *session = calloc(1, sizeof *session);
  if (session) session->profile = rtop_profile_create(memory_bytes);
  if (session && session->profile) {
    session->rate_hz = rate_hz;
    session->started_mono_ns = clock_now_ns();
    return session;
  }
  free(session);
  rtop_error_set(error, RTOP_ERROR_SYSTEM, ENOMEM, "out of memory");
  return NULL;
}

/* Registers the working directory of a process, below which code counts as its own. */
static void session_own(struct rtop_session *session, struct rtop_feed *feed)
{
  rtop_feed_find_folder(feed);
  if (*rtop_feed_info(feed)->folder) rtop_lens_own(rtop_profile_lens(session->profile), rtop_feed_info(feed)->folder);
}

void session_leave_out(struct rtop_session *session, const char *why)
{
  size_t bytes = ((size_t)session->left_out_count + 1) * sizeof *session->left_out;
  void *grown = realloc(session->left_out, bytes);
  if (!grown) return;
  session->left_out = grown;
  snprintf(session->left_out[session->left_out_count++], SESSION_WORDS_BYTES, "%s", why);
}

/* Does the process run on this machine? The pid of a stream belongs to another machine or time, so the process cannot
 * be examined here. */
static bool session_is_here(const struct rtop_feed *feed)
{
  return !rtop_feed_info(feed)->host;
}

static void session_say_recording(struct rtop_session *session)
{
  if (session->recording_full) return;
  session->recording_full = true;
  session_leave_out(
      session, "the recording holds no more than its first 128 processes: those that come from now on are not in it");
}

/* Has the feed been over so long that nothing more will come, and is the process gone? */
static bool session_can_go(const struct session_feed *feed, int64_t now_ms)
{
  if (!session_is_over(feed->state) || feed->state == RTOP_FEED_REPLAY || !feed->over_since_ms) return false;
  if (now_ms - feed->over_since_ms <= SESSION_LEAVE_MS) return false;
  return !feed->start_ticks || rtop_family_start_ticks(rtop_feed_info(feed->feed)->pid) != feed->start_ticks;
}

/* Returns the index for a new feed. The first feed always stays, since its clock is used for all. */
int session_place(const struct rtop_session *session)
{
  int64_t now_ms = clock_now_ns() / 1000000, oldest_ms = INT64_MAX;
  int place = -1;
  if (session->count < RTOP_SESSION_FEEDS_MAX) return session->count;
  for (int i = 1; i < session->count; i++) {
    const struct session_feed *feed = &session->feeds[i];
    if (feed->over_since_ms >= oldest_ms || !session_can_go(feed, now_ms)) continue;
    place = i;
    oldest_ms = feed->over_since_ms;
  }
  return place;
}

static void session_tell_pulse(struct rtop_session *session, int place)
{
  const struct session_feed *feed = &session->feeds[place];
  const struct rtop_feed_info *info = rtop_feed_info(feed->feed);
  struct rtop_pulse pulse = { .state = feed->state, .tells_losses = info->tells_losses };
  struct rtop_feed_end end;
  memcpy(pulse.losses, info->losses, sizeof pulse.losses);
  if (session_is_over(pulse.state) && rtop_feed_end(feed->feed, &end)) {
    snprintf(pulse.cause, sizeof pulse.cause, "%s", end.cause);
    snprintf(pulse.text, sizeof pulse.text, "%s", end.text);
  }
  rtop_recorder_pulse(session->recorder, (uint32_t)place, &pulse);
}

/* Writes the end to the recorder: a file has no other sign of the end. */
static void session_tell_end(struct rtop_session *session, int place)
{
  enum rtop_feed_state state = session->feeds[place].state;
  if (!session_is_over(state)) return;
  rtop_recorder_ended(session->recorder, (uint32_t)place, state);
  session_tell_pulse(session, place);
}

static void session_give_back(struct rtop_session *session, int place)
{
  uint32_t number = rtop_profile_retire(session->profile, (uint32_t)place);
  if (session->recorder) {
    session_tell_end(session, place);
    rtop_recorder_renumber(session->recorder, (uint32_t)place, number);
  }
  rtop_feed_close(&session->feeds[place].feed);
}

static uint64_t session_name(const struct session_feed *feed)
{
  const char *name = rtop_feed_info(feed->feed)->command;
  return rtop_fnv(RTOP_FNV_START, name, strlen(name));
}

/* Describes the feed to the recorder. Readers of streams distinguish machines by the host. */
static void session_tell_recorder(struct rtop_session *session, int place)
{
  struct session_feed *feed = &session->feeds[place];
  if (!session->recorder) return;
  struct rtop_feed_info info = *rtop_feed_info(feed->feed);
  feed->told = session_name(feed);
  char host[256] = "";
  info.parent = feed->parent;
  if (!info.host && rtop_recorder_streams(session->recorder) && gethostname(host, sizeof host - 1) == 0)
    info.host = *host ? host : "localhost";
  if (!rtop_recorder_source(session->recorder, (uint32_t)place, &info)) session_say_recording(session);
}

/* The number of a process, which distinguishes it from an earlier one with the same pid. */
static uint32_t session_process(struct rtop_session *session, pid_t pid, uint64_t start_ticks, int host)
{
  struct session_past *own = &session->past[session->opened % SESSION_PAST];
  uint32_t nth = 0;
  for (int i = 0; i < SESSION_PAST; i++) {
    const struct session_past *past = &session->past[i];
    if (past->pid != pid) continue;
    bool same = past->host == host && (!start_ticks || !past->start_ticks || past->start_ticks == start_ticks);
    if (past->nth + !same > nth) nth = past->nth + !same;
    if (same) nth = past->nth;
    if (same) break;
  }
  *own = (struct session_past){ .pid = pid, .host = host, .start_ticks = start_ticks, .nth = nth };
  return rtop_process_of((uint32_t)pid, nth);
}

/* Distinguishes processes with the same pid on several hosts, also in recordings and streams. */
static int session_machine(const struct rtop_feed_info *info, int host)
{
  if (host || !info->host) return host;
  return (int)(rtop_fnv(RTOP_FNV_START, info->host, strlen(info->host)) >> 33);
}

void session_take(struct rtop_session *session, struct rtop_feed *feed, int place)
{
  session_take_of(session, feed, place, 0);
}

void session_take_of(struct rtop_session *session, struct rtop_feed *feed, int place, int host)
{
  const struct rtop_feed_info *info = rtop_feed_info(feed);
  struct session_feed *taken = &session->feeds[place];
  if (session->by_seconds) rtop_feed_by_seconds(feed, session->always_by_seconds);
  if (place < session->count) session_give_back(session, place);
  else session->count++;
  session_own(session, feed);
  rtop_profile_add_source_bytes(session->profile, info->bytes);
  if (place > 0 && session->feeds[0].state != RTOP_FEED_REPLAY && session_is_here(feed))
    rtop_feed_align(feed, session->feeds[0].feed);
  *taken = (struct session_feed){
    .feed = feed, .host = host, .state = rtop_feed_seen_state(feed), .start_ticks = info->start_ticks
  };
  taken->parent = info->parent;
  if (!session_is_over(taken->state) && session_is_here(feed)) { /* In all other cases its pid may
                                                                    belong to another process. */
    const struct rtop_kin *kin = rtop_family_find(&session->family, info->pid);
    taken->parent = kin ? kin->parent : 0;
    /* The process may be ending right now; its status is then still found by these ticks. */
    taken->start_ticks = rtop_family_listed_ticks(info->pid);
  }
  session_tell_recorder(session, place);
  taken->process = session_process(session, info->pid, taken->start_ticks, session_machine(info, host));
  taken->opened = ++session->opened;
  rtop_lens_process(rtop_profile_lens(session->profile), (uint32_t)place, taken->process);
  session_trace_all(session, taken);
}

/* Is the process watched already, as a child of another one? */
static bool session_has(const struct rtop_session *session, pid_t pid)
{
  for (int i = 0; i < session->count; i++)
    if (session->feeds[i].parent && rtop_feed_info(session->feeds[i].feed)->pid == pid) return true;
  return false;
}

static bool session_add_pid(struct rtop_session *session, pid_t pid, struct rtop_error *error)
{
  int place = session_place(session);
  if (place < 0) {
    rtop_error_set(error, RTOP_ERROR_LIMIT, 0, "at most %d processes at a time", RTOP_SESSION_FEEDS_MAX);
    return false;
  }
  struct rtop_feed *feed = rtop_feed_open_process(pid, (uint32_t)place, session->rate_hz, error);
  if (feed && session->skips_past) rtop_feed_skip_past(feed, session->but_ns);
  if (feed) session_take(session, feed, place);
  return feed != NULL;
}

static bool session_add_recording(struct rtop_session *session, const char *path, struct rtop_error *error)
{
  struct rtop_feed *feeds[RTOP_SESSION_FEEDS_MAX];
  struct stat status;
  bool from_input = strcmp(path, "-") == 0;
  if (from_input && !(fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode))) {
    if (!session->needs_rights && !rtop_feed_stream_as_nobody(error)) return false;
    session->stream = rtop_feed_open_stream(STDIN_FILENO, session->profile, error);
    if (session->stream) session_take(session, session->stream, 0);
    return session->stream != NULL;
  }
  if (from_input) path = "/dev/stdin";
  if (rtop_feed_is_segment(path)) {
    struct rtop_feed *feed = rtop_feed_open_segment(path, (uint32_t)session->count, error);
    if (feed) session_take(session, feed, session->count);
    return feed != NULL;
  }
  if (rtop_feed_is_saved(path)) {
    struct rtop_feed *feed = rtop_feed_open_saved(path, session->profile, (uint32_t)session->count, error);
    if (feed) session_take(session, feed, session->count);
    return feed != NULL;
  }
  int count = rtop_feed_open_recording(path, session->profile, feeds, RTOP_SESSION_FEEDS_MAX, error);
  for (int i = 0; i < count; i++) session_take(session, feeds[i], session->count);
  return count > 0;
}

/* Adds a process with its descendants. Descendants alone suffice, except for process 1, which is the parent of all
 * orphans. */
bool session_add_tree(struct rtop_session *session, pid_t pid, struct rtop_error *error)
{
  uint64_t before = session->opened;
  if (session_add_pid(session, pid, error)) {
    if (rtop_family_start_ticks(pid)) session_tree_add(session, pid);
    return true;
  }
  if (!session->follows || pid == 1) return false;
  session_tree_add(session, pid);
  session_tree_look(session);
  if (session->opened == before) return false;
  if (error) *error = (struct rtop_error){ 0 };
  return true;
}

static void session_names_none(const struct rtop_session *session, struct rtop_error *error)
{
  char name[100];
  rtop_text_sanitize(name, sizeof name, session->names[0], strlen(session->names[0]));
  rtop_error_set(error, RTOP_ERROR_NOT_FOUND, ESRCH,
                 "no process that can be watched is called '%s' (--list shows those that can)", name);
}

/* Adds processes by pid. Those that cannot be watched are left out if any other can, since a pattern also finds
 * programs other than Ruby. */
static bool session_add_pids(struct rtop_session *session, const struct rtop_session_wish *wish,
                             struct rtop_error *error)
{
  for (int i = 0; i < wish->pid_count; i++) {
    struct rtop_error why = { 0 };
    if (session_has(session, wish->pids[i]) || session_add_tree(session, wish->pids[i], &why)) continue;
    if (session->count == 0 && session->left_out_count == 0) *error = why;
    session_leave_out(session, why.text);
  }
  session_tree_look(session);
  session_names_look(session);
  if (session->count == 0 && session->left_out_count == 0) session_names_none(session, error);
  else if (session->count == 0 && wish->pid_count > 1)
    rtop_error_set(error, error->code, error->errno_value, "none of %d processes can be watched: %.180s",
                   wish->pid_count, session->left_out ? session->left_out[0] : error->text);
  else if (session->count > 0) *error = (struct rtop_error){ 0 };
  return session->count > 0;
}

static bool session_start(struct rtop_session *session, const struct rtop_session_wish *wish, int *exit_status,
                          struct rtop_error *error)
{
  if (wish->command) {
    session_adopt(session);
    session->launch = rtop_launch_start(wish->command, wish->kind, exit_status, error);
    if (session->launch) session_tree_add(session, rtop_launch_pid(session->launch));
    return session->launch != NULL;
  }
  if (wish->replay) return session_add_recording(session, wish->replay, error);
  if (wish->host_count) return session_hosts_open(session, wish, error);
  return session_add_pids(session, wish, error);
}

struct rtop_session *rtop_session_begin(const struct rtop_session_wish *wish, int *exit_status,
                                        struct rtop_error *error)
{
  *exit_status = 1;
  struct rtop_session *session = session_create(wish->rate_hz, wish->memory_bytes, error);
  if (!session) return NULL;
  rtop_lens_set(rtop_profile_lens(session->profile), wish->lens);
  session->skips_past = wish->skips_past;
  session->but_ns = wish->but_ns;
  session->needs_rights = wish->needs_rights;
  session->follows = !wish->alone;
  session->by_seconds = wish->by_seconds;
  session->names = wish->host_count ? NULL : wish->names;
  session->name_count = wish->host_count ? 0 : wish->name_count;
  session->slower_us = wish->slower_us;
  for (int i = 0; i < wish->trace_count; i++) rtop_session_trace(session, wish->traces[i], true);
  if (wish->whole_seconds) rtop_session_trace_whole(session, wish->whole_seconds, wish->whole);
  if (wish->sites_seconds) rtop_session_trace_sites(session, wish->sites_seconds);
  if (wish->keeps_sums) rtop_profile_keep_sums(session->profile);
  rtop_profile_keep_ns(session->profile, wish->keep_ns);
  if (!session_start(session, wish, exit_status, error)) rtop_session_close(&session);
  return session;
}

struct rtop_session *rtop_session_open_pid(pid_t pid, uint32_t rate_hz, bool alone, struct rtop_error *error)
{
  struct rtop_session *session = session_create(rate_hz, RTOP_SESSION_MEMORY_BYTES, error);
  if (session) {
    session->follows = !alone;
    session->finds_again = true;
  }
  if (session && !session_add_tree(session, pid, error)) rtop_session_close(&session);
  if (session) session_tree_look(session);
  return session;
}

struct rtop_session *rtop_session_open_replay(const char *path, struct rtop_error *error)
{
  struct rtop_session *session = session_create(0, RTOP_SESSION_REPLAY_BYTES, error);
  if (session && !session_add_recording(session, path, error)) rtop_session_close(&session);
  return session;
}

void rtop_session_spare(struct rtop_session *session, pid_t pid)
{
  session->family.spared = pid;
}

void rtop_session_close(struct rtop_session **handle)
{
  struct rtop_session *session = *handle;
  *handle = NULL;
  if (!session) return;
  rtop_session_end_recording(session, NULL);
  rtop_launch_close(&session->launch);
  session_hosts_close(session);
  for (int i = 0; i < session->count; i++) rtop_feed_close(&session->feeds[i].feed);
  rtop_profile_destroy(&session->profile);
  rtop_family_destroy(&session->family);
  free(session->tries);
  free(session->left_out);
  free(session);
}

/* Opens the channel that `pid` has now. For a process that this program started, also a channel that it left when it
 * died; else only a live one, since older dead ones contain nothing new. */
static bool session_follow(struct rtop_session *session, pid_t pid, bool ours)
{
  struct rtop_registry_entry entry;
  int place = session_place(session);
  if (place < 0 || rtop_registry_find(pid, &entry, NULL) != 0) return false;
  bool left_by_ours = ours && session->count == 0 && entry.geometry.created_mono_ns >= session->started_mono_ns;
  if (!entry.alive && !left_by_ours) return false;
  entry.pid = pid;
  struct rtop_feed *feed = rtop_feed_open_entry(&entry, (uint32_t)place, session->rate_hz, NULL);
  if (feed) session_take(session, feed, place);
  return feed != NULL;
}

static bool session_follow_descendants(struct rtop_session *session)
{
  pid_t pids[SESSION_DESCENDANTS_MAX];
  size_t count = rtop_family_descendants(rtop_launch_pid(session->launch), pids, SESSION_DESCENDANTS_MAX);
  for (size_t i = 0; i < count; i++)
    if (session_follow(session, pids[i], true)) return true;
  return false;
}

/* Finds the process to watch for a command: the command itself, else the first descendant with a channel. */
static void session_look_for_command(struct rtop_session *session, bool thorough)
{
  if (session_follow(session, rtop_launch_pid(session->launch), true)) return;
  if (thorough && !session->follows) session_follow_descendants(session);
}

static void session_look_for_exec(struct rtop_session *session, struct session_feed *feed, int64_t now_ms)
{
  pid_t pid = rtop_feed_info(feed->feed)->pid;
  if (!feed->over_since_ms || feed->replaced || !feed->was_live) return;
  if (now_ms - feed->over_since_ms > SESSION_GRACE_MS && !session->launch) return;
  if (!feed->start_ticks || rtop_family_start_ticks(pid) != feed->start_ticks) return; /* it is gone */
  feed->replaced = session_follow(session, pid, false);
}

bool session_all_over(const struct rtop_session *session)
{
  for (int i = 0; i < session->count; i++)
    if (!session_is_over(session->feeds[i].state)) return false;
  return true;
}

/* Adds the processes that have appeared in the stream. */
static void session_stream_look(struct rtop_session *session)
{
  struct rtop_feed *feed;
  while (session->count < RTOP_SESSION_FEEDS_MAX &&
         (feed = rtop_feed_stream_next(session->stream, (uint32_t)session->count)))
    session_take(session, feed, session->count);
}

/* Updates names for the recorder, since processes rename themselves after their start. */
static void session_pulse(struct rtop_session *session, int64_t now_ms)
{
  if (!session->recorder || now_ms < session->next_pulse_ms) return;
  session->next_pulse_ms = now_ms + SESSION_PULSE_MS;
  for (int i = 0; i < session->count; i++)
    if (session->feeds[i].told != session_name(&session->feeds[i])) session_tell_recorder(session, i);
  for (int i = 0; i < session->count && rtop_recorder_streams(session->recorder); i++) session_tell_pulse(session, i);
}

static void session_look(struct rtop_session *session, int64_t now_ms)
{
  if (session->stream) session_stream_look(session);
  bool thorough = now_ms >= session->next_look_ms;
  if (thorough) session->next_look_ms = now_ms + SESSION_LOOK_MS;
  int count = session->count;
  for (int i = 0; thorough && i < count; i++) session_look_for_exec(session, &session->feeds[i], now_ms);
  if (session->launch && !session->command_over && session_all_over(session) && (thorough || session->count == 0))
    session_look_for_command(session, thorough);
  session_tree_tick(session, now_ms);
  session_names_tick(session, now_ms);
}

/* Explains why there is no data of the command as long as there is none; how the command ended is reported once. */
static void session_explain(struct rtop_session *session, bool ended)
{
  bool channel = session->count > 0;
  if (!session->launch || session->command_over) return;
  if (ended) session->failed = rtop_launch_failed(session->launch, channel, session->words, sizeof session->words);
  session->waits = !ended && !channel && rtop_launch_waits(session->launch, session->words, sizeof session->words);
}

/* Reads the reasons why threads of living processes have no core. */
static void session_cores(struct rtop_session *session, int64_t now_ms)
{
  if (session->stream || session->hosts || now_ms < session->next_cores_ms || session->count > SESSION_CORES_MAX)
    return;
  session->next_cores_ms = now_ms + SESSION_CORES_MS;
  for (int i = 0; i < session->count; i++) {
    const struct rtop_feed_info *info = rtop_session_info(session, i);
    struct rtop_profile_cores reading = { .source = (uint32_t)i, .time_ns = clock_now_ns() };
    if (info && session->feeds[i].state == RTOP_FEED_LIVE && rtop_cores_read(info->pid, &reading))
      rtop_profile_add_cores(session->profile, &reading);
  }
}

size_t rtop_session_poll(struct rtop_session *session)
{
  int64_t now_ms = clock_now_ns() / 1000000;
  size_t moved = 0;
  bool ended = session->launch && rtop_launch_ended(session->launch);
  bool explain = now_ms >= session->next_look_ms || ended;
  if (ended && !session->ended_ms) session->ended_ms = now_ms;
  session_look(session, now_ms);
  if (session->hosts) moved += session_hosts_poll(session);
  for (int i = 0; i < session->count; i++) {
    struct session_feed *feed = &session->feeds[i];
    moved += rtop_feed_poll(feed->feed, session->profile, &feed->state);
    feed->was_live = feed->was_live || !session_is_over(feed->state);
    if (!session_is_over(feed->state)) feed->over_since_ms = 0;
    else if (!feed->over_since_ms) feed->over_since_ms = now_ms;
  }
  if (session->stream) session_stream_look(session);
  session_cores(session, now_ms);
  session_await(session, now_ms);
  ended = ended && !session->awaits;
  if (session->launch) session_waited(session);
  if (explain) session_explain(session, ended);
  session_pulse(session, now_ms);
  session->command_over = ended;
  if (session->recorder) rtop_recorder_tick(session->recorder);
  /* A stream sends each name only once, so its names are never forgotten. */
  if (!session->stream && !session->hosts && rtop_profile_forget(session->profile))
    for (int i = 0; i < session->count; i++) rtop_feed_forget(session->feeds[i].feed, session->profile);
  return moved;
}

int rtop_session_wait_ms(const struct rtop_session *session)
{
  int wait_ms = session->launch && session->count == 0 ? SESSION_SOON_MS : SESSION_LOOK_MS;
  if (rtop_session_over(session)) return 1000;
  for (int i = 0; i < session->count; i++) {
    int feed_ms = rtop_feed_wait_ms(session->feeds[i].feed);
    if (feed_ms < wait_ms) wait_ms = feed_ms;
  }
  return wait_ms;
}

void rtop_session_by_seconds(struct rtop_session *session, bool always)
{
  if (!session->by_seconds) return;
  session->always_by_seconds = always;
  for (int i = 0; i < session->count; i++)
    if (!session_is_over(session->feeds[i].state)) rtop_feed_by_seconds(session->feeds[i].feed, always);
}

struct rtop_profile *rtop_session_profile(struct rtop_session *session)
{
  return session->profile;
}

bool rtop_session_ready(const struct rtop_session *session)
{
  return session->count > 0;
}

enum rtop_feed_state rtop_session_state(const struct rtop_session *session)
{
  enum rtop_feed_state best = session->count ? RTOP_FEED_REPLAY : RTOP_FEED_LIVE;
  for (int i = 0; i < session->count; i++)
    if (!session->feeds[i].replaced && session->feeds[i].state < best) best = session->feeds[i].state;
  return best;
}

static bool session_feed_over(const struct session_feed *feed)
{
  struct rtop_stream_look look;
  if (rtop_feed_stream_look(feed->feed, &look)) return look.ended;
  if (!session_is_over(feed->state)) return false;
  if (feed->state == RTOP_FEED_REPLAY || feed->replaced || !feed->was_live) return true;
  bool alive = kill(rtop_feed_info(feed->feed)->pid, 0) == 0 || errno == EPERM;
  return !alive || clock_now_ns() / 1000000 - feed->over_since_ms > SESSION_GRACE_MS;
}

bool rtop_session_over(const struct rtop_session *session)
{
  if ((session->launch && !session->command_over) || session->name_count) return false;
  if (session->hosts) return session_hosts_over(session);
  for (int i = 0; i < session->count; i++) {
    const struct session_feed *feed = &session->feeds[i];
    pid_t pid = rtop_feed_info(feed->feed)->pid;
    if (!session->launch && !session_feed_over(feed)) return false;
    if (session->launch && !session_is_over(feed->state) &&
        (pid == rtop_launch_pid(session->launch) || session_is_daemon(session, pid)))
      return false;
  }
  return true;
}

const char *rtop_session_problem(const struct rtop_session *session)
{
  if (session->failed) return session->words;
  for (int i = 0; i < session->count; i++)
    if (rtop_feed_problem(session->feeds[i].feed)) return rtop_feed_problem(session->feeds[i].feed);
  return NULL;
}

const char *rtop_session_waits(const struct rtop_session *session)
{
  return session->waits ? session->words : NULL;
}

int rtop_session_count(const struct rtop_session *session)
{
  return session->count;
}

const struct rtop_feed_info *rtop_session_info(const struct rtop_session *session, int index)
{
  return index >= 0 && index < session->count ? rtop_feed_info(session->feeds[index].feed) : NULL;
}

enum rtop_feed_state rtop_session_feed_state(const struct rtop_session *session, int index)
{
  return index >= 0 && index < session->count ? session->feeds[index].state : RTOP_FEED_DEAD;
}

pid_t rtop_session_feed_parent(const struct rtop_session *session, int index)
{
  return index >= 0 && index < session->count ? session->feeds[index].parent : 0;
}

bool rtop_session_feed_end(const struct rtop_session *session, int index, struct rtop_feed_end *end)
{
  return index >= 0 && index < session->count && rtop_feed_end(session->feeds[index].feed, end);
}

int rtop_session_without_place(const struct rtop_session *session)
{
  return session->without_place;
}

bool rtop_session_feed_replaced(const struct rtop_session *session, int index)
{
  return index >= 0 && index < session->count && session->feeds[index].replaced;
}

uint32_t rtop_session_process(const struct rtop_session *session, int index)
{
  return index >= 0 && index < session->count ? session->feeds[index].process : 0;
}

uint64_t rtop_session_opened(const struct rtop_session *session, int index)
{
  return index >= 0 && index < session->count ? session->feeds[index].opened : 0;
}

int rtop_session_gone(const struct rtop_session *session)
{
  uint64_t gone = session->opened - (uint64_t)session->count;
  return gone < INT_MAX ? (int)gone : INT_MAX;
}

const char *rtop_session_left_out(const struct rtop_session *session, int index)
{
  return index >= 0 && index < session->left_out_count ? session->left_out[index] : NULL;
}

bool rtop_session_end(const struct rtop_session *session, struct rtop_feed_end *end)
{
  bool found = false;
  for (int i = 0; i < session->count && session_is_over(rtop_session_state(session)); i++) {
    struct rtop_feed_end other;
    if (session->feeds[i].state == RTOP_FEED_REPLAY && !rtop_feed_end(session->feeds[i].feed, &other))
      return false; /* it went on behind the recording */
    if (!session->feeds[i].replaced && rtop_feed_end(session->feeds[i].feed, &other) &&
        (!found || other.real_ns > end->real_ns)) {
      *end = other;
      found = true;
    }
  }
  return found;
}

int64_t rtop_session_clock_offset_ns(const struct rtop_session *session)
{
  return session->count ? rtop_feed_info(session->feeds[0].feed)->clock_offset_ns : 0;
}

bool rtop_session_record(struct rtop_session *session, const char *path, uint64_t bytes_max, struct rtop_error *error)
{
  session->recorder = rtop_recorder_create(path, session->profile, bytes_max, error);
  for (int i = 0; i < session->count && session->recorder; i++) session_tell_recorder(session, i);
  return session->recorder != NULL;
}

/* Writes the ends of processes to the recorder. The end of a stream is not an end of its processes. */
static void session_tell_ends(struct rtop_session *session)
{
  for (int i = 0; i < session->count && session->recorder; i++) {
    struct rtop_feed_end end;
    bool other = rtop_feed_end(session->feeds[i].feed, &end) && strcmp(end.cause, "stream") == 0;
    if (!other) session_tell_end(session, i);
  }
}

bool rtop_session_stream(struct rtop_session *session, int fd, struct rtop_error *error)
{
  session->recorder = rtop_recorder_stream(fd, session->profile, error);
  for (int i = 0; i < session->count && session->recorder; i++) session_tell_recorder(session, i);
  return session->recorder != NULL;
}

bool rtop_session_send(struct rtop_session *session)
{
  return rtop_recorder_send(session->recorder);
}

void rtop_session_finish_stream(struct rtop_session *session)
{
  session->next_pulse_ms = 0;
  session_pulse(session, clock_now_ns() / 1000000);
  session_tell_ends(session);
  rtop_recorder_finish(session->recorder);
}

int rtop_session_input_fd(const struct rtop_session *session)
{
  if (session->hosts) return session_hosts_fd(session);
  return session->stream ? rtop_feed_stream_fd(session->stream) : -1;
}

bool rtop_session_stream_look(const struct rtop_session *session, struct rtop_stream_look *look)
{
  return session->stream && rtop_feed_stream_look(session->stream, look);
}

bool rtop_session_end_recording(struct rtop_session *session, struct rtop_error *error)
{
  session_tell_ends(session);
  return rtop_recorder_close(&session->recorder, error);
}

bool rtop_session_save_span(struct rtop_session *session, struct rtop_span span, const char *path,
                            struct rtop_error *error)
{
  const struct rtop_feed_info *infos[RTOP_SESSION_FEEDS_MAX];
  for (int i = 0; i < session->count; i++) infos[i] = rtop_feed_info(session->feeds[i].feed);
  return rtop_recording_save_span(session->profile, span, infos, (uint32_t)session->count, path, error);
}

void rtop_session_tell_progress(struct rtop_session *session, void (*tell)(void *context, double share), void *context)
{
  if (session->count && session->feeds[0].state == RTOP_FEED_REPLAY)
    rtop_feed_tell_progress(session->feeds[0].feed, tell, context);
}

const struct rtop_recorder *rtop_session_recorder(const struct rtop_session *session)
{
  return session->recorder;
}

struct rtop_launch *rtop_session_launch(const struct rtop_session *session)
{
  return session->launch;
}
