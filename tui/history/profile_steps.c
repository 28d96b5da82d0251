/* Walking through time: from window to window, whatever their lengths, over gaps. */
#include "profile_impl.h"

enum { STEPS_HOLE_NS = 10000000 }; /* a smaller one is rounding */

/* Position of the first window that starts at `time_ns` or later. */
static size_t steps_upper(const struct rtop_profile *profile, int64_t time_ns)
{
  size_t low = 0, high = profile->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (profile_window_at(profile, middle)->start_ns < time_ns) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Windows of all sources are interleaved: the next one of a source is never farther than this. */
static size_t steps_reach(const struct rtop_profile *profile)
{
  return (size_t)profile->source_count * 4 + 16;
}

static bool steps_better(const struct profile_window *window, const struct profile_window *than)
{
  if (!than || window->gap != than->gap) return !than || than->gap;
  return window->source < than->source;
}

/* Position of the window that holds the instant before `time_ns`: of the first source that has one, a gap
 * only where nothing else is known. Between windows: the one before. count: there is no window at all. */
static size_t steps_find(const struct rtop_profile *profile, int64_t time_ns)
{
  size_t upper = steps_upper(profile, time_ns), reach = steps_reach(profile), best = profile->count;
  const struct profile_window *chosen = NULL;
  size_t before = upper ? upper - 1 : 0;
  for (size_t i = upper; i-- > 0 && upper - i <= reach;) {
    const struct profile_window *window = profile_window_at(profile, i);
    if (window->end_ns > profile_window_at(profile, before)->end_ns) before = i;
    if (window->end_ns >= time_ns && steps_better(window, chosen)) {
      chosen = window;
      best = i;
    }
  }
  return profile->count && best == profile->count ? before : best;
}

static struct rtop_span steps_span(const struct rtop_profile *profile, size_t position)
{
  if (position >= profile->count) return (struct rtop_span){ 0, 0 };
  const struct profile_window *window = profile_window_at(profile, position);
  return (struct rtop_span){ window->start_ns, window->end_ns };
}

struct rtop_span rtop_profile_window_of(const struct rtop_profile *profile, int64_t time_ns)
{
  return steps_span(profile, steps_find(profile, time_ns));
}

/* The neighbour that is no gap: of the same source while it goes on, else of any. Stays where there is
 * none. */
static size_t steps_next(const struct rtop_profile *profile, size_t from)
{
  const struct profile_window *here = profile_window_at(profile, from);
  size_t reach = steps_reach(profile);
  for (size_t i = from + 1; i < profile->count && i - from <= reach; i++) {
    const struct profile_window *window = profile_window_at(profile, i);
    if (window->source != here->source) continue;
    if (window->gap || window->start_ns - here->end_ns > STEPS_HOLE_NS) break;
    return i;
  }
  for (size_t i = from + 1; i < profile->count; i++) {
    const struct profile_window *window = profile_window_at(profile, i);
    if (!window->gap && profile_middle(window) >= here->end_ns) return steps_find(profile, window->end_ns);
  }
  return from;
}

static size_t steps_previous(const struct rtop_profile *profile, size_t from)
{
  const struct profile_window *here = profile_window_at(profile, from);
  size_t reach = steps_reach(profile);
  for (size_t i = from; i-- > 0 && from - i <= reach;) {
    const struct profile_window *window = profile_window_at(profile, i);
    if (window->source != here->source) continue;
    if (window->gap || here->start_ns - window->end_ns > STEPS_HOLE_NS) break;
    return i;
  }
  for (size_t i = from; i-- > 0;) {
    const struct profile_window *window = profile_window_at(profile, i);
    if (!window->gap && profile_middle(window) < here->start_ns) return steps_find(profile, window->end_ns);
  }
  return from;
}

struct rtop_span rtop_profile_step(const struct rtop_profile *profile, int64_t time_ns, int steps)
{
  size_t at = steps_find(profile, time_ns);
  if (at >= profile->count) return (struct rtop_span){ 0, 0 };
  for (; steps > 0; steps--) at = steps_next(profile, at);
  for (; steps < 0; steps++) at = steps_previous(profile, at);
  return steps_span(profile, at);
}
