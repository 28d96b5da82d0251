/* Draws the instants, and tells late wake-ups from usual ones. */
#include "instants.h"

#include "ext/base/draw.h"

enum { WAKE_UPS_A_LOOK = 8, STILL_USUAL_NS = 4000, TOO_LATE_NS = 50000 };

static void begin_slot(struct instants *instants, int64_t slot_ns, int64_t period_ns)
{
  instants->next_ns = draw_ns(&instants->random, slot_ns, period_ns);
  instants->slot_end_ns = slot_ns + period_ns;
}

/* Periods that ended by now_ns. Where it stands is of the period that was asked for then. */
static int64_t slots_ended(const struct instants *instants, int64_t now_ns, int64_t period_ns)
{
  return now_ns < instants->slot_end_ns ? 0 : 1 + (now_ns - instants->slot_end_ns) / period_ns;
}

void instants_begin(struct instants *instants, int64_t now_ns, int64_t period_ns)
{
  if (!instants->random) instants->random = (uint32_t)now_ns | 1;
  begin_slot(instants, now_ns, period_ns);
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

/* Now and then: where the cores are busy it may be so for a while. */
static void learn_delay(struct instants *instants, int64_t delay_ns)
{
  instants->delays_ns[instants->wake_ups % INSTANTS_DELAYS] = delay_ns;
  if (++instants->wake_ups == 2 * INSTANTS_DELAYS) instants->wake_ups = INSTANTS_DELAYS;
  if (instants->wake_ups % WAKE_UPS_A_LOOK == 0) instants->usual_delay_ns = third_quartile(instants) + STILL_USUAL_NS;
}

int64_t instants_pass(struct instants *instants, int64_t now_ns, int64_t period_ns, bool woken)
{
  int64_t usual = instants->next_ns + instants->usual_delay_ns, ended = slots_ended(instants, now_ns, period_ns);
  if (instants->wake_ups < WAKE_UPS_A_LOOK) usual = now_ns;
  if (woken) learn_delay(instants, now_ns - instants->next_ns);
  instants->passed += (uint64_t)ended + 1;
  instants->missed += (uint64_t)ended;
  begin_slot(instants, instants->slot_end_ns + ended * period_ns, period_ns);
  bool too_late = woken && now_ns - usual > TOO_LATE_NS;
  instants->missed += too_late;
  return too_late ? 0 : now_ns < usual ? now_ns : usual;
}

void instants_skip(struct instants *instants, int64_t now_ns, int64_t period_ns)
{
  int64_t ended = slots_ended(instants, now_ns, period_ns);
  if (ended) begin_slot(instants, instants->slot_end_ns + (ended - 1) * period_ns, period_ns);
  if (instants->next_ns <= now_ns) begin_slot(instants, instants->slot_end_ns, period_ns);
}
