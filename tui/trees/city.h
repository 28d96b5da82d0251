/* SPDX-License-Identifier: MIT */
/* The city of the skyline: every method is a building in a place of its own, in the block of its package.
 *
 * Blocks stand in streets, one street below the other; a building is as high as its self time, by the clock of the
 * mode, and its storeys are the states that the time was spent in. Its width tells nothing, so that nobody moves
 * when figures change. Who is in no window any more still has a lot, as bare ground, as long as there is room.
 *
 * Sorted by ratio, a building is as high as the time that its method was on the stack of its busiest thread, a group as
 * its highest method; that is of no state. Places, and who is left out, go by self time all the same.
 *
 * A place depends only on what was seen before: a newcomer takes a free place of its block, or the next one, and
 * a block has some to spare. Everything is laid out afresh only when somebody finds no place, or much room was won.
 * When all do not fit, those that are lowest are left out; a block tells how many.
 *
 * Of every building only what it is planned by is kept, in its pulse; the other figures are those of the
 * buildings in the streets.
 *
 * No screen. Threads: one. Memory belongs to the city and grows with the methods ever seen.
 */
#ifndef RTOP_TUI_CITY_H
#define RTOP_TUI_CITY_H

#include "tui/methods/methods.h"

#define CITY_QUIET_NS INT64_C(20000000000) /* then a building shrinks to nothing */
#define CITY_ASLEEP_NS INT64_C(3000000000) /* after so long a sleep, waking up is worth a mark */
#define CITY_AWAKE_NS INT64_C(3000000000)  /* which stays for so long */
#define CITY_PLAN_NS INT64_C(10000000000)  /* between two plans that may take columns away */

enum city_level { CITY_METHODS, CITY_CLASSES, CITY_PACKAGES, CITY_LEVELS };
enum { CITY_WAYS = 2 }; /* private */

struct city_building {
  enum city_level level;
  uint32_t frame; /* method; of a group in a street: that with the most self time */
  uint32_t block;
  uint32_t next;                 /* in its block and level; index + 1 */
  char *name;                    /* of a class or package; NULL for a method */
  uint32_t place;                /* in its block, from 1; 0: it is not shown */
  int x;                         /* in its street */
  uint32_t present;              /* its methods in the sum at hand; of a method 1 or 0 */
  uint64_t total_ns;             /* of a method in a street */
  uint32_t threads;              /* in a street: have it on their stack; of groups the largest method's */
  uint64_t part_ns[RTOP_STATES]; /* in a street: self time by state, as far as the mode counts it */
  double peak_before;            /* as in the pulse, in the plan period before */
  int64_t seen_ns, woke_ns;      /* when it was left, when it came after a sleep */
};

/* What is kept of every building, in a street or not. */
struct city_pulse {
  uint64_t self_ns;
  uint64_t most_ns; /* on a stack of its busiest thread; of groups only while such are shown */
  double peak;      /* largest share of self time in this plan period */
};

struct city_block {
  char *name;
  bool folded;                /* one building for the whole block */
  uint32_t first[2], last[2]; /* methods, classes: index + 1 */
  uint32_t package;           /* its building as a whole */
  int street, x, lot;         /* columns that are its own; 0: nothing to see */
  uint32_t places;            /* that were given, with those that are free again */
  uint32_t hidden;            /* buildings that are not shown */
  double low;                 /* its own bound, when it alone fills a street */
};

/* For what the city is planned: a part of the screen. */
struct city_ground {
  int columns, rows;
};
/* Within what can be planned. */
struct city_ground city_ground_of(int columns, int rows);

struct city {
  enum city_level level;
  struct city_building *buildings;
  struct city_pulse *pulses; /* of the same index */
  uint32_t count;
  struct city_block *blocks;
  uint32_t block_count;
  uint32_t *street; /* buildings that are shown, street by street, from left to right */
  uint32_t street_count;
  int streets, street_rows;   /* the last row of a street is the ground, with the names of the blocks */
  int bar;                    /* columns of a building */
  uint32_t hidden;            /* buildings that are not shown, in blocks that are not either */
  double full;                /* the share of self time that is as high as a street */
  struct city_ground planned; /* for this part of the screen */
  uint64_t length_ns;         /* of the sum at hand */
  uint64_t self_ns;           /* of all methods */
  bool by_ratio;              /* heights are */
  int64_t planned_ns, updated_ns;
  bool replan;                          /* the user changed what is shown: plan afresh */
  struct city_frame *frames;            /* private */
  bool groups_known;                    /* private: what city_groups() tells */
  uint32_t *risen, risen_count;         /* private: buildings that may have to grow */
  void *names, *last_name;              /* private: classes and packages by name */
  struct city_climb *climbs[CITY_WAYS]; /* private: groups on stacks */
  uint32_t climbed, climbed_buildings, climbed_reuses;
  size_t climb_capacity[CITY_WAYS];
  uint64_t *wall_ns; /* private: scratch of groups */
  uint32_t *touched, *cells, *from;
  size_t cells_capacity, from_capacity;
  size_t capacity, pulse_capacity, block_capacity, street_capacity, risen_capacity; /* private */
  size_t frame_capacity, wall_capacity, touched_capacity;
  int crowd; /* private: how dense it is */
};

struct city_news {
  const struct rtop_methods *methods;
  const struct rtop_sum *sum;
  const struct rtop_symbols *symbols;
  enum rtop_mode mode; /* of the rows */
  bool by_ratio;       /* what heights are to be */
  int64_t now_ns;
};
/* Takes the figures of a refresh and plans the streets. False: memory ran out. */
bool city_update(struct city *city, const struct city_news *news, struct city_ground ground);
/* The building that stands for a method now; NULL: never seen. */
struct city_building *city_of(struct city *city, uint32_t frame);
void city_fold(struct city *city, uint32_t block);
void city_next_level(struct city *city);
/* Now, as shares of the span: self time, and the time on a stack of the busiest thread (0 to 1). */
double city_self(const struct city *city, const struct city_building *building);
double city_ratio(const struct city *city, const struct city_building *building);
/* What its height tells: one of the two. */
double city_height(const struct city *city, const struct city_building *building);
/* How high a building is when the highest has so many steps: up to the top of each state's storeys, in the order of
 * city_storeys. `cut`: it would be higher. */
extern const enum rtop_state city_storeys[RTOP_STATES];
void city_heights(const struct city *city, const struct city_building *building, double full, int steps,
                  int tops[RTOP_STATES], bool *cut);
bool city_awake(const struct city_building *building, int64_t now_ns);
void city_destroy(struct city *city);

#endif
