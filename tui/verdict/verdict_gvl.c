/* SPDX-License-Identifier: MIT */
/* How long the GVL was held, by which threads, and which threads waited: the same figures for header,
   graphs and JSON. */
#include "verdict_impl.h"
#include "tui/stalls/wait_holder.h"

struct verdict_thread verdict_thread_of(const struct rtop_thread_row *row)
{
  return (struct verdict_thread){
    .known = true,
    .is_main = row->is_main,
    .name = row->name,
    .source = row->source,
    .native_id = row->native_id,
    .serial = row->serial,
  };
}

/* Returns the reported time of one process or all, and whether any process was credited with more than a
   single GVL allows. */
static uint64_t gvl_told(const struct rtop_sum *sum, struct rtop_profile *profile, uint32_t source,
                         struct verdict_gvl *gvl)
{
  uint32_t seen[VERDICT_SOURCES_MAX];
  uint64_t told_ns = 0, held_ns[VERDICT_SOURCES_MAX] = { 0 };
  for (size_t i = 0; i < sum->thread_count; i++) {
    const struct rtop_thread_row *row = &sum->threads[i];
    unsigned at = 0;
    if (source != VERDICT_ALL_SOURCES && row->source != source) continue;
    while (at < gvl->count && seen[at] != row->source) at++;
    if (at == VERDICT_SOURCES_MAX) continue;
    if (at == gvl->count) seen[gvl->count++] = row->source;
    held_ns[at] += verdict_held(&row->cost);
  }
  if (gvl->count <= 1) told_ns = sum->length_ns;
  for (unsigned i = 0; i < gvl->count; i++) {
    struct rtop_span_brief brief = { .told_ns = sum->length_ns };
    if (gvl->count > 1) {
      rtop_profile_brief_alone(profile, seen[i], sum->span, &brief);
      told_ns += brief.told_ns;
    }
    gvl->ractors = gvl->ractors || (brief.told_ns > 0 && held_ns[i] > brief.told_ns + brief.told_ns / 20);
  }
  return told_ns;
}

/* Returns how long a thread waited (ns); a wait that began before the span counts whole. */
static uint64_t gvl_waited(const struct rtop_thread_row *row)
{
  uint64_t wait_ns = row->cost.wall_ns[RTOP_STATE_WAITING];
  bool waits = row->state == RTOP_STATE_WAITING && !row->ended;
  return waits && row->state_age_ns > wait_ns && row->state_age_ns < INT64_MAX ? row->state_age_ns : wait_ns;
}

struct verdict_gvl verdict_gvl_of(const struct rtop_sum *sum, struct rtop_profile *profile, uint32_t source)
{
  struct verdict_gvl gvl = { 0 };
  uint64_t held_ns = 0, most_ns = 0, next_ns = 0, waited_ns = 0, told_ns = gvl_told(sum, profile, source, &gvl);
  const struct rtop_thread_row *most = NULL;
  for (size_t i = 0; i < sum->thread_count; i++) {
    const struct rtop_thread_row *row = &sum->threads[i];
    if (source != VERDICT_ALL_SOURCES && row->source != source) continue;
    uint64_t one_ns = verdict_held(&row->cost);
    held_ns += one_ns;
    next_ns = one_ns > most_ns ? most_ns : one_ns > next_ns ? one_ns : next_ns;
    if (one_ns > most_ns) {
      most_ns = one_ns;
      most = row;
    }
    if (row->cost.wall_ns[RTOP_STATE_WAITING] * 100 < sum->length_ns || sum->length_ns == 0) continue;
    gvl.waiters++;
    waited_ns += gvl_waited(row);
  }
  gvl.held = told_ns ? (double)held_ns / (double)told_ns : 0;
  if (!gvl.ractors && gvl.held > 1) gvl.held = 1; /* Windows of the same length end at slightly different times. */
  if (most && gvl.count == 1 && !gvl.ractors && gvl.held >= 0.005 &&
      wait_names_alone((double)most_ns, (double)next_ns, (double)held_ns, false))
    gvl.holder = verdict_thread_of(most);
  gvl.wait_ns = gvl.waiters ? waited_ns / gvl.waiters : 0;
  return gvl;
}
