/* Methods that are traced, in all processes of a session. */
#include "session_impl.h"

#include <string.h>

static void trace_begin(const struct rtop_session *session, struct session_feed *feed,
                        const struct session_trace *trace)
{
  if (!feed->feed || session_is_over(feed->state)) return;
  int slot = rtop_feed_trace(feed->feed, trace->name, 0, session->slower_us);
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

bool rtop_session_trace(struct rtop_session *session, const char *name, bool on)
{
  int at = trace_find(session, name);
  if (on == (at >= 0)) return true;
  if (!on) {
    for (int i = 0; i < session->count; i++) trace_end(&session->feeds[i], session->traces[at].id);
    memmove(&session->traces[at], &session->traces[at + 1],
            (size_t)(--session->trace_count - at) * sizeof session->traces[0]);
    return true;
  }
  size_t bytes = strlen(name);
  if (session->trace_count == RTOP_SESSION_TRACES_MAX || bytes == 0 || bytes > RTOP_SESSION_TRACE_BYTES) return false;
  struct session_trace *trace = &session->traces[session->trace_count++];
  memcpy(trace->name, name, bytes + 1);
  trace->id = ++session->trace_id;
  for (int i = 0; i < session->count; i++) trace_begin(session, &session->feeds[i], trace);
  return true;
}

const char *rtop_session_traced(const struct rtop_session *session, int index)
{
  return index >= 0 && index < session->trace_count ? session->traces[index].name : NULL;
}

uint32_t rtop_session_slower_us(const struct rtop_session *session)
{
  return session->slower_us;
}
