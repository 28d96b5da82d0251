/* SPDX-License-Identifier: MIT */
/* Where objects were made while they were sampled: class, method and line, estimates with their standard errors, and what of
 * it was alive after the next major GC. No screen.
 *
 * Threads: one. Memory belongs to the table and is used again; a zeroed struct is empty.
 */
#ifndef RTOP_TUI_SITES_TABLE_H
#define RTOP_TUI_SITES_TABLE_H

#include "shm/base/format.h"
#include "tui/history/profile.h"

/* Estimates but for samples. Of several processes the sums. */
struct sites_row {
  uint32_t node;  /* of the class; RTOP_NODE_FOLDED: of sites that found no room */
  uint32_t class; /* frames; of those that found no room both the same */
  uint32_t method;
  uint32_t line; /* where in the method; 0: not known */
  uint64_t samples;
  double objects, error; /* error: standard, of objects; 0: exact */
  double bytes;
  bool judged;             /* the next two are known */
  double live, live_bytes; /* of these objects, alive after the next major GC; and their bytes then */
};

struct sites_table {
  enum rtop_sites_state state;                     /* at the end of the span; 0: nobody asks for it */
  bool told;                                       /* there is anything to show */
  uint64_t time_ns;                                /* of the process that was looked at longest */
  uint64_t own_ns, objects, looked, samples, full; /* looked: objects that were told of; full: samples without room */
  double distance;                                 /* objects for a sample, in the mean */
  struct sites_row *rows;                          /* most first */
  size_t count, capacity;
};

enum sites_order { SITES_BY_OBJECTS, SITES_BY_BYTES };

/* False: memory ran out. */
bool sites_table_build(struct sites_table *table, const struct rtop_profile *profile, struct rtop_span span,
                       enum sites_order order);
void sites_table_destroy(struct sites_table *table);

/* A word, and a sentence for people; "" while it is on, and when all went well. */
const char *sites_state_name(enum rtop_sites_state state);
const char *sites_state_text(enum rtop_sites_state state);
/* Is there nothing more to come? */
bool sites_state_final(enum rtop_sites_state state);

#endif
