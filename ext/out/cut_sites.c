/* SPDX-License-Identifier: MIT */
/* Adds the growth of the sums of allocation sites since the last window. */
#include "cut_sites.h"

enum {
  SITE_BYTES = 90, /* upper estimate for the average encoded size of a site's nine numbers */
  /* number of windows after the end in which missing names are awaited; some names may never find room */
  TELLING_WINDOWS = 10
};

static bool add_number(struct cut *cut, uint32_t node, enum rtop_sites_what what, uint32_t key, uint64_t value)
{
  struct rtop_exact *exact = value ? rtop_window_add_exact(&cut->window) : NULL;
  if (exact) *exact = (struct rtop_exact){ .node = node, .what = what, .key = key, .value = value };
  return !value || exact;
}

static uint64_t grown(uint64_t now, uint64_t *told)
{
  uint64_t more = now - *told;
  *told = now;
  return more;
}

/* Returns the increase of a sum of squares, at most as much as a reader can add up without overflow; later windows
 * report the remainder. */
static uint64_t grown_square(double now, double *told)
{
  double more = now - *told;
  if (more > (double)RTOP_SITES_SQUARE_MAX) more = (double)RTOP_SITES_SQUARE_MAX;
  *told += more;
  return more > 0 ? (uint64_t)more : 0;
}

static bool has_grown(const struct site *site, const struct site_told *told)
{
  return site->samples != told->samples || site->judged != told->judged || site->square > told->square ||
         site->cross > told->cross;
}

static bool tell_site(struct cut *cut, uint32_t node, const struct site *site, struct site_told *told)
{
  return add_number(cut, node, RTOP_SITES_OBJECTS, 0, grown(site->objects, &told->objects)) &&
         add_number(cut, node, RTOP_SITES_OBJECTS, 1, grown(site->looked, &told->looked)) &&
         add_number(cut, node, RTOP_SITES_BYTES, 0, grown(site->bytes, &told->bytes)) &&
         add_number(cut, node, RTOP_SITES_SAMPLES, 0, grown(site->samples, &told->samples)) &&
         add_number(cut, node, RTOP_SITES_SQUARE, 0, grown_square(site->square, &told->square)) &&
         add_number(cut, node, RTOP_SITES_CROSS, 0, grown_square(site->cross, &told->cross)) &&
         add_number(cut, node, RTOP_SITES_ALIVE, RTOP_SITES_JUDGED, grown(site->judged, &told->judged)) &&
         add_number(cut, node, RTOP_SITES_ALIVE, RTOP_SITES_LIVE, grown(site->live, &told->live)) &&
         add_number(cut, node, RTOP_SITES_ALIVE, RTOP_SITES_LIVE_BYTES, grown(site->live_bytes, &told->live_bytes));
}

/* Visits all sites once, from the site at which the previous window stopped. *rests is set when sites remain to be
 * reported. */
static bool add_sites(struct cut *cut, struct sites *sites, size_t room, bool *rests)
{
  const struct sites_sums *sums = &sites->sums;
  size_t left = room / SITE_BYTES;
  for (uint32_t i = 0; i < sums->site_count; i++) {
    if (sites->next >= sums->site_count) sites->next = 0;
    uint32_t at = sites->next, node = at ? sums->sites[at].node : RTOP_NODE_FOLDED;
    if (has_grown(&sums->sites[at], &sums->told[at])) {
      if (left == 0) {
        *rests = true;
        return true;
      }
      bool known = names_out_known(cut->names, &cut->sampler->tree, node) == node;
      if (!known && sites->telling > TELLING_WINDOWS) node = RTOP_NODE_FOLDED, known = true;
      if (!known) *rests = true; /* the next window reports the site */
      else if (!tell_site(cut, node, &sums->sites[at], &sums->told[at])) return false;
      else left--;
    }
    sites->next++;
  }
  return true;
}

static bool add_sum(struct cut *cut, enum rtop_sites_sum sum, uint64_t value)
{
  return add_number(cut, RTOP_NODE_ROOT, RTOP_SITES_SUM, sum, value);
}

static bool add_sums(struct cut *cut, struct sites *sites)
{
  const struct rtop_window *window = &cut->window;
  const struct sites_sums *sums = &sites->sums;
  int64_t from = atomic_load(&sites->begin_ns), to = atomic_load(&sites->end_ns);
  if (from < window->start_mono_ns) from = window->start_mono_ns;
  if (to > window->end_mono_ns) to = window->end_mono_ns;
  return add_sum(cut, RTOP_SITES_SUM_TIME_NS, to > from ? (uint64_t)(to - from) : 0) &&
         add_sum(cut, RTOP_SITES_SUM_OWN_NS, grown((uint64_t)atomic_load(&sites->own_ns), &sites->told.own_ns)) &&
         add_sum(cut, RTOP_SITES_SUM_OBJECTS, grown(sums->objects, &sites->told.objects)) &&
         add_sum(cut, RTOP_SITES_SUM_SEEN, grown(sums->seen, &sites->told.seen)) &&
         add_sum(cut, RTOP_SITES_SUM_SQUARE, grown_square(sums->square, &sites->told.square)) &&
         add_sum(cut, RTOP_SITES_SUM_LOOKED, grown(sums->looked, &sites->told.looked)) &&
         add_sum(cut, RTOP_SITES_SUM_FULL, grown(sums->full, &sites->told.full));
}

bool cut_sites_add(struct cut *cut, struct sites *sites, size_t room)
{
  int state = atomic_load(&sites->state);
  if (!state || !trylock_take(&sites->lock)) return true;
  bool fine = true, rests = false;
  state = atomic_load(&sites->state);
  sites->telling += state == RTOP_SITES_TELLING;
  if (state >= RTOP_SITES_ON && state <= RTOP_SITES_TELLING)
    fine = add_sums(cut, sites) && add_sites(cut, sites, room, &rests);
  if (state == RTOP_SITES_TELLING && fine && !rests) {
    atomic_compare_exchange_strong(&sites->state, &state, sites->unjudged ? RTOP_SITES_NO_GC : RTOP_SITES_DONE);
    state = atomic_load(&sites->state);
  }
  bool heard =
      /* The state is also reported while the session ends: a viewer that noticed the end may still read results. */
      atomic_load(&sites->wanted) || atomic_load(&sites->ending);
  if (state && heard && fine)
    fine = add_number(cut, RTOP_NODE_ROOT, RTOP_SITES_STATE, atomic_load(&sites->serial), (uint64_t)state);
  trylock_release(&sites->lock);
  return fine;
}

bool cut_sites_rests(struct sites *sites)
{
  return atomic_load(&sites->state) == RTOP_SITES_TELLING;
}

int64_t cut_sites_cost(struct sites *sites)
{
  int64_t now = atomic_load(&sites->own_ns), before = sites->paid_ns;
  sites->paid_ns = now;
  return now > before ? now - before : 0;
}
