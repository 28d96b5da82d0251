/* The city of the skyline: every method is a building in a place of its own, in the block of its package.
 *
 * A place in the street depends only on what was seen before: blocks stand in the order in which they came,
 * buildings in the order in which they came to their block, and a lot keeps its columns for a while when
 * it has more than it needs. What was not seen for QUIET seconds gives its columns back; when it wakes up
 * it is between the same neighbours again. Widths follow the self time of the last plan periods, heights
 * are the caller's business.
 *
 * Of every building only what it is planned by is kept, in its pulse; the other figures are those of the
 * buildings in the street.
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
  uint32_t frame; /* method; of a group in the street: that with the most self time */
  uint32_t block;
  uint32_t next;                   /* in its block and level; index + 1 */
  char *name;                      /* of a class or package; NULL for a method */
  int width;                       /* columns; 0: quiet */
  int x;                           /* in the street */
  uint32_t present;                /* its methods in the sum at hand; of a method 1 or 0 */
  uint64_t total_ns;               /* of a method in the street */
  uint32_t threads;                /* in the street: have it on their stack; of groups the largest method's */
  uint64_t wall_ns[RTOP_STATES];   /* in the street: in which states */
  double peak_before, high_before; /* as in the pulse, in the plan period before */
  int64_t seen_ns, woke_ns;        /* when it was left, when it came after a sleep */
};

/* What is kept of every building, in the street or not. */
struct city_pulse {
  uint64_t self_ns;
  uint64_t most_ns; /* on a stack of its busiest thread; of groups only while such are shown */
  double peak;      /* largest share of self time in this plan period */
  double high;      /* the same of the ratio */
};

struct city_block {
  char *name;
  bool folded;                /* one building for the whole block */
  uint32_t first[2], last[2]; /* methods, classes: index + 1 */
  uint32_t package;           /* its building as a whole */
  int x, lot;                 /* columns that are its own; 0: nothing to see */
};

struct city {
  enum city_level level;
  struct city_building *buildings;
  struct city_pulse *pulses; /* of the same index */
  uint32_t count;
  struct city_block *blocks;
  uint32_t block_count;
  uint32_t *street; /* buildings with a width, from left to right */
  uint32_t street_count;
  int columns;         /* of the whole street */
  int planned_columns; /* of the screen */
  uint64_t length_ns;  /* of the sum at hand */
  uint64_t self_ns;    /* of all methods */
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
  double self_sum; /* private: when the street was planned */
  double low;      /* lower buildings are not shown: the street would be too long */
  int crowd;       /* private: how narrow buildings must be */
};

struct city_news {
  const struct rtop_methods *methods;
  const struct rtop_sum *sum;
  const struct rtop_symbols *symbols;
  int64_t now_ns;
};
/* Takes the figures of a refresh and plans the street for a screen of `columns`. False: memory ran out. */
bool city_update(struct city *city, const struct city_news *news, int columns);
/* The building that stands for a method now; NULL: never seen. */
struct city_building *city_of(struct city *city, uint32_t frame);
void city_fold(struct city *city, uint32_t block);
void city_next_level(struct city *city);
/* Now, as shares of the span: self time, and the time on a stack of the busiest thread (0 to 1). */
double city_self(const struct city *city, const struct city_building *building);
double city_ratio(const struct city *city, const struct city_building *building);
enum rtop_state city_state(const struct city_building *building);
bool city_awake(const struct city_building *building, int64_t now_ns);
void city_destroy(struct city *city);

#endif
