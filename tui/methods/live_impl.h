/* SPDX-License-Identifier: MIT */
/* Shared by the live*.c files: places, nodes, rows, shares. */
#ifndef RTOP_TUI_LIVE_IMPL_H
#define RTOP_TUI_LIVE_IMPL_H

#include "live.h"
#include "methods_impl.h"
#include "name_order.h"
#include "tui/history/profile_slide.h"
#include "tui/text/pairs.h"

enum { LIVE_NONE = UINT32_MAX };

/* The time that one thread spent in one node of the call tree. Places are referred to by index; index 0 means none. */
struct live_place {
  uint32_t thread, node;
  uint32_t entry;   /* index into nodes */
  uint32_t cell;    /* index + 1: its own time; 0: none */
  uint32_t delta;   /* index + 1: what changes in this update */
  uint32_t windows; /* cells of windows that make the cell */
};

struct live_delta {
  uint32_t place;
  uint32_t windows;      /* more, modulo 2^32 */
  struct rtop_cost cost; /* modulo 2^64 */
};

/* A pending change of a node that its callers do not have yet. Changes are stored in order of arrival, close
   together. */
struct live_up {
  struct rtop_cost self, total;
  uint64_t cells, own_cells; /* in and below it; in it */
  uint32_t entry;
  uint32_t threads; /* change of the number of threads that have the node on their stack, modulo 2^32 */
  uint32_t next;    /* in the list of its depth, + 1 */
  bool own;         /* self is something */
};

/* What a row gains, modulo; NULL: nothing. */
struct live_gain {
  const struct rtop_cost *self, *total;
  uint64_t cells;
  uint32_t threads;
};

/* One step up a stack; the array has an element for each node, at the node's index. `frame` is the node's frame; for a
 * recursive call it is the frame of the nearest node above that is not a recursive call; for the root it is 0. */
struct live_climb {
  uint32_t frame;
  uint32_t up; /* index of the next node above */
};

/* Wall time of a frame on the stack of one thread. The shares of a frame are adjacent, hashed by thread. */
struct live_share {
  uint64_t wall_ns;
  uint32_t thread; /* thread + 1; 0: the entry is free. In the first entry of an
                      unused room: index of the next unused room of this order */
};

struct live_most {
  uint64_t wall_ns;     /* largest share of a thread that is not hidden (ns); valid unless `look` is set */
  uint32_t thread;      /* index + 1 of the thread with the largest share; 0: no share is above 0 */
  uint32_t first, used; /* first: index of the first share; used: number of shares in use */
  uint8_t order;        /* room for 1 << order shares; 0: no room */
  bool look;            /* the share of `thread` was the largest and may not be any more */
  bool listed;          /* in `changed` */
};

struct live_due {
  uint64_t wall_ns;
  uint32_t entry, thread;
};

struct live_dues {
  struct live_due *all;
  uint32_t count;
  size_t capacity;
};

enum { LIVE_SHARES_ORDERS = 32 };

struct live_shares {
  struct live_share *all; /* index 0 is none */
  size_t count, capacity;
  uint32_t idle[LIVE_SHARES_ORDERS]; /* index of the first unused room, by order */
  struct live_most *most;            /* by frame */
  size_t most_capacity;
  uint32_t *changed; /* frames whose ratio is another one */
  uint32_t changed_count;
  size_t changed_capacity;
  uint32_t threads;                  /* ids are below */
  struct live_dues falling, growing; /* what is to be added up */
};

struct live_frame {
  uint8_t passes;    /* does the row pass the filter? 0 not asked, 1 no, 2 yes */
  const char *label; /* as it was asked */
};

struct live_thread {
  bool hidden;
  uint32_t row;   /* in the sum, + 1 */
  uint32_t stack; /* index + 1 of the innermost node that counts as the thread's stack; 0: none */
  uint32_t seen;  /* turn in which it was there */
  struct rtop_cost cost;
};

/* Lists of nodes by depth. */
struct live_depths {
  uint32_t *first; /* index + 1 */
  size_t capacity;
  uint32_t deepest;
};

struct rtop_live {
  struct rtop_profile *profile;
  const struct rtop_symbols *symbols;
  struct rtop_slide *slide;
  bool failed;
  bool ratios; /* somebody looks at them */
  uint64_t length_ns;

  struct live_place *places;
  uint32_t place_count;
  size_t place_capacity;
  struct rtop_pairs place_of; /* (thread, node): place */
  uint32_t places_used;       /* with windows */
  uint32_t *path;             /* scratch: nodes on the path to a known place */
  size_t path_capacity;

  struct live_delta *deltas;
  uint32_t delta_count;
  size_t delta_capacity;

  struct rtop_sum_cell *cells; /* of threads as rows of the sum */
  uint32_t *cell_places;
  uint32_t cell_count;
  size_t cell_capacity, cell_place_capacity;

  struct rtop_live_node *nodes;
  struct live_climb *climbs;
  struct rtop_live_spent *spent; /* by node, when it is known */
  bool spent_known;
  uint32_t node_count;
  size_t node_capacity, climb_capacity, spent_capacity;
  uint32_t *entry_of; /* by node: index + 1 */
  size_t entry_capacity;

  struct live_up *ups;
  uint32_t up_count;
  size_t up_capacity;
  uint64_t turn;

  struct live_shares shares;
  struct live_frame *frames; /* by frame */
  size_t frame_capacity;

  struct rtop_method_row *rows;
  uint64_t *row_cells; /* number of cells that have the frame on their stack, by row */
  uint32_t row_count;
  size_t row_capacity, row_cell_capacity;
  uint32_t *row_of; /* by frame: index + 1 */
  size_t row_of_capacity;
  uint32_t *idle; /* frames whose rows became empty when they were changed */
  uint32_t idle_count;
  size_t idle_capacity;
  uint32_t *standing; /* threads that have a stack */
  uint32_t standing_count;
  size_t standing_capacity;

  struct live_thread *threads; /* by id of the profile */
  size_t thread_capacity;
  struct rtop_cost total;

  struct live_depths node_depths;
  enum rtop_mode mode;
  struct methods_regex filter;
  bool filtered;
  struct rtop_method_row *shown; /* rows that pass, when not all do */
  size_t shown_capacity;
  struct rtop_name_order names;
};

static inline void live_cost_take(struct rtop_cost *from, const struct rtop_cost *cost)
{
  for (int state = 0; state < RTOP_STATES; state++) from->wall_ns[state] -= cost->wall_ns[state];
  from->cpu_ns -= cost->cpu_ns;
  from->blame_ns -= cost->blame_ns;
  from->allocations -= cost->allocations;
  from->samples -= cost->samples;
}

/* live_places.c */
void live_places_restart(struct rtop_live *live);
/* Finds or adds the place of a node of a thread; 0: memory ran out. */
uint32_t live_place(struct rtop_live *live, uint32_t thread, uint32_t node);
/* Finds or adds a node over all threads, with all its callers. LIVE_NONE: memory ran out. */
uint32_t live_entry(struct rtop_live *live, uint32_t node);
bool live_depths_push(struct live_depths *depths, uint32_t depth, uint32_t index, uint32_t *next);

/* live_up.c: changes go up. */
void live_settle(struct rtop_live *live);
void live_nodes_up(struct rtop_live *live);
/* Adds a cell to the nodes of all chosen threads, or removes it from them. */
void live_node_change(struct rtop_live *live, uint32_t entry, const struct rtop_cost *cost, uint64_t cells);
/* Updates which nodes are on stacks at the end of the span. */
void live_stacks_change(struct rtop_live *live, const struct rtop_sum *sum);

/* live_rows.c */
void live_row_add(struct rtop_live *live, uint32_t frame, const struct live_gain *gain);
/* Another clock: of all rows. */
void live_rows_clock(struct rtop_live *live, enum rtop_mode mode);
void live_rows_finish(struct rtop_live *live, const struct rtop_sum *sum);
void live_rows_restart(struct rtop_live *live);

/* live_shares.c: the wall time of every frame on the stack of each thread, and the largest of these times. */
/* Notes that a thread spends more time (modulo 2^64) in all frames on the stack of a node; live_shares_settle() adds
 * it. */
void live_shares_due(struct rtop_live *live, uint32_t entry, uint32_t thread, uint64_t wall_ns);
void live_shares_settle(struct rtop_live *live);
/* Other threads are hidden. */
void live_shares_look(struct rtop_live *live);
/* The frame's row needs its ratio updated. */
void live_most_changed(struct rtop_live *live, uint32_t frame);
/* Returns the frames whose ratio has changed since the last call. */
const uint32_t *live_shares_finish(struct rtop_live *live, uint32_t *count);
/* Returns the time (ns) that the frame was on the stack of the thread that had it there longest. */
uint64_t live_most_ns(const struct rtop_live *live, uint32_t frame);
void live_shares_restart(struct rtop_live *live);

#endif
