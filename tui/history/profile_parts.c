/* Which part of a window a span gets. Short windows count whole when their middle lies in the span. Of a
 * long one (merged from many) the span gets its share of every number, rounded so that the shares of spans
 * side by side add up to the window: no jump where windows of different length meet.
 */
#include "profile_impl.h"

bool profile_part_of(const struct profile_window *window, const struct rtop_span *span, struct profile_part *part)
{
  int64_t length_ns = window->end_ns - window->start_ns, middle_ns = profile_middle(window);
  *part = (struct profile_part){ .from_ns = 0, .to_ns = length_ns, .length_ns = length_ns };
  if (!window->gap && length_ns <= PROFILE_WHOLE_NS) return middle_ns >= span->start_ns && middle_ns < span->end_ns;
  if (span->start_ns > window->start_ns) part->from_ns = span->start_ns - window->start_ns;
  if (span->end_ns < window->end_ns) part->to_ns = span->end_ns - window->start_ns;
  return part->from_ns < part->to_ns;
}

static uint64_t part_below(uint64_t value, int64_t at_ns, int64_t length_ns)
{
  return (uint64_t)((unsigned __int128)value * (uint64_t)at_ns / (uint64_t)length_ns);
}

uint64_t profile_part_share(const struct profile_part *part, uint64_t value)
{
  if (profile_part_is_whole(part)) return value;
  return part_below(value, part->to_ns, part->length_ns) - part_below(value, part->from_ns, part->length_ns);
}

struct profile_cell profile_part_cell(const struct profile_part *part, const struct profile_cell *cell)
{
  struct profile_cell share = *cell;
  share.samples = (uint32_t)profile_part_share(part, cell->samples);
  share.wall_ns = profile_part_share(part, cell->wall_ns);
  share.cpu_ns = profile_part_share(part, cell->cpu_ns);
  share.allocations = profile_part_share(part, cell->allocations);
  share.blame_ns = profile_part_share(part, cell->blame_ns);
  return share;
}
