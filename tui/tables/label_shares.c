/* SPDX-License-Identifier: MIT */
/* Time of one method by label set, window by window. */
#include "label_shares.h"

#include "tui/history/lens.h"
#include "tui/history/profile_each.h"
#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

enum { HOLDS_UNKNOWN, HOLDS_NOT, HOLDS };

struct walk {
  struct label_shares *shares;
  struct rtop_symbols *symbols;
  struct rtop_lens *lens;
  struct rtop_span span;
  uint32_t frame;
  enum rtop_mode mode;
  bool fine;
};

/* Is the method on the stack of this node? Walks up to the method or to a node with a known answer, and stores the
 * answer for the nodes in between. */
static bool holds(struct walk *walk, uint32_t node)
{
  struct label_shares *shares = walk->shares;
  size_t count = (size_t)rtop_symbols_node_count(walk->symbols) + 1; /* the lens may have made some */
  if (!rtop_reserve(&shares->holds, &shares->holds_capacity, count, 1)) {
    walk->fine = false;
    return false;
  }
  const struct rtop_call_node *call;
  uint32_t top = node;
  for (; top != 0 && shares->holds[top] == HOLDS_UNKNOWN; top = call->parent) {
    call = rtop_symbols_get_node(walk->symbols, top);
    if (call->frame == walk->frame) {
      shares->holds[top] = HOLDS;
      break;
    }
  }
  unsigned char answer = top != 0 ? shares->holds[top] : HOLDS_NOT;
  for (uint32_t at = node; at != top; at = rtop_symbols_get_node(walk->symbols, at)->parent) shares->holds[at] = answer;
  return answer == HOLDS;
}

static void add(struct walk *walk, uint32_t source, uint32_t thread, uint32_t node, uint64_t ns)
{
  struct label_shares *shares = walk->shares;
  uint32_t shown = rtop_lens_node(walk->lens, source, node);
  if (ns == 0 || shown == RTOP_LENS_OUT || (thread < shares->hidden_capacity && shares->hidden[thread]) ||
      !holds(walk, shown))
    return;
  uint32_t labels = rtop_symbols_get_node(walk->symbols, node)->labels;
  size_t frames = rtop_symbols_frame_count(walk->symbols);
  if (!rtop_reserve(&shares->ns, &shares->capacity, frames + 1, sizeof *shares->ns) ||
      !rtop_reserve(&shares->found, &shares->found_capacity, shares->found_count + 1, sizeof *shares->found)) {
    walk->fine = false;
    return;
  }
  if (shares->ns[labels] == 0) shares->found[shares->found_count++].labels = labels;
  shares->ns[labels] += ns;
  shares->all_ns += ns;
}

static void visit(void *context, const struct rtop_look *look)
{
  struct walk *walk = context;
  const struct rtop_lens_look *look_at = rtop_lens_look(walk->lens);
  bool cpu = walk->mode == RTOP_MODE_CPU;
  for (size_t i = 0; i < look->cell_count && walk->fine; i++) {
    struct rtop_look_cell cell = rtop_look_cell(look, i);
    if (!rtop_mode_counts(walk->mode, cell.state) || !rtop_lens_shows(look_at, cell.state)) continue;
    add(walk, look->source, cell.thread, cell.node,
        rtop_look_share(look, walk->span, cpu ? cell.cpu_ns : cell.wall_ns));
  }
  for (size_t i = 0; i < look->thread_count && !cpu && walk->fine; i++) {
    struct rtop_look_thread thread = rtop_look_thread(look, i);
    if (!rtop_mode_counts(walk->mode, thread.state) || !rtop_lens_shows(look_at, thread.state)) continue;
    add(walk, look->source, thread.thread, thread.node, rtop_look_share(look, walk->span, thread.provisional_ns));
  }
}

static bool hide(struct label_shares *shares, const struct rtop_sum *sum)
{
  if (shares->hidden_capacity > 0) memset(shares->hidden, 0, shares->hidden_capacity);
  for (size_t i = 0; i < sum->thread_count; i++) {
    uint32_t thread = sum->threads[i].thread;
    if (!rtop_reserve(&shares->hidden, &shares->hidden_capacity, (size_t)thread + 1, 1)) return false;
    shares->hidden[thread] = sum->threads[i].hidden;
  }
  return true;
}

static int by_ns(const void *left, const void *right)
{
  const struct label_share *a = left, *b = right;
  if (a->ns != b->ns) return a->ns > b->ns ? -1 : 1;
  return a->labels < b->labels ? -1 : a->labels > b->labels;
}

static void keep_largest(struct label_shares *shares)
{
  for (size_t i = 0; i < shares->found_count; i++) {
    struct label_share *found = &shares->found[i];
    found->ns = shares->ns[found->labels];
    shares->ns[found->labels] = 0;
  }
  if (shares->found_count > 1) qsort(shares->found, shares->found_count, sizeof *shares->found, by_ns);
  bool all = shares->found_count <= LABEL_SHARES_MAX;
  shares->count = all ? (int)shares->found_count : LABEL_SHARES_MAX;
  shares->more = all ? 0 : (int)(shares->found_count - LABEL_SHARES_MAX);
  if (shares->count > 0) memcpy(shares->row, shares->found, (size_t)shares->count * sizeof *shares->row);
}

bool label_shares_build(struct label_shares *shares, struct rtop_profile *profile, const struct rtop_sum *sum,
                        uint32_t frame, enum rtop_mode mode)
{
  struct walk walk = {
    shares, rtop_profile_symbols(profile), rtop_profile_lens(profile), sum->span, frame, mode, true
  };
  shares->cut = walk.span.end_ns - walk.span.start_ns > LABEL_SHARES_SPAN_NS;
  walk.span.start_ns = shares->cut ? walk.span.end_ns - LABEL_SHARES_SPAN_NS : walk.span.start_ns;
  shares->found_count = 0;
  shares->all_ns = 0;
  if (shares->holds_capacity > 0) memset(shares->holds, 0, shares->holds_capacity);
  walk.fine = hide(shares, sum);
  if (walk.fine) rtop_profile_each(profile, walk.span, visit, &walk);
  keep_largest(shares);
  return walk.fine;
}

bool label_shares_any(const struct label_shares *shares)
{
  return shares->count > 1 || (shares->count == 1 && shares->row[0].labels != 0);
}

void label_shares_destroy(struct label_shares *shares)
{
  free(shares->ns);
  free(shares->found);
  free(shares->holds);
  free(shares->hidden);
  *shares = (struct label_shares){ 0 };
}
