/* SPDX-License-Identifier: MIT */
/* Subscriptions: filtering and ordering of events, and counts of lost ones. */
#include "reader_impl.h"
#include "tui/text/reserve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS_QUEUE = 10000, EVENTS_QUEUE_MIN = 16, EVENTS_QUEUE_MAX = 1000000, EVENTS_TEXT_BYTES = 1024 };

static const char *const event_names[RPERF_TOP_EVENT_KINDS] = {
  [RPERF_TOP_PROCESS_JOINED] = "process-joined",
  [RPERF_TOP_PROCESS_ENDED] = "process-ended",
  [RPERF_TOP_THREAD_STARTED] = "thread-started",
  [RPERF_TOP_THREAD_ENDED] = "thread-ended",
  [RPERF_TOP_GC_BEGUN] = "gc-begun",
  [RPERF_TOP_GC_ENDED] = "gc-ended",
  [RPERF_TOP_MARK] = "mark",
  [RPERF_TOP_LABEL] = "label",
  [RPERF_TOP_STALL] = "stall",
  [RPERF_TOP_STALL_ENDED] = "stall-ended",
  [RPERF_TOP_EXCEPTION] = "exception",
  [RPERF_TOP_WINDOW] = "window",
  [RPERF_TOP_GAP] = "gap",
};

const char *rperf_top_event_name(uint32_t kind)
{
  return kind < RPERF_TOP_EVENT_KINDS ? event_names[kind] : "";
}

/* ---- taking ----------------------------------------------------------------------------------------- */

static bool events_match(const struct rperf_top_events *events, const struct rperf_top_event *event)
{
  char text[EVENTS_TEXT_BYTES];
  if (!reader_events_want(events, event->kind) || (events->pid && events->pid != event->pid)) return false;
  if (!events->pattern.used) return true;
  snprintf(text, sizeof text, "%s %s %s", event->name, event->method, event->detail);
  return (regexec(&events->pattern.compiled, text, 0, NULL, 0) == 0) != events->pattern.invert;
}

static int events_in_order(const void *left, const void *right)
{
  const struct reader_event *a = *(struct reader_event *const *)left, *b = *(struct reader_event *const *)right;
  if (a->event.time_ns != b->event.time_ns) return a->event.time_ns < b->event.time_ns ? -1 : 1;
  return a->order < b->order ? -1 : a->order > b->order;
}

static void events_sort(struct rperf_top_events *events)
{
  if (events->found_count > 1)
    qsort(events->found, events->found_count, sizeof(struct reader_event *), events_in_order);
}

/* Drops the first `count` of the found events. */
static void events_drop_found(struct rperf_top_events *events, size_t count)
{
  for (size_t i = 0; i < count; i++) free(events->found[i]);
  events->found_count -= count;
  memmove(events->found, events->found + count, events->found_count * sizeof(struct reader_event *));
  events->lost.events += count;
}

static char *events_copy(char **at, const char *text)
{
  size_t bytes = strlen(text) + 1;
  char *copy = memcpy(*at, text, bytes);
  *at += bytes;
  return copy;
}

static struct reader_event *events_make(const struct rperf_top_event *event)
{
  size_t bytes = strlen(event->name) + strlen(event->method) + strlen(event->detail) + strlen(event->path) + 4;
  struct reader_event *made = malloc(sizeof *made + bytes);
  if (!made) return NULL;
  *made = (struct reader_event){ .event = *event };
  char *at = made->text;
  made->event.name = events_copy(&at, event->name);
  made->event.method = events_copy(&at, event->method);
  made->event.detail = events_copy(&at, event->detail);
  made->event.path = events_copy(&at, event->path);
  return made;
}

void reader_event_add(struct rperf_top_events *events, const struct rperf_top_event *given)
{
  struct rperf_top_event event = *given;
  if (!event.name) event.name = "";
  if (!event.method) event.method = "";
  if (!event.detail) event.detail = "";
  if (!event.path) event.path = "";
  if (!events_match(events, &event)) return;
  if (events->found_count >= 2 * events->queue_max) { /* all of a long history at once */
    events_sort(events);
    events_drop_found(events, events->found_count - events->queue_max);
  }
  struct reader_event *made = events_make(&event);
  if (!made || !rtop_reserve(&events->found, &events->found_capacity, events->found_count + 1, sizeof made)) {
    free(made);
    events->lost.events++;
    return;
  }
  made->order = events->orders++;
  events->found[events->found_count++] = made;
}

/* ---- handing out ------------------------------------------------------------------------------------ */

static struct reader_event *events_pop(struct rperf_top_events *events)
{
  struct reader_event *first = events->first;
  if (!first) return NULL;
  events->first = first->next;
  if (!events->first) events->last = NULL;
  events->ready_count--;
  return first;
}

/* Whatever was handed out stays before it. */
static void events_push(struct rperf_top_events *events, struct reader_event *event)
{
  bool stall = event->event.kind == RPERF_TOP_STALL || event->event.kind == RPERF_TOP_STALL_ENDED;
  if (event->event.time_ns < events->released_ns) {
    event->event.late = !stall; /* A stall becomes known only some time after
                                   it happened, so it never counts as late. */
    event->event.time_ns = events->released_ns;
  }
  events->released_ns = event->event.time_ns;
  event->next = NULL;
  if (events->last) events->last->next = event;
  else events->first = event;
  events->last = event;
  events->ready_count++;
}

static void events_release(struct rperf_top_events *events, int64_t until_ns)
{
  size_t count = 0;
  events_sort(events);
  while (count < events->found_count && events->found[count]->event.time_ns <= until_ns)
    events_push(events, events->found[count++]);
  events->found_count -= count;
  if (count) memmove(events->found, events->found + count, events->found_count * sizeof(struct reader_event *));
  while (events->ready_count > events->queue_max) {
    free(events_pop(events));
    events->lost.events++;
  }
}

static void events_count_losses(struct rperf_top_events *events)
{
  const struct rtop_session *session = events->reader->session;
  events->lost.marks = events->lost.labels = events->lost.threads = 0;
  for (int i = 0; i < rtop_session_count(session); i++) {
    const struct rtop_feed_info *info = rtop_session_info(session, i);
    if (!info->tells_losses) continue;
    events->lost.marks += info->losses[RTOP_LOSS_MARKS];
    events->lost.labels += info->losses[RTOP_LOSS_LABELS];
    events->lost.threads += info->losses[RTOP_LOSS_THREADS];
  }
}

void reader_events_poll(struct rperf_top_reader *reader)
{
  for (int i = 0; i < READER_SUBSCRIPTIONS_MAX; i++) {
    struct rperf_top_events *events = reader->subscriptions[i];
    if (!events) continue;
    reader_find(events);
    events_release(events, reader_find_until(events));
    events_count_losses(events);
  }
}

void reader_events_keep(const struct rperf_top_reader *reader, struct rtop_symbols *symbols)
{
  for (int i = 0; i < READER_SUBSCRIPTIONS_MAX; i++)
    if (reader->subscriptions[i]) stalls_keep(&reader->subscriptions[i]->stalls, symbols);
}

const struct rperf_top_event *rperf_top_event_next(struct rperf_top_events *events)
{
  free(events->current);
  events->current = events_pop(events);
  return events->current ? &events->current->event : NULL;
}

void rperf_top_events_lost(const struct rperf_top_events *events, struct rperf_top_lost *lost)
{
  *lost = events->lost;
}

/* ---- subscribing ------------------------------------------------------------------------------------ */

static bool events_options(struct rperf_top_events *events, const struct rperf_top_event_filter *given,
                           struct rperf_top_error *error)
{
  struct rperf_top_event_filter filter;
  if (!reader_take(&filter, sizeof filter, given, error)) return false;
  if (filter.kinds >> RPERF_TOP_EVENT_KINDS) {
    reader_refuse(error, RPERF_TOP_ERROR_ARGUMENT, "kinds: some of them are not known");
    return false;
  }
  if (filter.queue && (filter.queue < EVENTS_QUEUE_MIN || filter.queue > EVENTS_QUEUE_MAX)) {
    reader_refuse(error, RPERF_TOP_ERROR_ARGUMENT, "queue: %d to %d events", EVENTS_QUEUE_MIN, EVENTS_QUEUE_MAX);
    return false;
  }
  uint32_t all = (UINT32_C(1) << RPERF_TOP_EVENT_KINDS) - 1;
  events->kinds = filter.kinds ? filter.kinds : all & ~(UINT32_C(1) << RPERF_TOP_WINDOW);
  events->pid = filter.pid;
  events->queue_max = filter.queue ? filter.queue : EVENTS_QUEUE;
  return reader_pattern_open(&events->pattern, filter.pattern, error);
}

struct rperf_top_events *rperf_top_subscribe(struct rperf_top_reader *reader,
                                             const struct rperf_top_event_filter *filter, struct rperf_top_error *error)
{
  int place = 0;
  if (error) *error = (struct rperf_top_error){ 0 };
  while (place < READER_SUBSCRIPTIONS_MAX && reader->subscriptions[place]) place++;
  if (place == READER_SUBSCRIPTIONS_MAX) {
    reader_refuse(error, RPERF_TOP_ERROR_LIMIT, "a reader has %d subscriptions at most", READER_SUBSCRIPTIONS_MAX);
    return NULL;
  }
  struct rperf_top_events *events = calloc(1, sizeof *events);
  if (!events) reader_refuse(error, RPERF_TOP_ERROR_SYSTEM, "out of memory");
  else if (events_options(events, filter, error)) {
    events->reader = reader;
    return reader->subscriptions[place] = events;
  }
  free(events);
  return NULL;
}

void rperf_top_unsubscribe(struct rperf_top_events *events)
{
  if (!events) return;
  for (int i = 0; i < READER_SUBSCRIPTIONS_MAX; i++)
    if (events->reader->subscriptions[i] == events) events->reader->subscriptions[i] = NULL;
  reader_find_close(events);
  for (size_t i = 0; i < events->found_count; i++) free(events->found[i]);
  while (events->first) free(events_pop(events));
  free(events->current);
  free(events->found);
  reader_pattern_close(&events->pattern);
  free(events);
}
