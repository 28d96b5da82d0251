/* SPDX-License-Identifier: MIT */
/* Sums of windows while somebody waits for them (RperfTop.profile): by call node, thread and state, of all threads.
 *
 * Each profile that is open takes every window that is published, so that it tells of the time between two cuts and needs
 * nothing of the ring. Memory is bounded: what finds no room stands under the root, and is counted.
 *
 * Threads: opened, read and closed under the GVL; the publisher adds. The lock is held for as long as a window takes.
 */
#ifndef RTOP_EXT_PROFILES_H
#define RTOP_EXT_PROFILES_H

#include "ext/base/trylock.h"
#include "shm/channel/writer.h"
#include <stdatomic.h>

enum { PROFILES_MAX = 16, PROFILE_CELLS_MAX = 1 << 17, PROFILE_THREADS_MAX = 4096, PROFILE_BEGUN_MAX = 4096 };

struct profile_thread {
  uint64_t serial;
  uint32_t native_id;
  bool is_main;
  uint32_t name_bytes;
  char name[sizeof((struct rtop_thread_entry *)0)->name];
};

struct profile {
  bool open;
  uint32_t hz;
  int64_t start_ns, end_ns; /* of the windows that are in it; equal: none */
  uint64_t windows, lost;   /* cells that found no room */
  uint64_t counters[RTOP_COUNTER_ID_MAX];
  struct rtop_cell *cells; /* `thread` is an index of `threads` */
  uint32_t *index;         /* by node, thread and state: cell + 1 */
  uint32_t cell_count, cell_capacity, index_mask;
  struct profile_thread *threads;
  uint32_t thread_count, thread_capacity;
  struct rtop_begun *begun;
  uint32_t begun_count, begun_capacity;
};

struct profiles {
  struct trylock lock;
  struct profile all[PROFILES_MAX];
  _Atomic uint32_t hz; /* the most that is wanted; 0: none is open */
};

/* From the next window on. -1: too many are open. */
int profiles_open(struct profiles *profiles, uint32_t hz);
/* What an open one holds, to be freed with profile_free(); it begins afresh when `clear`, and is no more when `close`. */
void profiles_read(struct profiles *profiles, int slot, bool clear, bool close, struct profile *to);
/* The rate counts from now on, before any is open: to wake a parked session. Give it back when nothing is opened. */
void profiles_want(struct profiles *profiles, uint32_t hz);
/* The publisher: a window that is complete and not written yet. */
void profiles_add(struct profiles *profiles, const struct rtop_window *window, const struct rtop_writer *writer);
/* In the child of a fork: what the parent's threads did is not the child's. */
void profiles_forked(struct profiles *profiles);
void profile_free(struct profile *profile);

#endif
