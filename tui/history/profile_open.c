/* Blame of calls that go on: nobody has told of it yet. */
#include "profile_impl.h"

#define OPEN_LONGEST_NS INT64_C(60000000000)

static bool open_holds(uint32_t state)
{
  return state == RTOP_STATE_RUNNING || state == RTOP_STATE_MARKING || state == RTOP_STATE_SWEEPING;
}

static bool open_is(const struct rtop_thread_row *row)
{
  return row->stale && !row->ended && open_holds(row->state);
}

/* Since when, within the span; its end: no call goes on. */
static int64_t open_since(const struct rtop_sum *sum)
{
  int64_t since_ns = sum->span.end_ns, first_ns = sum->span.start_ns;
  if (first_ns < sum->span.end_ns - OPEN_LONGEST_NS) first_ns = sum->span.end_ns - OPEN_LONGEST_NS;
  for (size_t i = 0; i < sum->thread_count; i++) {
    const struct rtop_thread_row *row = &sum->threads[i];
    if (!open_is(row)) continue;
    bool before = row->stack_age_ns >= (uint64_t)(sum->span.end_ns - first_ns);
    int64_t row_ns = before ? first_ns : sum->span.end_ns - (int64_t)row->stack_age_ns;
    since_ns = row_ns < since_ns ? row_ns : since_ns;
  }
  return since_ns;
}

/* Waiting that nobody was blamed for, by the time that the GVL was held and no stack is known of. */
struct open_window {
  uint64_t left_ns, held_ns;
};

static struct open_window open_of(const struct profile_window *window)
{
  struct open_window open = { .left_ns = window->wall_ns[RTOP_STATE_WAITING] };
  uint64_t told_ns = 0;
  for (size_t i = 0; i < window->cell_count; i++) told_ns += window->cells[i].blame_ns;
  for (size_t i = 0; i < window->unsampled_count; i++)
    open.held_ns += open_holds(window->cells[i].state) ? window->cells[i].wall_ns : 0;
  open.left_ns = told_ns < open.left_ns ? open.left_ns - told_ns : 0;
  return open;
}

static void open_share_out(const struct rtop_profile *profile, struct rtop_sum *sum,
                           const struct profile_window *window, const struct profile_part *part)
{
  struct open_window open = open_of(window);
  for (size_t i = 0; i < window->unsampled_count && open.left_ns > 0 && open.held_ns > 0; i++) {
    const struct profile_cell *cell = &window->cells[i];
    const struct profile_thread *thread = profile_thread_at(profile, cell->thread);
    if (!open_holds(cell->state) || !thread || !thread->row || !open_is(&sum->threads[thread->row - 1])) continue;
    uint64_t blame_ns = (uint64_t)((unsigned __int128)open.left_ns * cell->wall_ns / open.held_ns);
    blame_ns = profile_part_share(part, blame_ns);
    sum->threads[thread->row - 1].cost.blame_ns += blame_ns;
    sum->total.blame_ns += blame_ns;
  }
}

void rtop_profile_open_blame(const struct rtop_profile *profile, struct rtop_sum *sum)
{
  int64_t since_ns = open_since(sum);
  if (since_ns >= sum->span.end_ns) return;
  for (size_t i = 0; i < sum->thread_count; i++) {
    struct profile_thread *thread = profile_thread_at(profile, sum->threads[i].thread);
    if (thread) thread->row = (uint32_t)i + 1;
  }
  for (size_t i = profile_find(profile, since_ns); i < profile->count; i++) {
    struct profile_window *window = profile_window_at(profile, i);
    struct profile_part part;
    if (window->start_ns >= sum->span.end_ns) break;
    if (window->gap || window->end_ns <= since_ns || !profile_part_of(window, &sum->span, &part)) continue;
    profile_need((struct rtop_profile *)profile, window); /* to a caller the profile stays as it is */
    open_share_out(profile, sum, window, &part);
  }
  for (size_t i = 0; i < sum->thread_count; i++) {
    struct profile_thread *thread = profile_thread_at(profile, sum->threads[i].thread);
    if (thread) thread->row = 0;
  }
}
