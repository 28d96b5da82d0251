/* SPDX-License-Identifier: MIT */
/* Traced methods, in all processes of a session. */
#include "session_impl.h"

#include "shm/base/format.h"
#include "tui/history/profile_lists.h"
#include <stdio.h>
#include <string.h>

static void trace_begin(const struct rtop_session *session, struct session_feed *feed,
                        const struct session_trace *trace)
{
  char name[sizeof trace->name + 1] = { RTOP_TRACE_FORCED };
  if (!feed->feed || session_is_over(feed->state)) return;
  memcpy(name + trace->forced, trace->name, sizeof trace->name);
  int slot = rtop_feed_trace(feed->feed, name, trace->seconds, session->slower_us);
  if (slot >= 0 && slot < RTOP_SESSION_TRACES_MAX) feed->traces[slot] = trace->id;
}

static void trace_end(struct session_feed *feed, uint32_t id)
{
  for (int slot = 0; slot < RTOP_SESSION_TRACES_MAX; slot++) {
    if (feed->traces[slot] != id) continue;
    rtop_feed_untrace(feed->feed, slot);
    feed->traces[slot] = 0;
  }
}

void session_trace_all(struct rtop_session *session, struct session_feed *feed)
{
  for (int i = 0; i < session->trace_count; i++) trace_begin(session, feed, &session->traces[i]);
}

static int trace_find(const struct rtop_session *session, const char *name)
{
  for (int i = 0; i < session->trace_count; i++)
    if (strcmp(session->traces[i].name, name) == 0) return i;
  return -1;
}

size_t rtop_session_trace_name(const char *text, bool *forced)
{
  static const char suffix[] = ",force";
  size_t bytes = strlen(text), of_suffix = sizeof suffix - 1;
  *forced = bytes > of_suffix && strcmp(text + bytes - of_suffix, suffix) == 0;
  if (*forced) bytes -= of_suffix;
  size_t class_bytes = strcspn(text, "#.");
  return class_bytes > 0 && class_bytes + 1 < bytes && bytes + *forced <= RTOP_SESSION_TRACE_BYTES ? bytes : 0;
}

static bool trace_ask(struct rtop_session *session, const char *name, uint32_t seconds, bool forced, bool on)
{
  int at = trace_find(session, name);
  if (on == (at >= 0)) return true;
  if (!on) {
    for (int i = 0; i < session->count; i++) trace_end(&session->feeds[i], session->traces[at].id);
    memmove(&session->traces[at], &session->traces[at + 1],
            (size_t)(--session->trace_count - at) * sizeof session->traces[0]);
    return true;
  }
  if (session->trace_count == RTOP_SESSION_TRACES_MAX) return false;
  struct session_trace *trace = &session->traces[session->trace_count++];
  snprintf(trace->name, sizeof trace->name, "%s", name);
  trace->id = ++session->trace_id;
  trace->seconds = seconds;
  trace->forced = forced;
  for (int i = 0; i < session->count; i++) trace_begin(session, &session->feeds[i], trace);
  return true;
}

bool rtop_session_trace(struct rtop_session *session, const char *name, bool on)
{
  char plain[RTOP_SESSION_TRACE_BYTES + 1];
  bool forced;
  size_t bytes = rtop_session_trace_name(name, &forced);
  snprintf(plain, sizeof plain, "%.*s", (int)bytes, name);
  return bytes > 0 && trace_ask(session, plain, 0, forced, on);
}

bool rtop_session_trace_whole(struct rtop_session *session, uint32_t seconds, const char *how)
{
  char name[8];
  for (int i = session->trace_count; i-- > 0;)
    if (session->traces[i].name[0] == RTOP_TRACE_WHOLE) trace_ask(session, session->traces[i].name, 0, false, false);
  snprintf(name, sizeof name, "%c%s", RTOP_TRACE_WHOLE, how ? how : "");
  return seconds == 0 || trace_ask(session, name, seconds, false, true);
}

bool rtop_session_trace_sites(struct rtop_session *session, uint32_t seconds)
{
  const char name[] = { RTOP_TRACE_SITES, '\0' };
  trace_ask(session, name, 0, false, false);
  return seconds == 0 || trace_ask(session, name, seconds, false, true);
}

/* The latest state in each process, for one kind of request. */
struct moment_states {
  uint32_t what, end;
  const struct whole_before *before;
  uint32_t newest[RTOP_SESSION_FEEDS_MAX];
};

static void note_state(void *context, uint32_t source, const struct rtop_exact_number *number)
{
  struct moment_states *states = context;
  if (number->what == states->what && whole_is_before(states->before, source, number)) return;
  if (number->what == states->what && source < RTOP_SESSION_FEEDS_MAX && number->value < states->end)
    states->newest[source] = (uint32_t)number->value;
}

static uint32_t first_state(struct rtop_session *session, struct rtop_span span, struct moment_states *states)
{
  uint32_t first = 0;
  rtop_profile_each_exact(session->profile, span, note_state, states);
  for (int i = 0; i < RTOP_SESSION_FEEDS_MAX; i++)
    if (states->newest[i] && (!first || states->newest[i] < first)) first = states->newest[i];
  return first;
}

enum rtop_whole_state rtop_session_whole(struct rtop_session *session, struct rtop_span span,
                                         const struct whole_before *before)
{
  struct moment_states states = { .what = RTOP_WHOLE_STATE, .end = RTOP_WHOLE_STATE_END, .before = before };
  return (enum rtop_whole_state)first_state(session, span, &states);
}

enum rtop_sites_state rtop_session_sites(struct rtop_session *session, struct rtop_span span)
{
  static const struct whole_before none;
  struct moment_states states = { .what = RTOP_SITES_STATE, .end = RTOP_SITES_STATE_END, .before = &none };
  return (enum rtop_sites_state)first_state(session, span, &states);
}

const char *rtop_session_traced(const struct rtop_session *session, int index)
{
  return index >= 0 && index < session->trace_count ? session->traces[index].name : NULL;
}

uint32_t rtop_session_slower_us(const struct rtop_session *session)
{
  return session->slower_us;
}
