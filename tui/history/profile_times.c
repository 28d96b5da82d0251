/* Wall time per thread and state, for histories. */
#include "profile_impl.h"

#include <string.h>

uint32_t rtop_profile_thread_bound(const struct rtop_profile *profile)
{
  return profile->thread_count;
}

static void times_of_window(const struct profile_window *window, const struct profile_part *part,
                            uint64_t (*wall_ns)[RTOP_STATES], uint32_t count)
{
  for (size_t i = 0; i < window->cell_count; i++) {
    const struct profile_cell *cell = &window->cells[i];
    if (cell->thread < count) wall_ns[cell->thread][cell->state] += profile_part_share(part, cell->wall_ns);
  }
  for (size_t i = 0; i < window->thread_count; i++) {
    const struct profile_presence *presence = &window->threads[i];
    if (presence->thread < count)
      wall_ns[presence->thread][presence->state] += profile_part_share(part, presence->provisional_ns);
  }
}

bool rtop_profile_thread_times(const struct rtop_profile *profile, struct rtop_span span,
                               uint64_t (*wall_ns)[RTOP_STATES], uint32_t count)
{
  bool known = false;
  memset(wall_ns, 0, count * sizeof *wall_ns);
  for (size_t i = profile_find(profile, span.start_ns); i < profile->count; i++) {
    struct profile_window *window = profile_window_at(profile, i);
    struct profile_part part;
    if (window->start_ns >= span.end_ns) break;
    if (window->gap || !profile_part_of(window, &span, &part)) continue;
    profile_need((struct rtop_profile *)profile, window); /* to a caller the profile stays as it is */
    times_of_window(window, &part, wall_ns, count);
    known = true;
  }
  return known;
}
