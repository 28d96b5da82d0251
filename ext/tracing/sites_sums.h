/* SPDX-License-Identifier: MIT */
/* The arithmetic of allocation sites: which intervals and which objects are looked at, and what a sample stands for.
 *
 * An interval is the time from one job to the next. Whether it is looked at is drawn before it begins, with a chance of 1 in
 * `every`; in one that is, each object is a sample with a chance of 1 in `distance`. Both follow from what came
 * before the interval only, so what samples stand for (every * distance objects) is without bias, whatever the
 * program does. Where there are more samples than there is room for, each is dropped with a chance of a half, and the others
 * stand for twice as many.
 *
 * The hook slows the program down, so fewer objects are made while it looks: but the VM counts all of them, so
 * readers take what samples say of the others for shares only (rperf-top-segment(5)). For the standard error the squares of intervals are
 * summed up, too.
 *
 * Threads: none of its own; the caller's lock. Plain C, no allocation after sites_sums_create().
 */
#ifndef RTOP_EXT_SITES_SUMS_H
#define RTOP_EXT_SITES_SUMS_H

#include <stdbool.h>
#include <stdint.h>

enum {
  SITES_MAX = 4096, /* the first is that of all that found no room */
  SITES_FOLLOWED_MAX = 4096,
  SITES_EVERY_MAX = 256,
};
#define SITES_NONE UINT32_MAX

struct site {
  uint32_t node;
  uint64_t objects, looked, bytes, samples; /* looked: as if nothing else had been made */
  double square, cross;
  uint64_t judged, live, live_bytes;
  /* of the interval that is open */
  uint64_t interval_objects, interval_samples;
};

/* What the publisher has told of a site. */
struct site_told {
  uint64_t objects, looked, bytes, samples, judged, live, live_bytes;
  double square, cross;
};

/* A sample that is followed, for whether it is alive at the end. */
struct sites_followed {
  uint32_t site;   /* SITES_NONE: free */
  uint64_t weight; /* objects that it stands for */
};

struct sites_sums {
  struct site *sites;
  struct site_told *told;
  struct sites_followed *followed;
  uint32_t *index;   /* by node; open addressing */
  uint32_t *touched; /* sites of the open interval */
  uint32_t touched_count, site_count;
  uint32_t followed_count, follow_next; /* places that were used; the first that may be free */
  uint32_t follow_every;                /* one in so many samples is followed, a power of two */
  uint32_t random;
  uint32_t every, distance; /* of the interval that is open */
  bool looks;               /* at it */
  double rate;              /* objects per ns, lately */
  double load, excess;      /* own cost, lately, as a fraction of the time; by how much less is looked at for that */
  uint64_t objects, seen, looked, full;
  double square;
};

/* False: there is no memory. seed: not 0. */
bool sites_sums_create(struct sites_sums *sums, uint32_t seed);
/* Empty again: everything is looked at until something is known. */
void sites_sums_clear(struct sites_sums *sums);

/* How many objects until the next sample, 1 or more. */
int64_t sites_sums_skip(struct sites_sums *sums);
/* One of two, drawn. */
bool sites_sums_coin(struct sites_sums *sums);

/* The site of a node; that of all without room when there are too many. */
uint32_t sites_sums_site(struct sites_sums *sums, uint32_t node);

/* A sample of the interval that is open. Returns where it is followed, or SITES_NONE. */
uint32_t sites_sums_sample(struct sites_sums *sums, uint32_t site, uint64_t bytes, bool follow);
/* What is followed there was alive at the end, or not. */
void sites_sums_judge(struct sites_sums *sums, uint32_t at, bool live, uint64_t bytes);

/* What things cost, and what they may. */
struct sites_costs {
  double object_ns, sample_ns; /* an object while the hook is set; a sample more than that */
  double budget;               /* fraction of the time */
};

/* What an interval of ns did cost, all of it: where that is more than what was expected, less is looked at. */
void sites_sums_cost(struct sites_sums *sums, int64_t own_ns, int64_t ns, double budget);

/* The interval ends, in which `objects` were made in ns; chooses how the next one is looked at. */
void sites_sums_close(struct sites_sums *sums, uint64_t objects, int64_t ns, const struct sites_costs *costs);

#endif
