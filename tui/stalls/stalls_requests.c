/* SPDX-License-Identifier: MIT */
/* Requests that took as long as the threshold, as stalls that have ended. Where their time went is looked for when no
 * windows are being visited, and once more later, since the stack of a long wait comes late. */
#include "stalls_impl.h"

#include "slow_look.h"

enum { REQUESTS_MAX = 256, REQUESTS_LOOKS = 16 };
static const int64_t requests_later_ns = INT64_C(1000000000);

/* Makes room: the oldest request goes. */
static void requests_bound(struct stalls *stalls)
{
  struct stall *oldest = NULL;
  size_t count = 0;
  for (size_t i = 0; i < stalls->count; i++) {
    struct stall *stall = &stalls->list[i];
    if (stall->cause != STALL_REQUEST) continue;
    if (!oldest || stall->end_ns < oldest->end_ns) oldest = stall;
    count++;
  }
  if (count >= REQUESTS_MAX) stalls_remove(stalls, oldest);
}

void stalls_look_at_requests(struct stalls_look *look, const struct rtop_look *window)
{
  for (size_t i = 0; look->limits->request_ns > 0 && i < window->slow_count; i++) {
    struct rtop_slow_call call = rtop_look_slow(window, i);
    struct rtop_source_thread thread;
    bool timed = call.total_ns <= (uint64_t)INT64_MAX / 4 && call.end_ns >= INT64_MIN / 4;
    if (call.own == 0 || !timed || call.total_ns < (uint64_t)look->limits->request_ns) continue;
    requests_bound(look->stalls);
    struct stall *stall = stalls_add(look->stalls, STALL_REQUEST, call.end_ns - (int64_t)call.total_ns, call.end_ns);
    if (!stall) return;
    bool known = call.serial && rtop_profile_thread_about(look->profile, window->source, call.serial, &thread);
    stall->source = window->source;
    stall->serial = call.serial;
    stall->thread = known ? thread.name : "";
    stall->request = call;
    stall->request.args = NULL; /* it would not live as long */
  }
}

static void requests_tell(struct stalls_look *look, struct stall *stall)
{
  struct slow_look found;
  /* The cast is harmless: for the caller the profile is unchanged. */
  struct rtop_profile *profile = (struct rtop_profile *)look->profile;
  stall->looks++;
  if (!slow_look(&found, profile, &look->state->ways, stall->source, &stall->request) || !found.node) return;
  /* "longest in" is said only if most of what was seen was there, and a good part of it was seen. */
  uint64_t whole_ns = stall->request.work_ns[found.cause];
  if (2 * found.there_ns < found.seen_ns || found.seen_ns < whole_ns / 4) return;
  stall->frame = found.frame;
  stall->caller = found.own;
  stall->node = found.node;
}

void stalls_look_into_requests(struct stalls_look *look, int64_t now_ns)
{
  int left = REQUESTS_LOOKS;
  for (size_t i = look->stalls->count; i-- > 0 && left > 0;) {
    struct stall *stall = &look->stalls->list[i];
    unsigned due = now_ns - stall->end_ns > requests_later_ns ? 2 : 1;
    if (stall->cause != STALL_REQUEST || stall->looks >= due) continue;
    stall->looks = due - 1;
    requests_tell(look, stall);
    left--;
  }
}

void stall_request_words(const struct stall *stall, const struct rtop_symbols *symbols, char *out, size_t bytes)
{
  slow_label_words(out, bytes, &stall->request, symbols);
}

bool stall_request_is_off_gvl(const struct stall *stall)
{
  enum rtop_work_cause cause = slow_largest(&stall->request);
  return stall->cause == STALL_REQUEST && cause >= RTOP_WORK_LOCK && cause != RTOP_WORK_FIBER;
}
