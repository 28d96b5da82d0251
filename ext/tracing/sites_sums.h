/* SPDX-License-Identifier: MIT */
/* The arithmetic of allocation sites: chooses which intervals and objects are sampled, and computes how many objects a
 * sample stands for.
 *
 * An interval is the time from one job to the next. Each interval is sampled with a probability of 1/`every`; in a
 * sampled interval each object is a sample with a probability of 1/`distance`. Both depend only on earlier intervals,
 * so the weight of a sample, every * distance objects, is unbiased whatever the program does. When there is no room for
 * more samples, each is dropped with a probability of one half and the weights of the others double.
 *
 * The hook slows down the program, so fewer objects are made in sampled intervals, and samples give only the shares of
 * sites; the total is the VM's own count of objects (rperf-top-segment(5)). Sums of squares of intervals give the
 * standard error.
 *
 * Threads: under the caller's lock. Plain C; allocates only in sites_sums_create().
 */
#ifndef RTOP_EXT_SITES_SUMS_H
#define RTOP_EXT_SITES_SUMS_H

#include <stdbool.h>
#include <stdint.h>

enum {
  SITES_MAX = 4096, /* the first site collects all samples whose site found no room */
  SITES_FOLLOWED_MAX = 4096,
  SITES_EVERY_MAX = 256,
};
#define SITES_NONE UINT32_MAX

struct site {
  uint32_t node;
  /* objects, bytes: estimates; `looked`: estimate from this site's sampled intervals alone */
  uint64_t objects, looked, bytes, samples;
  double square, cross;
  uint64_t judged, live, live_bytes;
  /* sums of the open interval */
  uint64_t interval_objects, interval_samples;
};

/* The values of a site that the publisher has reported so far. */
struct site_told {
  uint64_t objects, looked, bytes, samples, judged, live, live_bytes;
  double square, cross;
};

/* A sample that is followed to find out whether its object survives. */
struct sites_followed {
  uint32_t site;   /* SITES_NONE: free */
  uint64_t weight; /* number of objects that the sample stands for */
};

struct sites_sums {
  struct site *sites;
  struct site_told *told;
  struct sites_followed *followed;
  uint32_t *index;   /* hash table of sites by node; open addressing */
  uint32_t *touched; /* indices of the sites that have samples in the open interval */
  uint32_t touched_count, site_count;
  uint32_t followed_count, follow_next; /* number of used entries of `followed`; first entry that may be free */
  uint32_t follow_every;                /* one sample in this many is followed; a power of two */
  uint32_t random;
  uint32_t every, distance; /* probabilities (as 1/n) that apply to the open interval */
  bool looks;               /* whether the open interval is sampled */
  double rate;              /* recent rate: objects per ns */
  /* recent own cost as a fraction of time; factor by which sampling is reduced because of this cost */
  double load, excess;
  uint64_t objects, seen, looked, full;
  double square;
};

/* Allocates the sums. False when memory ran out. `seed` must not be 0. */
bool sites_sums_create(struct sites_sums *sums, uint32_t seed);
/* Resets all sums; every interval is sampled until rates are known. */
void sites_sums_clear(struct sites_sums *sums);

/* Draws the number of objects until the next sample, 1 or more. */
int64_t sites_sums_skip(struct sites_sums *sums);
/* Draws true or false with equal probability. */
bool sites_sums_coin(struct sites_sums *sums);

/* Finds or adds the site of a node; returns the collecting site when there are too many. */
uint32_t sites_sums_site(struct sites_sums *sums, uint32_t node);

/* Adds a sampled object to the open interval. Returns the slot under which the object's life is followed, or SITES_NONE
 * if it is not. */
uint32_t sites_sums_sample(struct sites_sums *sums, uint32_t site, uint64_t bytes, bool follow);
/* Reports whether the object followed in slot `at` survived. */
void sites_sums_judge(struct sites_sums *sums, uint32_t at, bool live, uint64_t bytes);

/* The costs of sampling in ns, and the budget for these costs. */
struct sites_costs {
  double object_ns, sample_ns; /* cost of an object while the hook is installed; additional cost of a sample */
  double budget;               /* fraction of wall time */
};

/* Adds the actual cost of an interval of length ns; if the cost exceeds the estimate, sampling is reduced. */
void sites_sums_cost(struct sites_sums *sums, int64_t own_ns, int64_t ns, double budget);

/* Ends an interval of length ns in which `objects` objects were made, and chooses how the next one is sampled. */
void sites_sums_close(struct sites_sums *sums, uint64_t objects, int64_t ns, const struct sites_costs *costs);

#endif
