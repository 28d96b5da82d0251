/* SPDX-License-Identifier: MIT */
/* Finds events in windows: each window of a process is examined once, in order. */
#include "reader_impl.h"
#include "shm/base/label_text.h"
#include "tui/history/profile_each.h"
#include "tui/methods/raised_list.h"
#include "tui/text/reserve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIND_MARKS_MAX = 1 << 14, FIND_WORDS_BYTES = 512 };
/* maximum delay (ns) of a process behind the others for which events wait */
#define FIND_PATIENCE_NS INT64_C(1000000000)
#define FIND_MARKS_NS INT64_C(2000000000) /* maximum delay (ns) of a mark after the windows that cover its time */

static struct rperf_top_event find_event(const struct reader_source *source, enum rperf_top_event_kind kind,
                                         int64_t since_ns, int64_t time_ns)
{
  return (struct rperf_top_event){
    .kind = (uint32_t)kind,
    .pid = source->pid,
    .since_ns = since_ns,
    .time_ns = time_ns < since_ns ? since_ns : time_ns,
  };
}

/* ---- threads ---------------------------------------------------------------------------------------- */

static void find_thread(struct rperf_top_events *events, const struct reader_source *source,
                        const struct reader_thread *thread, enum rperf_top_event_kind kind, struct rtop_span when)
{
  struct rperf_top_event event = find_event(source, kind, when.start_ns, when.end_ns);
  event.name = thread->name;
  event.serial = thread->serial;
  reader_event_add(events, &event);
}

static void find_forget_thread(struct reader_source *source, struct reader_thread *thread)
{
  HASH_DEL(source->threads, thread);
  free(thread);
}

/* NULL when memory ran out. */
static struct reader_thread *find_known(struct reader_source *source, uint64_t serial, bool *is_new)
{
  struct reader_thread *thread = NULL;
  HASH_FIND(hh, source->threads, &serial, sizeof serial, thread);
  *is_new = !thread;
  if (thread || !(thread = calloc(1, sizeof *thread))) return thread;
  thread->serial = serial;
  HASH_ADD(hh, source->threads, serial, sizeof thread->serial, thread);
  if (!thread->lost) return thread;
  free(thread);
  return NULL;
}

/* Finds threads that started or ended. A gap before the window makes the event's time less certain. */
static void find_threads(struct rperf_top_events *events, struct reader_source *source, const struct rtop_look *look)
{
  const struct rtop_profile *profile = rtop_session_profile(events->reader->session);
  struct rtop_span when = { source->seen_ns ? source->seen_ns : look->start_ns, look->end_ns };
  struct reader_thread *thread, *next;
  source->visit++;
  for (size_t i = 0; i < look->thread_count; i++) {
    struct rtop_look_thread seen = rtop_look_thread(look, i);
    bool is_new;
    thread = find_known(source, rtop_profile_thread_serial(profile, seen.thread), &is_new);
    if (!thread) continue;
    thread->visit = source->visit;
    thread->name = rtop_profile_thread_name(profile, seen.thread);
    if (is_new && source->seen_ns) find_thread(events, source, thread, RPERF_TOP_THREAD_STARTED, when);
    if (!seen.ended) continue;
    find_thread(events, source, thread, RPERF_TOP_THREAD_ENDED, (struct rtop_span){ look->start_ns, look->end_ns });
    find_forget_thread(source, thread);
  }
  HASH_ITER(hh, source->threads, thread, next)
  if (thread->visit != source->visit) {
    find_thread(events, source, thread, RPERF_TOP_THREAD_ENDED, when);
    find_forget_thread(source, thread);
  }
}

/* ---- what a window sums up -------------------------------------------------------------------------- */

static bool find_collects(const struct rtop_look *look)
{
  for (size_t i = 0; i < look->thread_count; i++) {
    struct rtop_look_thread thread = rtop_look_thread(look, i);
    if (!thread.ended && (thread.state == RTOP_STATE_MARKING || thread.state == RTOP_STATE_SWEEPING)) return true;
  }
  return false;
}

/* Finds collections. Those of a window count as one, also across its end. The VM's counts are read when a thread next
 * runs, so they may come later than the time. */
static void find_collections(struct rperf_top_events *events, struct reader_source *source,
                             const struct rtop_look *look)
{
  uint64_t spent_ns = look->wall_ns[RTOP_STATE_MARKING] + look->wall_ns[RTOP_STATE_SWEEPING];
  uint64_t count = look->counters->gc_minor + look->counters->gc_major;
  bool goes_on = find_collects(look);
  int64_t length_ns = look->end_ns - look->start_ns;
  int64_t inside_ns = spent_ns < (uint64_t)length_ns ? (int64_t)spent_ns : length_ns;
  source->gc_count += count;
  if (!source->collecting && (spent_ns || goes_on)) {
    struct rperf_top_event begun = find_event(source, RPERF_TOP_GC_BEGUN, look->start_ns, look->end_ns - inside_ns);
    source->collecting = true;
    source->gc_ns = 0;
    reader_event_add(events, &begun);
  }
  if (!source->collecting) return;
  source->gc_ns += spent_ns;
  if (goes_on) return;
  struct rperf_top_event ended =
      find_event(source, RPERF_TOP_GC_ENDED, look->start_ns + inside_ns, spent_ns ? look->end_ns : look->start_ns);
  ended.length_ns = source->gc_ns;
  ended.count = source->gc_count;
  source->gc_count = 0;
  source->collecting = false;
  reader_event_add(events, &ended);
}

static void find_label(struct rperf_top_events *events, const struct reader_source *source,
                       const struct rtop_look *look, const struct rtop_begun_count *begun)
{
  const struct rtop_symbols *symbols = rtop_profile_symbols(rtop_session_profile(events->reader->session));
  const struct rtop_symbol *set = rtop_symbols_get(symbols, rtop_symbols_get_node(symbols, begun->node)->frame);
  struct rtop_label_buffer label;
  char name[sizeof label.key + sizeof label.value + 1] = "";
  uint32_t place = 0;
  if (!rtop_symbol_is_labels(set)) return; /* there were too many label sets: such labels are counted as lost */
  for (size_t at = 0; rtop_label_text_next(set->label, strlen(set->label), &at, &label); place++)
    if (place == begun->label) snprintf(name, sizeof name, "%s=%s", label.key, label.value);
  struct rperf_top_event event = find_event(source, RPERF_TOP_LABEL, look->start_ns, look->end_ns);
  event.name = name;
  event.count = begun->count;
  reader_event_add(events, &event);
}

static void find_raised_place(struct rperf_top_event *event, const struct rtop_symbols *symbols,
                              const struct raised_place *place, char *words, size_t bytes)
{
  const struct rtop_symbol *method = rtop_symbols_get(symbols, place->frame);
  const char *called = place->called ? rtop_symbols_get(symbols, place->called)->label : "";
  event->name = raised_class(symbols, place);
  if (place->frame) {
    event->method = method->label;
    event->path = method->path;
    event->line = place->line;
    snprintf(words, bytes, "%s:%u%s%s", method->path, place->line, *called ? ", by " : "", called);
  } else snprintf(words, bytes, "%s%s", *called ? "by " : "", called);
  event->detail = words;
}

/* Finds exceptions. An exception may have been raised before the window that reports it, because its name had to
   be made first. */
static void find_raised(struct rperf_top_events *events, const struct reader_source *source,
                        const struct rtop_look *look, const struct rtop_raised_count *raised)
{
  const struct rtop_symbols *symbols = rtop_profile_symbols(rtop_session_profile(events->reader->session));
  int64_t last_ns = raised->last_ns < look->end_ns ? raised->last_ns : look->end_ns;
  int64_t first_ns = raised->first_ns < last_ns ? raised->first_ns : last_ns;
  struct rperf_top_event event = find_event(source, RPERF_TOP_EXCEPTION, first_ns, last_ns);
  struct raised_place place = raised_place_of(symbols, raised);
  char words[FIND_WORDS_BYTES] = "";
  if (place.class_frame) find_raised_place(&event, symbols, &place, words, sizeof words);
  event.serial = raised->serial;
  event.count = raised->count;
  reader_event_add(events, &event);
}

static void find_exceptions(struct rperf_top_events *events, const struct reader_source *source,
                            const struct rtop_look *look)
{
  struct rperf_top_event untold = find_event(source, RPERF_TOP_EXCEPTION, look->start_ns, look->end_ns);
  for (size_t i = 0; i < look->raised_count; i++) {
    struct rtop_raised_count raised = rtop_look_raised(look, i);
    find_raised(events, source, look, &raised);
  }
  untold.count = look->counters->raises_untold;
  if (untold.count) reader_event_add(events, &untold);
}

static void find_window(struct rperf_top_events *events, const struct reader_source *source,
                        const struct rtop_look *look)
{
  struct rperf_top_event window = find_event(source, RPERF_TOP_WINDOW, look->start_ns, look->end_ns);
  for (size_t i = 0; i < look->begun_count; i++) {
    struct rtop_begun_count begun = rtop_look_begun(look, i);
    find_label(events, source, look, &begun);
  }
  find_exceptions(events, source, look);
  window.length_ns = (uint64_t)(look->end_ns - look->start_ns);
  window.count = look->thread_count;
  for (int i = 0; i < RTOP_STATES; i++) window.wall_ns[i] = look->wall_ns[i];
  reader_event_add(events, &window);
}

static void find_gap(struct rperf_top_events *events, struct reader_source *source, const struct rtop_look *look)
{
  struct rperf_top_event event = find_event(source, RPERF_TOP_GAP, look->start_ns, look->end_ns);
  source->gaps_ns = look->end_ns;
  event.length_ns = (uint64_t)(look->end_ns - look->start_ns);
  events->lost.gaps++;
  events->lost.gap_ns += event.length_ns;
  reader_event_add(events, &event);
}

static void find_joined(struct rperf_top_events *events, const struct reader_source *source, int place,
                        const struct rtop_look *look)
{
  struct rperf_top_event event = find_event(source, RPERF_TOP_PROCESS_JOINED, look->start_ns, look->start_ns);
  event.detail = rtop_session_info(events->reader->session, place)->command;
  reader_event_add(events, &event);
}

static void find_visit(void *context, const struct rtop_look *look)
{
  struct rperf_top_events *events = context;
  /* the source was renumbered: its process has ended and was examined earlier */
  if (look->source >= RTOP_SOURCES_MAX) return;
  struct reader_source *source = &events->sources[look->source];
  if (!source->opened || look->end_ns <= source->seen_ns) return;
  if (look->gap) { /* seen_ns is not advanced: events of the next window may have happened in the gap */
    if (look->end_ns > source->gaps_ns) find_gap(events, source, look);
    return;
  }
  if (!source->seen_ns) find_joined(events, source, (int)look->source, look);
  find_threads(events, source, look);
  find_collections(events, source, look);
  find_window(events, source, look);
  source->seen_ns = look->end_ns;
}

/* ---- processes -------------------------------------------------------------------------------------- */

static void find_forget(struct reader_source *source)
{
  struct reader_thread *thread = source->threads, *next;
  HASH_CLEAR(hh, source->threads);
  for (; thread; thread = next) {
    next = thread->hh.next;
    free(thread);
  }
  memset(source, 0, sizeof *source);
}

static bool find_is_over(const struct rtop_session *session, int place)
{
  enum rtop_feed_state state = rtop_session_feed_state(session, place);
  return state != RTOP_FEED_LIVE && state != RTOP_FEED_STALLED;
}

static void find_sources(struct rperf_top_events *events)
{
  const struct rtop_session *session = events->reader->session;
  for (int i = 0; i < rtop_session_count(session); i++) {
    struct reader_source *source = &events->sources[i];
    source->over = source->over && find_is_over(session, i);
    if (source->opened == rtop_session_opened(session, i)) continue;
    find_forget(source);
    source->opened = rtop_session_opened(session, i);
    source->pid = rtop_session_info(session, i)->pid;
  }
}

static void find_ended(struct rperf_top_events *events)
{
  const struct rtop_session *session = events->reader->session;
  for (int i = 0; i < rtop_session_count(session); i++) {
    struct reader_source *source = &events->sources[i];
    struct rtop_feed_end end;
    if (source->over || !find_is_over(session, i) || !rtop_session_feed_end(session, i, &end)) continue;
    struct rperf_top_event event = find_event(source, RPERF_TOP_PROCESS_ENDED, source->seen_ns, source->seen_ns);
    event.detail = end.text;
    source->over = true;
    reader_event_add(events, &event);
  }
}

static bool find_lives(const struct rperf_top_events *events, int place)
{
  return !events->sources[place].over && !find_is_over(events->reader->session, place);
}

int64_t reader_find_until(const struct rperf_top_events *events)
{
  const struct rtop_session *session = events->reader->session;
  int64_t held_ns = rtop_profile_bounds(rtop_session_profile(events->reader->session)).end_ns, least_ns = INT64_MAX;
  for (int i = 0; i < rtop_session_count(session); i++)
    if (find_lives(events, i) && events->sources[i].seen_ns && events->sources[i].seen_ns < least_ns)
      least_ns = events->sources[i].seen_ns;
  return least_ns < held_ns - FIND_PATIENCE_NS ? held_ns - FIND_PATIENCE_NS : least_ns;
}

/* ---- marks ------------------------------------------------------------------------------------------ */

static void find_marks(struct rperf_top_events *events, int64_t since_ns)
{
  const struct rtop_profile *profile = rtop_session_profile(events->reader->session);
  struct rtop_span span = { since_ns - FIND_MARKS_NS, INT64_MAX };
  struct rtop_profile_mark *marks = malloc(FIND_MARKS_MAX * sizeof *marks);
  size_t count = marks ? rtop_profile_marks(profile, span, marks, FIND_MARKS_MAX) : 0;
  int64_t latest_ns[RTOP_SOURCES_MAX] = { 0 };
  for (size_t i = 0; i < count; i++) {
    struct reader_source *source = marks[i].source < RTOP_SOURCES_MAX ? &events->sources[marks[i].source] : NULL;
    if (!source || !source->opened || marks[i].time_ns <= source->marks_ns) continue;
    struct rperf_top_event event = find_event(source, RPERF_TOP_MARK, marks[i].time_ns, marks[i].time_ns);
    event.name = marks[i].name;
    latest_ns[marks[i].source] = marks[i].time_ns;
    reader_event_add(events, &event);
  }
  for (int i = 0; i < RTOP_SOURCES_MAX; i++)
    if (latest_ns[i]) events->sources[i].marks_ns = latest_ns[i];
  free(marks);
}

/* ---- stalls ----------------------------------------------------------------------------------------- */

static void find_stall_event(struct rperf_top_events *events, const struct stall *stall, enum rperf_top_event_kind kind)
{
  static const struct reader_source nobody;
  const struct rtop_symbols *symbols = rtop_profile_symbols(rtop_session_profile(events->reader->session));
  const struct reader_source *source = stall->source < RTOP_SOURCES_MAX ? &events->sources[stall->source] : &nobody;
  struct rperf_top_event event = find_event(source, kind, stall->start_ns, stall->end_ns);
  char words[FIND_WORDS_BYTES], culprit[FIND_WORDS_BYTES];
  stall_words(stall, symbols, words, sizeof words);
  stall_culprit(stall, symbols, culprit, sizeof culprit);
  event.name = stall_cause_name(stall->cause);
  event.method = culprit;
  event.detail = words;
  event.serial = stall->id;
  event.length_ns = (uint64_t)(stall->end_ns - stall->start_ns);
  reader_event_add(events, &event);
}

/* Finds stalls that were withdrawn, such as that of a thread that seemed stuck but waited for work. */
static void find_taken_back(struct rperf_top_events *events, const struct reader_stall *open)
{
  static const struct reader_source nobody;
  const struct reader_source *source = open->source < RTOP_SOURCES_MAX ? &events->sources[open->source] : &nobody;
  struct rperf_top_event event = find_event(source, RPERF_TOP_STALL_ENDED, open->start_ns, open->end_ns);
  event.detail = "taken back: it was none";
  event.serial = open->id;
  reader_event_add(events, &event);
}

static const struct stall *find_stall(const struct rperf_top_events *events, uint64_t id)
{
  for (size_t i = events->stalls.count; i-- > 0;)
    if (events->stalls.list[i].id == id) return &events->stalls.list[i];
  return NULL;
}

static void find_ended_stalls(struct rperf_top_events *events)
{
  size_t kept = 0;
  for (size_t i = 0; i < events->open_count; i++) {
    struct reader_stall open = events->open[i];
    const struct stall *stall = find_stall(events, open.id);
    if (stall && stall->open) {
      open.end_ns = stall->end_ns;
      events->open[kept++] = open;
    } else if (stall) find_stall_event(events, stall, RPERF_TOP_STALL_ENDED);
    else find_taken_back(events, &open);
  }
  events->open_count = kept;
}

static void find_new_stalls(struct rperf_top_events *events)
{
  uint64_t seen = events->stalls_seen;
  for (size_t i = 0; i < events->stalls.count; i++) {
    const struct stall *stall = &events->stalls.list[i];
    if (stall->id <= seen || stall->cause == STALL_MARK) continue;
    find_stall_event(events, stall, RPERF_TOP_STALL);
    if (rtop_reserve(&events->open, &events->open_capacity, events->open_count + 1, sizeof *events->open))
      events->open[events->open_count++] =
          (struct reader_stall){ stall->id, stall->source, stall->start_ns, stall->end_ns };
  }
  events->stalls_seen = events->stalls.found;
}

static void find_stalls(struct rperf_top_events *events)
{
  const struct rtop_profile *profile = rtop_session_profile(events->reader->session);
  const struct stall_limits usual = STALL_LIMITS_USUAL;
  bool more = reader_events_want(events, RPERF_TOP_STALL) || reader_events_want(events, RPERF_TOP_STALL_ENDED);
  while (more) {
    more = stalls_update(&events->stalls, profile, rtop_profile_symbols(rtop_session_profile(events->reader->session)),
                         &usual);
    find_new_stalls(events);
    find_ended_stalls(events);
  }
}

void reader_find(struct rperf_top_events *events)
{
  const struct rtop_session *session = events->reader->session;
  find_sources(events);
  int64_t since_ns = INT64_MAX;
  for (int i = 0; i < rtop_session_count(session); i++)
    if (!events->sources[i].over && events->sources[i].seen_ns < since_ns) since_ns = events->sources[i].seen_ns;
  if (since_ns == INT64_MAX) return;
  rtop_profile_each(rtop_session_profile(events->reader->session), (struct rtop_span){ since_ns, INT64_MAX },
                    find_visit, events);
  if (reader_events_want(events, RPERF_TOP_MARK)) find_marks(events, since_ns);
  find_stalls(events);
  find_ended(events);
}

void reader_find_close(struct rperf_top_events *events)
{
  for (int i = 0; i < RTOP_SOURCES_MAX; i++) find_forget(&events->sources[i]);
  stalls_destroy(&events->stalls);
  free(events->open);
}
