/* SPDX-License-Identifier: MIT */
/* Opens, follows and closes readers, and lists their processes. */
#include "reader_impl.h"

#include "shm/base/clock.h"
#include "shm/base/version.h"
#include "shm/channel/control.h"
#include "tui/text/regexp.h"
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READER_PATTERN_BYTES = 256 };
#define READER_MEMORY_MIN (UINT64_C(4) << 20)
#define READER_MEMORY_MAX (UINT64_C(1) << 30)

const char *rperf_top_version(void)
{
  return RPERF_TOP_VERSION;
}

/* ---- errors and arguments --------------------------------------------------------------------------- */

void reader_fail(struct rperf_top_error *error, const struct rtop_error *why)
{
  static const enum rperf_top_error_code codes[] = {
    [RTOP_ERROR_NONE] = RPERF_TOP_ERROR_NONE,
    [RTOP_ERROR_SYSTEM] = RPERF_TOP_ERROR_SYSTEM,
    [RTOP_ERROR_NO_SPACE] = RPERF_TOP_ERROR_SYSTEM,
    [RTOP_ERROR_NOT_FOUND] = RPERF_TOP_ERROR_NOT_FOUND,
    [RTOP_ERROR_PERMISSION] = RPERF_TOP_ERROR_PERMISSION,
    [RTOP_ERROR_UNSAFE] = RPERF_TOP_ERROR_UNSAFE,
    [RTOP_ERROR_VERSION] = RPERF_TOP_ERROR_VERSION,
    [RTOP_ERROR_CORRUPT] = RPERF_TOP_ERROR_CORRUPT,
    [RTOP_ERROR_LIMIT] = RPERF_TOP_ERROR_LIMIT,
  };
  if (!error) return;
  *error = (struct rperf_top_error){ .code = (int32_t)codes[why->code], .errno_value = why->errno_value };
  snprintf(error->text, sizeof error->text, "%s", why->text);
}

void reader_refuse(struct rperf_top_error *error, enum rperf_top_error_code code, const char *format, ...)
{
  va_list arguments;
  if (!error) return;
  *error = (struct rperf_top_error){ .code = (int32_t)code };
  if (code == RPERF_TOP_ERROR_SYSTEM) error->errno_value = ENOMEM;
  va_start(arguments, format);
  vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
}

bool reader_take(void *to, size_t bytes, const void *from, struct rperf_top_error *error)
{
  size_t size = 0;
  memset(to, 0, bytes);
  if (!from) return true;
  memcpy(&size, from, sizeof size);
  if (size < sizeof size || size > 65536) {
    reader_refuse(error, RPERF_TOP_ERROR_ARGUMENT, "the member `size` must be the size of the structure");
    return false;
  }
  memcpy(to, from, size < bytes ? size : bytes);
  return true;
}

bool reader_pattern_open(struct reader_pattern *pattern, const char *text, struct rperf_top_error *error)
{
  char why[READER_PATTERN_BYTES];
  *pattern = (struct reader_pattern){ 0 };
  if (!text) return true;
  pattern->invert = *text == '!';
  int code = rtop_regexp_compile(&pattern->compiled, text + pattern->invert);
  pattern->used = code == 0;
  if (code == 0) return true;
  if (code == REG_ESPACE) snprintf(why, sizeof why, "too large with its repetitions written out");
  else regerror(code, &pattern->compiled, why, sizeof why);
  reader_refuse(error, RPERF_TOP_ERROR_ARGUMENT, "'%.100s': %.180s", text, why);
  return false;
}

void reader_pattern_close(struct reader_pattern *pattern)
{
  if (pattern->used) regfree(&pattern->compiled);
  pattern->used = false;
}

/* ---- opening ---------------------------------------------------------------------------------------- */

static bool reader_options_fine(const struct rperf_top_options *options, struct rperf_top_error *error)
{
  const char *why = NULL;
  if (options->pid_count + options->name_count == 0) why = "there is nothing to follow: neither pids nor names";
  else if (options->pid_count > RTOP_SESSION_FEEDS_MAX || options->name_count > READER_NAMES_MAX)
    why = "too many processes or names";
  else if (options->rate_hz > RTOP_RATE_HZ_MAX) why = "a rate is 10000 Hz at most";
  else if (options->memory_bytes &&
           (options->memory_bytes < READER_MEMORY_MIN || options->memory_bytes > READER_MEMORY_MAX))
    why = "memory for history is 4 MB at least and 1 GB at most";
  for (size_t i = 0; !why && i < options->pid_count; i++)
    if (options->pids[i] <= 0) why = "a process has a positive number";
    else if (options->pids[i] == getpid()) why = "a process cannot follow itself";
  for (size_t i = 0; !why && i < options->name_count; i++)
    if (!options->names[i] || !*options->names[i]) why = "a name is not empty";
  if (why) reader_refuse(error, RPERF_TOP_ERROR_ARGUMENT, "%s", why);
  return !why;
}

static bool reader_take_names(struct rperf_top_reader *reader, const struct rperf_top_options *options)
{
  for (size_t i = 0; i < options->name_count; i++) {
    char *name = strdup(options->names[i]);
    if (!name) return false;
    reader->names[reader->name_count++] = name;
  }
  return true;
}

static void reader_keep(void *context, struct rtop_symbols *symbols)
{
  reader_events_keep(context, symbols);
}

static bool reader_begin(struct rperf_top_reader *reader, const struct rperf_top_options *options,
                         struct rperf_top_error *error)
{
  static const struct rtop_lens_look as_it_is;
  struct rtop_error why = { 0 };
  int status;
  struct rtop_session_wish wish = {
    .pids = options->pids,
    .pid_count = (int)options->pid_count,
    .names = (const char *const *)reader->names,
    .name_count = reader->name_count,
    .rate_hz = options->rate_hz,
    .memory_bytes = options->memory_bytes ? options->memory_bytes : RTOP_SESSION_MEMORY_BYTES,
    .lens = &as_it_is,
    .skips_past = options->flags & RPERF_TOP_FROM_NOW,
    .alone = options->flags & RPERF_TOP_ALONE,
  };
  reader->session = rtop_session_begin(&wish, &status, &why);
  if (!reader->session) reader_fail(error, &why);
  return reader->session && rtop_profile_add_keeper(rtop_session_profile(reader->session),
                                                    &(struct rtop_profile_keeper){ reader, reader_keep });
}

struct rperf_top_reader *rperf_top_open(const struct rperf_top_options *given, struct rperf_top_error *error)
{
  struct rperf_top_options options;
  if (error) *error = (struct rperf_top_error){ 0 };
  if (!reader_take(&options, sizeof options, given, error) || !reader_options_fine(&options, error)) return NULL;
  struct rperf_top_reader *reader = calloc(1, sizeof *reader);
  if (!reader || !reader_take_names(reader, &options)) reader_refuse(error, RPERF_TOP_ERROR_SYSTEM, "out of memory");
  else if (reader_begin(reader, &options, error)) return reader;
  rperf_top_close(reader);
  return NULL;
}

void rperf_top_close(struct rperf_top_reader *reader)
{
  if (!reader) return;
  for (int i = 0; i < READER_SUBSCRIPTIONS_MAX; i++) rperf_top_unsubscribe(reader->subscriptions[i]);
  rtop_session_close(&reader->session);
  for (int i = 0; i < reader->name_count; i++) free(reader->names[i]);
  free(reader);
}

/* ---- following -------------------------------------------------------------------------------------- */

int64_t rperf_top_poll(struct rperf_top_reader *reader)
{
  size_t moved = rtop_session_poll(reader->session);
  reader->polled = true;
  reader_events_poll(reader);
  return (int64_t)moved;
}

bool rperf_top_over(const struct rperf_top_reader *reader)
{
  return reader->polled && rtop_session_over(reader->session);
}

int64_t rperf_top_wait(struct rperf_top_reader *reader, int64_t milliseconds)
{
  int64_t begun_ms = clock_now_ms();
  for (;;) {
    int64_t moved = rperf_top_poll(reader), waited_ms = clock_now_ms() - begun_ms;
    if (moved > 0) return moved;
    if (rperf_top_over(reader)) return -1;
    int64_t pause_ms = rtop_session_wait_ms(reader->session);
    if (milliseconds >= 0 && milliseconds - waited_ms < pause_ms) pause_ms = milliseconds - waited_ms;
    if (milliseconds >= 0 && pause_ms <= 0) return 0;
    if (poll(NULL, 0, pause_ms > 0 ? (int)pause_ms : 1) != 0) return 0;
  }
}

const char *rperf_top_problem(const struct rperf_top_reader *reader)
{
  const char *problem = rtop_session_problem(reader->session);
  if (!problem) problem = rtop_session_left_out(reader->session, 0);
  return problem ? problem : "";
}

size_t rperf_top_process_count(const struct rperf_top_reader *reader)
{
  return (size_t)rtop_session_count(reader->session);
}

const struct rperf_top_process *rperf_top_process_get(struct rperf_top_reader *reader, size_t index)
{
  if (index >= rperf_top_process_count(reader)) return NULL;
  int place = (int)index;
  const struct rtop_feed_info *info = rtop_session_info(reader->session, place);
  struct rtop_feed_end end;
  bool ended = rtop_session_feed_end(reader->session, place, &end);
  snprintf(reader->ends[place], READER_END_BYTES, "%s", ended ? end.text : "");
  reader->processes[place] = (struct rperf_top_process){
    .pid = info->pid,
    .parent = rtop_session_feed_parent(reader->session, place),
    .uid = info->owner,
    .state = (uint32_t)rtop_session_feed_state(reader->session, place),
    .user = "",
    .ruby = info->ruby,
    .command = info->command,
    .end = reader->ends[place],
    .does = "",
  };
  return &reader->processes[place];
}

int64_t rperf_top_clock_offset_ns(const struct rperf_top_reader *reader)
{
  return rtop_session_clock_offset_ns(reader->session);
}

void rperf_top_last(const struct rperf_top_reader *reader, int64_t length_ns, struct rperf_top_span *span)
{
  struct rtop_span last = rtop_profile_last(rtop_session_profile(reader->session), length_ns);
  *span = (struct rperf_top_span){ last.start_ns, last.end_ns };
}

static_assert((int)RPERF_TOP_LIVE == RTOP_FEED_LIVE && (int)RPERF_TOP_STALLED == RTOP_FEED_STALLED &&
                  (int)RPERF_TOP_ENDED == RTOP_FEED_ENDED && (int)RPERF_TOP_DEAD == RTOP_FEED_DEAD,
              "states of processes");
