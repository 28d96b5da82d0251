/* SPDX-License-Identifier: MIT */
/* Small lists of a window: labels that began (work that got a label it did not have before, RperfTop.label), waiting
 * fibers of a scheduler, figures of traced methods, and exceptions.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_PROFILE_LISTS_H
#define RTOP_TUI_PROFILE_LISTS_H

#include "profile.h"
#include "shm/base/format.h"

struct rtop_begun_count {
  uint32_t node;  /* node of the label set; a node that is none: the label belongs to a set that found no room */
  uint32_t label; /* which one of the set */
  uint64_t count; /* count, as a sum over the span would contain it */
};

/* Visits the labels that began in every window of the span, except those that the lens leaves out. The same label may
 * come many times. `source` is UINT32_MAX where it is unknown. */
void rtop_profile_each_begun(const struct rtop_profile *profile, struct rtop_span span,
                             void (*visit)(void *context, uint32_t source, const struct rtop_begun_count *begun),
                             void *context);

/* For the profile, as all lists in this header. Rows are added in any order and then arranged: sorted by key and joined
 * (of present values the later remains). Arranged lists are merged by profile_..._add_all(), with the later window as
 * the second argument. profile_..._carry() merges windows that memory cannot hold, with a limit on the number of rows;
 * rows beyond it lose their set or class and place, or are dropped (traced methods). No function takes longer than
 * sorting. False when memory ran out. */
enum { PROFILE_CARRIED_MAX = 1 << 18 };

/* By node and label. */
struct profile_begun {
  struct rtop_begun_count *all;
  size_t count, capacity;
};
bool profile_begun_add(struct profile_begun *list, const struct rtop_begun_count *begun);
bool profile_begun_arrange(struct profile_begun *list);
bool profile_begun_add_all(struct profile_begun *list, const struct profile_begun *from);
bool profile_begun_carry(struct profile_begun *list, const struct profile_begun *from);
void profile_begun_destroy(struct profile_begun *list);
static inline size_t profile_begun_bytes(const struct profile_begun *list)
{
  return list->capacity * sizeof *list->all;
}

/* Waiting fibers of one thread with one name and stack. */
struct rtop_fibers_wait {
  uint64_t serial; /* of the thread */
  uint32_t name;   /* node of the fibers' name, given by the program; 0: none */
  uint32_t node;   /* node where the fibers wait, or waited last; 0: unknown */
  uint32_t alive, waiting;
  uint64_t wait_ns, longest_ns;
};

struct profile_part;
struct rtop_fibers_look {
  uint32_t source;
  const struct rtop_fibers_wait *all;
  size_t count;
  const struct profile_part *part; /* private */
};

/* Visits every window of the span in order of time, with or without fibers. The lens is not applied. */
void rtop_profile_each_fibers(const struct rtop_profile *profile, struct rtop_span span,
                              void (*visit)(void *context, const struct rtop_fibers_look *look), void *context);
/* Returns the part of `ns` of a window that a sum over the span would contain. */
uint64_t rtop_fibers_share(const struct rtop_fibers_look *look, uint64_t ns);

/* By thread, name and node. */
struct profile_fibers {
  struct rtop_fibers_wait *all;
  size_t count, capacity;
};
/* Adds a row. A list of fibers is made when its first row is added: most windows have none (NULL). */
bool profile_fibers_add(struct profile_fibers **list, const struct rtop_fibers_wait *fibers);
bool profile_fibers_arrange(struct profile_fibers *list);
/* A later window's. */
bool profile_fibers_add_all(struct profile_fibers **list, const struct profile_fibers *from);
void profile_fibers_destroy(struct profile_fibers **list);
static inline size_t profile_fibers_bytes(const struct profile_fibers *list)
{
  return list ? sizeof *list + list->capacity * sizeof *list->all : 0;
}

/* A number of a traced method. */
struct rtop_exact_number {
  uint32_t node; /* of the profile */
  uint32_t what, key;
  uint64_t value;
};

/* Visits the figures of traced methods in every window of the span, oldest first, regardless of the lens; windows at
 * the ends of the span count in proportion. The same key may come many times: rtop_exact_sum() (shm/window/window.h)
 * combines them. `source` is UINT32_MAX where it is unknown. */
void rtop_profile_each_exact(const struct rtop_profile *profile, struct rtop_span span,
                             void (*visit)(void *context, uint32_t source, const struct rtop_exact_number *number),
                             void *context);

/* A call of a traced method that took longer than the threshold, or one of the slowest blocks with labels. */
struct rtop_slow_call {
  uint32_t node;  /* node of the method: a child of the root */
  uint32_t stack; /* with its labels; 0: not known */
  int64_t end_ns;
  uint64_t serial; /* of the thread; 0: not known */
  uint64_t total_ns, self_ns, wait_ns, off_ns;
  bool raised;      /* left by an exception */
  const char *args; /* the call's arguments, sanitised; NULL: unknown. Valid until the profile changes */
  uint32_t own;     /* of a block: a bit for each label of its set that began the block; 0: a call */
  uint64_t work_ns[RTOP_WORK_CAUSES]; /* of a block: its total time by cause (ns), without RTOP_WORK_WHOLE */
};
enum { PROFILE_SLOW_MAX = 1024, PROFILE_BLOCKS_MAX = 256 }; /* calls, blocks of a window, however many it says */

/* Visits the slow calls and blocks that ended in the span, in order of windows. The number of slow calls, including
 * calls that found no room, is a figure (RTOP_EXACT_SLOW). `source` is UINT32_MAX where it is unknown. */
void rtop_profile_each_slow(const struct rtop_profile *profile, struct rtop_span span,
                            void (*visit)(void *context, uint32_t source, const struct rtop_slow_call *call),
                            void *context);

/* Figures sorted by node, what and key, and slow calls in order of arrival; if there are too many calls, the longest
 * are kept. NULL is an empty list, as most are. */
struct profile_exact {
  struct rtop_exact_number *all;
  size_t count, capacity;
  struct rtop_slow_call *slow;
  size_t slow_count, slow_capacity, block_count;
  size_t args_bytes; /* of memory */
};
/* Adds a slow call, with a copy of its arguments that the list owns. */
bool profile_slow_add(struct profile_exact **list, const struct rtop_slow_call *call);
/* Frees the room that no call or block uses, once all of a window have been added. */
void profile_slow_fit(struct profile_exact *list);
size_t profile_slow_args_bytes(const struct rtop_slow_call *call); /* as a window tells them */
static inline size_t profile_slow_count(const struct profile_exact *list)
{
  return list ? list->slow_count : 0;
}
bool profile_exact_add(struct profile_exact **list, const struct rtop_exact_number *number);
bool profile_exact_arrange(struct profile_exact *list);
bool profile_exact_add_all(struct profile_exact **list, const struct profile_exact *from);
bool profile_exact_carry(struct profile_exact **list, const struct profile_exact *from);
void profile_exact_destroy(struct profile_exact **list);
static inline size_t profile_exact_count(const struct profile_exact *list)
{
  return list ? list->count : 0;
}
static inline size_t profile_exact_bytes(const struct profile_exact *list)
{
  if (!list) return 0;
  return sizeof *list + list->capacity * sizeof *list->all + list->slow_capacity * sizeof *list->slow +
         list->args_bytes;
}
/* Returns the proportional part of a figure; a figure that is not a sum is taken whole. */
uint64_t profile_exact_share(const struct profile_part *part, const struct rtop_exact_number *number);
/* Remembers what is in it. */
void profile_exact_note(struct rtop_profile *profile, const struct profile_exact *list);
struct profile_window;
/* Did the call end in this part of the window that contains it? */
bool profile_slow_is_in(const struct rtop_slow_call *call, const struct profile_window *window,
                        const struct profile_part *part);

/* Exceptions of one class, raised at one place by one thread. */
struct rtop_raised_count {
  uint32_t name; /* node of the class name; 0: any class */
  uint32_t
      /* node of the innermost Ruby frame, a child of the root, or below it of the C function that it called; 0:
         unknown */
      node;
  uint64_t serial; /* serial of the thread; 0: unknown, or several */
  uint64_t count;
  int64_t first_ns, last_ns; /* first_ns may be earlier than the window that reports the exception */
};

/* Visits the exceptions of every window of the span, oldest first, regardless of the lens; windows at the ends of the
 * span count in proportion. The same key may come many times. `source` is UINT32_MAX where it is unknown. */
void rtop_profile_each_raised(const struct rtop_profile *profile, struct rtop_span span,
                              void (*visit)(void *context, uint32_t source, const struct rtop_raised_count *raised),
                              void *context);

/* Exceptions by class, place and thread; NULL is an empty list, as most are. Carried exceptions have no thread. */
enum { PROFILE_RAISED_MAX = 4096 }; /* of a window, however many it says */
struct profile_raised {
  struct rtop_raised_count *all;
  size_t count, capacity;
};
bool profile_raised_add(struct profile_raised **list, const struct rtop_raised_count *raised);
bool profile_raised_arrange(struct profile_raised *list);
bool profile_raised_add_all(struct profile_raised **list, const struct profile_raised *from);
bool profile_raised_carry(struct profile_raised **list, const struct profile_raised *from);
void profile_raised_destroy(struct profile_raised **list);
static inline size_t profile_raised_count(const struct profile_raised *list)
{
  return list ? list->count : 0;
}
static inline size_t profile_raised_bytes(const struct profile_raised *list)
{
  return list ? sizeof *list + list->capacity * sizeof *list->all : 0;
}

/* What one party waited behind another; parties as in struct rtop_behind (shm/window/window.h), nodes of the profile. */
struct rtop_behind_count {
  uint32_t node, holder; /* 0, or a node of neither labels nor a method: several, not known, or nobody (HANDOVER) */
  uint32_t cause;        /* enum rtop_pair_cause */
  uint32_t place;        /* 0: not known */
  uint64_t count, wait_ns;
};

/* Visits the pairs of every window of the span, as rtop_profile_each_raised() does exceptions. */
void rtop_profile_each_pair(const struct rtop_profile *profile, struct rtop_span span,
                            void (*visit)(void *context, uint32_t source, const struct rtop_behind_count *pair),
                            void *context);

/* Pairs by parties, cause and place; NULL is an empty list. Carried pairs have no place. */
enum { PROFILE_PAIRS_MAX = 4096 }; /* of a window, however many it says */
struct profile_pairs {
  struct rtop_behind_count *all;
  size_t count, capacity;
};
bool profile_pairs_add(struct profile_pairs **list, const struct rtop_behind_count *pair);
bool profile_pairs_arrange(struct profile_pairs *list);
bool profile_pairs_add_all(struct profile_pairs **list, const struct profile_pairs *from);
bool profile_pairs_carry(struct profile_pairs **list, const struct profile_pairs *from);
void profile_pairs_destroy(struct profile_pairs **list);
static inline size_t profile_pairs_count(const struct profile_pairs *list)
{
  return list ? list->count : 0;
}
static inline size_t profile_pairs_bytes(const struct profile_pairs *list)
{
  return list ? sizeof *list + list->capacity * sizeof *list->all : 0;
}

#endif
