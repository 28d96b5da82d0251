/* SPDX-License-Identifier: MIT */
/* Draws samples and adds up sums. */
#include "sites_sums.h"

#include "ext/base/draw.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  INDEX_SLOTS = 2 * SITES_MAX,
  DISTANCE_MAX = 1 << 20,
  EXCESS_MAX = 256,
  OWN_NS_MAX = 2000000, /* maximum cost of an interval in ns, so that a single expensive interval does not matter */
};
static const double excess_step = 1.02;
static const double memory_ns = 200e6; /* averaging time of rate and load in ns */
/* A burst of allocations may continue: if the last interval's rate times burst_share exceeds the average rate, it is
 * used instead. */
static const double burst_share = 0.1;
static const double hook_of_budget = 0.5;    /* share of the budget for the cost of the hook for all objects */
static const double samples_of_budget = 0.3; /* share of the budget for samples */

bool sites_sums_create(struct sites_sums *sums, uint32_t seed)
{
  if (!sums->sites) {
    struct site *sites = calloc(SITES_MAX, sizeof *sites);
    struct site_told *told = calloc(SITES_MAX, sizeof *told);
    struct sites_followed *followed = calloc(SITES_FOLLOWED_MAX, sizeof *followed);
    uint32_t *slots = calloc(INDEX_SLOTS + SITES_MAX, sizeof *slots);
    if (!sites || !told || !followed || !slots) {
      free(sites);
      free(told);
      free(followed);
      free(slots);
      return false;
    }
    *sums = (struct sites_sums){
      .sites = sites, .told = told, .followed = followed, .index = slots, .touched = slots + INDEX_SLOTS
    };
  }
  sums->random = seed ? seed : 1;
  sites_sums_clear(sums);
  return true;
}

void sites_sums_clear(struct sites_sums *sums)
{
  memset(sums->sites, 0, SITES_MAX * sizeof *sums->sites);
  memset(sums->told, 0, SITES_MAX * sizeof *sums->told);
  memset(sums->index, 0, INDEX_SLOTS * sizeof *sums->index);
  sums->touched_count = sums->followed_count = sums->follow_next = 0;
  sums->site_count = 1;
  sums->follow_every = sums->every = sums->distance = 1;
  sums->looks = true;
  sums->rate = sums->square = sums->load = 0;
  sums->excess = 1;
  sums->objects = sums->seen = sums->looked = sums->full = 0;
}

/* Draws from a geometric distribution, which equals an independent decision for each object whether it is a sample. */
int64_t sites_sums_skip(struct sites_sums *sums)
{
  if (sums->distance <= 1) return 1;
  const int64_t most = INT64_C(1) << 31;
  double uniform = (double)draw_ns(&sums->random, 1, most - 1) / (double)most;
  return 1 + (int64_t)(log(uniform) / log1p(-1.0 / sums->distance));
}

static bool one_in(struct sites_sums *sums, uint32_t many)
{
  return many <= 1 || draw_ns(&sums->random, 0, many) == 0;
}

bool sites_sums_coin(struct sites_sums *sums)
{
  return one_in(sums, 2);
}

uint32_t sites_sums_site(struct sites_sums *sums, uint32_t node)
{
  uint32_t slot = (uint32_t)(node * UINT64_C(0x9E3779B97F4A7C15) >> 40) % INDEX_SLOTS;
  for (uint32_t at; (at = sums->index[slot]) != 0; slot = (slot + 1) % INDEX_SLOTS)
    if (sums->sites[at].node == node) return at;
  if (sums->site_count == SITES_MAX) return 0;
  sums->sites[sums->site_count].node = node;
  return sums->index[slot] = sums->site_count++;
}

/* Forgets each followed sample with a probability of one half; the others then stand for twice as many. */
static void follow_fewer(struct sites_sums *sums)
{
  for (uint32_t i = 0; i < sums->followed_count; i++) {
    struct sites_followed *followed = &sums->followed[i];
    if (sites_sums_coin(sums)) followed->site = SITES_NONE;
    followed->weight *= 2;
  }
  sums->follow_every *= 2;
  sums->follow_next = 0;
}

/* Returns the next free slot. Slots are only freed in bulk. */
static uint32_t follow_place(struct sites_sums *sums)
{
  while (sums->follow_next < sums->followed_count && sums->followed[sums->follow_next].site != SITES_NONE)
    sums->follow_next++;
  return sums->follow_next;
}

static uint32_t follow(struct sites_sums *sums, uint32_t site, uint64_t weight)
{
  if (!one_in(sums, sums->follow_every)) return SITES_NONE;
  if (follow_place(sums) == SITES_FOLLOWED_MAX) {
    follow_fewer(sums);
    if (sites_sums_coin(sums) || follow_place(sums) == SITES_FOLLOWED_MAX) return SITES_NONE;
  }
  uint32_t at = sums->follow_next++;
  if (at == sums->followed_count) sums->followed_count++;
  sums->followed[at] = (struct sites_followed){ .site = site, .weight = weight * sums->follow_every };
  return at;
}

uint32_t sites_sums_sample(struct sites_sums *sums, uint32_t site, uint64_t bytes, bool follows)
{
  struct site *to = &sums->sites[site];
  uint64_t weight = (uint64_t)sums->every * sums->distance;
  if (site == 0) sums->full++;
  if (!to->interval_samples) sums->touched[sums->touched_count++] = site;
  to->interval_samples++;
  to->interval_objects += sums->distance;
  to->samples++;
  to->objects += weight;
  to->looked += sums->distance;
  to->bytes += weight * bytes;
  return follows && site ? follow(sums, site, weight) : SITES_NONE;
}

void sites_sums_judge(struct sites_sums *sums, uint32_t at, bool live, uint64_t bytes)
{
  const struct sites_followed *followed = &sums->followed[at];
  struct site *site = &sums->sites[followed->site];
  site->judged += followed->weight;
  if (!live) return;
  site->live += followed->weight;
  site->live_bytes += followed->weight * bytes;
}

static void close_site(struct sites_sums *sums, struct site *site, double objects)
{
  double every = sums->every, distance = sums->distance, own = (double)site->interval_objects;
  site->square += every * (every - 1) * own * own + every * distance * (distance - 1) * (double)site->interval_samples;
  site->cross += every * (every - 1) * own * objects;
  site->interval_objects = site->interval_samples = 0;
}

static uint32_t at_least(double needed, uint32_t most)
{
  return needed <= 1 ? 1 : needed < most ? (uint32_t)ceil(needed) : most;
}

static void choose(struct sites_sums *sums, double now, const struct sites_costs *costs)
{
  double hook = costs->budget * hook_of_budget, samples = costs->budget * samples_of_budget;
  double rate = sums->excess * (now > sums->rate ? now : sums->rate);
  sums->every = at_least(rate * costs->object_ns / hook, SITES_EVERY_MAX);
  sums->distance = at_least(rate * costs->sample_ns / (sums->every * samples), DISTANCE_MAX);
  sums->looks = one_in(sums, sums->every);
}

void sites_sums_cost(struct sites_sums *sums, int64_t own_ns, int64_t ns, double budget)
{
  if (own_ns > OWN_NS_MAX) own_ns = OWN_NS_MAX;
  if (ns < 1) ns = 1;
  sums->load = (sums->load * memory_ns + (double)own_ns) / (memory_ns + (double)ns);
  if (sums->load > budget) sums->excess *= excess_step;
  else if (sums->load < budget / 2) sums->excess /= excess_step;
  if (sums->excess < 1) sums->excess = 1;
  if (sums->excess > EXCESS_MAX) sums->excess = EXCESS_MAX;
}

void sites_sums_close(struct sites_sums *sums, uint64_t objects, int64_t ns, const struct sites_costs *costs)
{
  sums->objects += objects;
  if (sums->looks) {
    double every = sums->every;
    sums->seen += sums->every * objects;
    sums->looked += objects;
    sums->square += every * (every - 1) * (double)objects * (double)objects;
    for (uint32_t i = 0; i < sums->touched_count; i++)
      close_site(sums, &sums->sites[sums->touched[i]], (double)objects);
    sums->touched_count = 0;
  }
  if (ns < 1) ns = 1;
  double now = (double)objects / (double)ns;
  sums->rate = (sums->rate * memory_ns + (double)objects) / (memory_ns + (double)ns);
  choose(sums, now * burst_share, costs);
}
