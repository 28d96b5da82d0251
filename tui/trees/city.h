/* SPDX-License-Identifier: MIT */
/* The city of the skyline view: every method is a building at a fixed place, in the block of its package.
 *
 * Blocks are arranged in streets below one another. A building's height is its self time, in the clock of the mode, and
 * its storeys are the thread states of that time; sorted by ratio, the height is the time on the stack of its busiest
 * thread (for a group, that of its highest method), without states. Widths are independent of figures, so no building
 * moves when figures change. A building that is in no window keeps its lot as bare ground while there is room; what never
 * had self time worth a figure has no lot, unless heights are ratios.
 *
 * A building's place depends only on earlier updates: a new building takes a free place in its block, which has spare
 * ones. The city is laid out again only when a building finds no place, or much room became free. If not all buildings
 * fit, the lowest are left out, and a block shows how many.
 *
 * Only the data for planning (pulse) are kept for every building; other figures only for those in streets.
 *
 * No screen. Threads: one. The city owns its memory, which grows with the methods ever seen.
 */
#ifndef RTOP_TUI_CITY_H
#define RTOP_TUI_CITY_H

#include "tui/methods/methods.h"

#define CITY_QUIET_NS INT64_C(20000000000) /* then a building shrinks to nothing */
/* least time without activity (ns) after which a building is marked when it becomes active again */
#define CITY_ASLEEP_NS INT64_C(3000000000)
#define CITY_AWAKE_NS INT64_C(3000000000) /* which stays for so long */
#define CITY_PLAN_NS INT64_C(10000000000) /* least time (ns) between two plans that may take columns away */

#define CITY_LOW 0.0005 /* less self time is displayed as 0.0 */

enum city_level { CITY_METHODS, CITY_CLASSES, CITY_PACKAGES, CITY_LEVELS };
enum { CITY_WAYS = 2 }; /* private */

struct city_building {
  enum city_level level;
  uint32_t frame; /* frame of the method; for a group in a street its method with the most self time */
  uint32_t block;
  uint32_t next;     /* in its block and level; index + 1 */
  char *name;        /* name of a class or package; NULL for a method */
  uint32_t place;    /* number of the place in its block, from 1; 0: not shown */
  int x;             /* in its street */
  uint32_t present;  /* number of its methods in the present sum; for a method 1 or 0 */
  uint64_t total_ns; /* of a method in a street */
  /* in a street: number of threads that have the method on their stack; for groups the largest number of any method */
  uint32_t threads;
  uint64_t part_ns[RTOP_STATES]; /* in a street: self time by state (ns), as counted by the mode */
  double peak_before;            /* peak (see the pulse) of the previous plan period */
  int64_t seen_ns, woke_ns;      /* times of the last activity, and of the first activity after a sleep */
};

/* Data kept for every building, in a street or not. */
struct city_pulse {
  uint64_t self_ns;
  uint64_t most_ns; /* time on the stack of the busiest thread (ns); for groups only while groups are shown */
  double peak;      /* largest share of self time in this plan period */
  bool stood;       /* it ever had CITY_LOW of self time, or was selected */
};

struct city_block {
  char *name;
  bool folded;                /* one building for the whole block */
  uint32_t first[2], last[2]; /* methods, classes: index + 1 */
  uint32_t package;           /* its building as a whole */
  int street, x, lot;         /* columns of its lot; 0: not visible */
  uint32_t places;            /* number of places assigned so far, including those that are free again */
  uint32_t hidden;            /* buildings that are not shown */
  double low;                 /* least share that is shown, for a block that fills a street alone */
};

/* The part of the screen for which the city is planned. */
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
  uint32_t *street; /* shown buildings, street by street, from left to right */
  uint32_t street_count;
  int streets, street_rows;   /* number of rows of a street, of which the last is the ground with the names of blocks */
  int bar;                    /* columns of a building */
  uint32_t hidden;            /* number of hidden buildings in hidden blocks */
  double full;                /* share of self time whose building is as high as a street */
  struct city_ground planned; /* for this part of the screen */
  uint64_t length_ns;         /* of the sum at hand */
  uint64_t self_ns;           /* of all methods */
  bool by_ratio;              /* heights are */
  int64_t planned_ns, updated_ns;
  bool replan;                          /* the user changed what is shown, so the city will be planned again */
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
  uint32_t selected;   /* the method that the user chose has a lot, whatever it does; 0: none */
  int64_t now_ns;
};
/* Takes the figures of an update and plans the streets. False: memory ran out. */
bool city_update(struct city *city, const struct city_news *news, struct city_ground ground);
/* Returns the building that represents a method now; NULL: the method was never seen. */
struct city_building *city_of(struct city *city, uint32_t frame);
void city_fold(struct city *city, uint32_t block);
void city_next_level(struct city *city);
/* Present shares of the span: self time, and time on the stack of the busiest thread (0 to 1). */
double city_self(const struct city *city, const struct city_building *building);
double city_ratio(const struct city *city, const struct city_building *building);
/* Share that determines the building's height: one of city_self() and city_ratio(). */
double city_height(const struct city *city, const struct city_building *building);
/* Computes the height of a building when the highest one has `steps`: the top of each state's storeys, in the order of
 * city_storeys. *cut: the building would be higher than that. */
extern const enum rtop_state city_storeys[RTOP_STATES];
void city_heights(const struct city *city, const struct city_building *building, double full, int steps,
                  int tops[RTOP_STATES], bool *cut);
bool city_awake(const struct city_building *building, int64_t now_ns);
void city_destroy(struct city *city);

#endif
