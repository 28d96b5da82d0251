/* The city of the skyline: every method is a building in a place of its own, in the block of its package.
 *
 * A place in the street depends only on what was seen before: blocks stand in the order in which they came,
 * buildings in the order in which they came to their block, and a lot keeps its columns for a while when
 * it has more than it needs. What was not seen for QUIET seconds gives its columns back; when it wakes up
 * it is between the same neighbours again. Widths follow the self time of the last plan periods, heights
 * are the caller's business.
 *
 * No screen. Threads: one. Memory belongs to the city and grows with the methods ever seen.
 */
#ifndef RTOP_TUI_CITY_H
#define RTOP_TUI_CITY_H

#include "methods.h"

#define CITY_QUIET_NS INT64_C(20000000000)         /* then a building shrinks to nothing */
#define CITY_ASLEEP_NS INT64_C(3000000000)         /* after so long a sleep, waking up is worth a mark */
#define CITY_AWAKE_NS INT64_C(3000000000)          /* which stays for so long */
#define CITY_PLAN_NS INT64_C(10000000000)          /* between two plans that may take columns away */

enum city_level { CITY_METHODS, CITY_CLASSES, CITY_PACKAGES, CITY_LEVELS };

struct city_building {
  enum city_level level;
  uint32_t frame;                      /* method; of a group: its method with the most self time */
  uint32_t block;
  uint32_t next;                       /* in its block and level; index + 1 */
  char *name;                          /* of a class or package; NULL for a method */
  int width;                           /* columns; 0: quiet */
  int x;                               /* in the street */
  double ratio;                        /* now: share of the span on a stack of its busiest thread */
  double self, total;                  /* now: shares of the span; of groups total is private */
  uint32_t threads;                    /* have it on their stack now; of groups: the largest method's */
  uint64_t wall_ns[RTOP_STATES];       /* now: in which states */
  double peak, peak_before;            /* of self, in this plan period and the one before */
  double high, high_before;            /* the same of ratio */
  int64_t seen_ns, woke_ns;
  bool active;                         /* in the sum at hand */
};

struct city_block {
  char *name;
  bool folded;                         /* one building for the whole block */
  uint32_t first[2], last[2];          /* methods, classes: index + 1 */
  uint32_t package;                    /* its building as a whole */
  int x, lot;                          /* columns that are its own; 0: nothing to see */
};

struct city {
  enum city_level level;
  struct city_building *buildings;
  uint32_t count;
  struct city_block *blocks;
  uint32_t block_count;
  uint32_t *street;                    /* buildings with a width, from left to right */
  uint32_t street_count;
  int columns;                         /* of the whole street */
  int planned_columns;                 /* of the screen */
  uint32_t *active, active_count;      /* buildings in the sum at hand */
  int64_t planned_ns, updated_ns;
  bool replan;                         /* the user changed what is shown: plan afresh */
  struct city_frame { uint32_t method, kind; } *frames;   /* private: by frame, index + 1 */
  void *names, *last_name;             /* private: classes and packages by name */
  uint64_t *wall_ns, *stamp;           /* private: scratch of groups */
  uint32_t *touched, *cells, *from;
  size_t cells_capacity, from_capacity;
  size_t capacity, block_capacity, street_capacity, active_capacity, frame_capacity;      /* private */
  size_t wall_capacity, stamp_capacity, touched_capacity;
  double self_sum;                     /* private: when the street was planned */
  double low;                          /* lower buildings are not shown: the street would be too long */
  int crowd;                           /* private: how narrow buildings must be */
};

/* Takes the figures of a refresh and plans the street for a screen of `columns`. False: memory ran out. */
bool city_update(struct city *city, const struct rtop_methods *methods, const struct rtop_sum *sum,
                 const struct rtop_symbols *symbols, int64_t now_ns, int columns);
/* The building that stands for a method now; NULL: never seen. */
struct city_building *city_of(struct city *city, uint32_t frame);
void city_fold(struct city *city, uint32_t block);
void city_next_level(struct city *city);
enum rtop_state city_state(const struct city_building *building);
bool city_awake(const struct city_building *building, int64_t now_ns);
void city_destroy(struct city *city);

#endif
