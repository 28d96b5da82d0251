/* SPDX-License-Identifier: MIT */
/* Sites where objects were made while they were sampled: class, method and line, with estimates and their standard
 * errors, and how many objects survived the next major GC. No screen.
 *
 * Threads: one. The table owns its memory and reuses it; a struct of zeros is empty.
 */
#ifndef RTOP_TUI_SITES_TABLE_H
#define RTOP_TUI_SITES_TABLE_H

#include "shm/base/format.h"
#include "tui/history/profile.h"

/* A site. All figures except samples are estimates; for several processes, sums. */
struct sites_row {
  uint32_t node;  /* node of the class; RTOP_NODE_FOLDED: sites for which there was no room */
  uint32_t class; /* frames of class and method; both are equal for sites for which there was no room */
  uint32_t method;
  uint32_t line; /* where in the method; 0: not known */
  uint64_t samples;
  double objects, error; /* error: standard, of objects; 0: exact */
  double bytes;
  bool judged;             /* the next two are known */
  double live, live_bytes; /* estimated number of objects that survived the next
                              major GC, and their size at that time (bytes) */
};

struct sites_table {
  enum rtop_sites_state state; /* state of sampling at the end of the span; 0: not requested */
  bool told;                   /* there is anything to show */
  uint64_t time_ns;            /* sampling time of the process sampled longest */
  /* looked: objects in sampled intervals; full: samples for which there was no room */
  uint64_t own_ns, objects, looked, samples, full;
  double distance;        /* objects for a sample, in the mean */
  struct sites_row *rows; /* most first */
  size_t count, capacity;
};

enum sites_order { SITES_BY_OBJECTS, SITES_BY_BYTES };

/* False: memory ran out. */
bool sites_table_build(struct sites_table *table, const struct rtop_profile *profile, struct rtop_span span,
                       enum sites_order order);
void sites_table_destroy(struct sites_table *table);

/* sites_state_name(): a word for the state; sites_state_text(): a sentence for people; "" while sampling, and when
   all went well. */
const char *sites_state_name(enum rtop_sites_state state);
const char *sites_state_text(enum rtop_sites_state state);
/* Is there nothing more to come? */
bool sites_state_final(enum rtop_sites_state state);

#endif
