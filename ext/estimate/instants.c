/* SPDX-License-Identifier: MIT */
/* Draws sampling instants, and distinguishes late wake-ups of the timer thread from usual ones. */
#include "instants.h"

#include "ext/base/draw.h"

enum { WAKE_UPS_A_LOOK = 8, STILL_USUAL_NS = 4000, TOO_LATE_NS = 50000, ALIKE = 16, WHOLE = 1 << 16 };

static int64_t next_distance(struct instants *instants, int64_t period_ns)
{
  if (instants->alike_left == 0) {
    instants->alike_left = ALIKE;
    instants->share = draw_ns(&instants->random, WHOLE * 3 / 4, WHOLE / 2);
  }
  instants->alike_left--;
  return period_ns * instants->share / WHOLE;
}

/* Moves next_ns to the first instant after now_ns. Returns the number of instants that were skipped between the old
 * next_ns and the new one. */
static uint64_t go_on(struct instants *instants, int64_t now_ns, int64_t period_ns)
{
  int64_t periods = (now_ns - instants->next_ns) / period_ns;
  uint64_t left_out = 0;
  /* Distances repeat in runs of ALIKE, so after that many periods the next instant is already random: longer gaps are
   * cut short. */
  if (periods > ALIKE) {
    left_out = (uint64_t)(periods - ALIKE);
    instants->next_ns += (periods - ALIKE) * period_ns;
  }
  for (;; left_out++) {
    instants->next_ns += next_distance(instants, period_ns);
    if (instants->next_ns > now_ns) return left_out;
  }
}

void instants_begin(struct instants *instants, int64_t now_ns, int64_t period_ns)
{
  if (!instants->random) instants->random = (uint32_t)now_ns | 1;
  instants->next_ns = draw_ns(&instants->random, now_ns, period_ns);
}

static int64_t third_quartile(const struct instants *instants)
{
  int64_t sorted[INSTANTS_DELAYS];
  uint32_t count = instants->wake_ups < INSTANTS_DELAYS ? instants->wake_ups : INSTANTS_DELAYS;
  if (count < 2) return 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t at = i;
    for (; at > 0 && sorted[at - 1] > instants->delays_ns[i]; at--) sorted[at] = sorted[at - 1];
    sorted[at] = instants->delays_ns[i];
  }
  return sorted[count * 3 / 4 - 1];
}

/* Recomputes the usual delay every few wake-ups, because a machine may be busy only for a while. */
static void learn_delay(struct instants *instants, int64_t delay_ns)
{
  instants->delays_ns[instants->wake_ups % INSTANTS_DELAYS] = delay_ns;
  if (++instants->wake_ups == 2 * INSTANTS_DELAYS) instants->wake_ups = INSTANTS_DELAYS;
  if (instants->wake_ups % WAKE_UPS_A_LOOK == 0) instants->usual_delay_ns = third_quartile(instants) + STILL_USUAL_NS;
}

int64_t instants_pass(struct instants *instants, int64_t now_ns, int64_t period_ns, bool woken)
{
  int64_t usual = instants->wake_ups < WAKE_UPS_A_LOOK ? now_ns : instants->next_ns + instants->usual_delay_ns;
  if (woken) learn_delay(instants, now_ns - instants->next_ns);
  bool too_late = woken && now_ns - usual > TOO_LATE_NS;
  uint64_t left_out = go_on(instants, now_ns, period_ns);
  instants->passed += left_out + 1;
  instants->missed += left_out + too_late;
  return too_late ? 0 : now_ns < usual ? now_ns : usual;
}

void instants_skip(struct instants *instants, int64_t now_ns, int64_t period_ns)
{
  if (instants->next_ns <= now_ns) go_on(instants, now_ns, period_ns);
}
