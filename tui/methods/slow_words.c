/* SPDX-License-Identifier: MIT */
/* Says what a slow block did, and where. */
#include "slow_words.h"

#include "tui/text/text.h"
#include "work_figures.h"

/* Minimum share of a holder that is named (per cent). */
enum { SLOW_LEAST_PERCENT = 5 };

void slow_causes_words(char *out, size_t bytes, const struct rtop_slow_call *block)
{
  work_causes_words(out, bytes, block->work_ns, block->total_ns);
}

static void slow_share(struct phrase *text, uint64_t there_ns, uint64_t seen_ns)
{
  double percent = seen_ns ? 100 * (double)there_ns / (double)seen_ns : 0;
  if (percent < 99.5) phrase_add(text, " (%.0f%%)", percent);
}

static void slow_add_holder(struct phrase *text, const char *what, const struct slow_holder *holder,
                            const struct rtop_symbols *symbols)
{
  phrase_add(text, "; %s held by %s", what, holder->thread[0] ? holder->thread : "a thread without a name");
  if (holder->frame) phrase_add(text, " in %s", rtop_symbols_get(symbols, holder->frame)->label);
  slow_share(text, holder->there_ns, holder->seen_ns);
}

static bool slow_matters(const struct rtop_slow_call *block, enum rtop_work_cause cause)
{
  return 100 * (double)block->work_ns[cause] >= SLOW_LEAST_PERCENT * (double)block->total_ns;
}

void slow_where_words(char *out, size_t bytes, const struct slow_look *look, const struct rtop_slow_call *block,
                      const struct rtop_symbols *symbols)
{
  struct phrase text = { out, bytes, 0 };
  if (look->cause == RTOP_WORK_FIBER) {
    phrase_add(&text, "its thread ran other fibers, or all its fibers waited");
  } else if (look->node == 0) {
    phrase_add(&text, "%s: no stack was seen meanwhile", work_cause_title(look->cause));
  } else {
    phrase_add(&text, "%s in %s", work_cause_title(look->cause), rtop_symbols_get(symbols, look->frame)->label);
    if (look->own) phrase_add(&text, " < %s", rtop_symbols_get(symbols, look->own)->label);
    slow_share(&text, look->there_ns, look->seen_ns);
  }
  if (look->gvl.seen_ns && slow_matters(block, RTOP_WORK_GVL)) slow_add_holder(&text, "GVL", &look->gvl, symbols);
  if (look->lock.seen_ns && slow_matters(block, RTOP_WORK_LOCK)) slow_add_holder(&text, "lock", &look->lock, symbols);
}
