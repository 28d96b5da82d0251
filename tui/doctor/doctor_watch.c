/* SPDX-License-Identifier: MIT */
/* A session of everybody that only looks. */
#include "doctor_watch.h"

#include "shm/base/error.h"
#include "tui/feed/session.h"
#include <stdlib.h>

enum { WATCH_KEEP_SECONDS = 75 }; /* work and stalls of a minute */
static const int64_t second_ns = INT64_C(1000000000);

struct doctor_watch {
  struct rtop_session *session; /* NULL: nobody is there */
  struct stalls stalls;
  struct doctor doctor;
};

static void watch_keep(void *context, struct rtop_symbols *symbols)
{
  const struct doctor_watch *watch = context;
  stalls_keep(&watch->stalls, symbols);
  doctor_keep(&watch->doctor, symbols);
}

struct doctor_watch *doctor_watch_create(void)
{
  return calloc(1, sizeof(struct doctor_watch));
}

static void watch_open(struct doctor_watch *watch)
{
  static const char *const everybody[] = { "all" };
  const struct rtop_lens_look plain = { 0 };
  struct rtop_error error = { 0 };
  int status;
  const struct rtop_session_wish wish = {
    .names = everybody,
    .name_count = 1,
    .rate_hz = RTOP_FEED_LOOKS,
    .memory_bytes = RTOP_SESSION_MEMORY_BYTES,
    .keep_ns = WATCH_KEEP_SECONDS * second_ns,
    .lens = &plain,
    .skips_past = true,
    .but_ns = 2 * DOCTOR_WATCH_SECONDS * second_ns,
    .alone = true,
  };
  watch->session = rtop_session_begin(&wish, &status, &error);
  if (watch->session)
    rtop_profile_add_keeper(rtop_session_profile(watch->session), &(struct rtop_profile_keeper){ watch, watch_keep });
}

/* Closes the session when no process is left: a new one starts with free indexes and memory. */
static void watch_close(struct doctor_watch *watch)
{
  doctor_destroy(&watch->doctor);
  stalls_destroy(&watch->stalls);
  rtop_session_close(&watch->session);
}

void doctor_watch_destroy(struct doctor_watch **watch)
{
  if (*watch) watch_close(*watch);
  free(*watch);
  *watch = NULL;
}

void doctor_watch_look(struct doctor_watch *watch)
{
  const struct stall_limits usual = STALL_LIMITS_USUAL;
  if (watch->session && rtop_session_state(watch->session) != RTOP_FEED_LIVE &&
      rtop_session_state(watch->session) != RTOP_FEED_STALLED)
    watch_close(watch);
  if (!watch->session) watch_open(watch);
  if (!watch->session) return;
  rtop_session_poll(watch->session); /* polls once only: with many processes there are always new windows */
  struct rtop_profile *profile = rtop_session_profile(watch->session);
  while (stalls_update(&watch->stalls, profile, rtop_profile_symbols(profile), &usual))
    ;
  doctor_update(&watch->doctor,
                &(struct doctor_look){ .profile = profile,
                                       .span = rtop_profile_last(profile, DOCTOR_WATCH_SECONDS * second_ns),
                                       .stalls = &watch->stalls,
                                       .sources = (uint32_t)rtop_session_count(watch->session) });
}

const struct doctor_process *doctor_watch_of(const struct doctor_watch *watch, pid_t pid)
{
  const struct rtop_session *session = watch->session;
  for (int i = 0; session && i < rtop_session_count(session); i++)
    if (rtop_session_info(session, i)->pid == pid && rtop_session_feed_state(session, i) == RTOP_FEED_LIVE)
      return doctor_of(&watch->doctor, (uint32_t)i);
  return NULL;
}

const struct rtop_symbols *doctor_watch_symbols(const struct doctor_watch *watch)
{
  return watch->session ? rtop_profile_symbols(rtop_session_profile(watch->session)) : NULL;
}
