/* SPDX-License-Identifier: MIT */
/* Profiles for RperfTop.profile: sums of windows by call node, thread and state.
 *
 * Each window is added to every open profile as it is published; so a profile covers the time between two cuts and does
 * not depend on the ring. Memory is bounded: figures that find no room are added to the root, and counted.
 *
 * Threads: profiles are opened, read and closed with the GVL; the publisher adds windows. The lock is held while a
 * window is added.
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
  int64_t start_ns, end_ns; /* time span of the windows added so far; equal when there are none */
  uint64_t windows, lost;   /* windows: number of windows; lost: number of cells that found no room */
  uint64_t counters[RTOP_COUNTER_ID_MAX];
  struct rtop_cell *cells; /* `thread` is an index of `threads` */
  uint32_t *index;         /* hash table by node, thread and state: index of a cell + 1 */
  uint32_t cell_count, cell_capacity, index_mask;
  struct profile_thread *threads;
  uint32_t thread_count, thread_capacity;
  struct rtop_begun *begun;
  uint32_t begun_count, begun_capacity;
};

struct profiles {
  struct trylock lock;
  struct profile all[PROFILES_MAX];
  _Atomic uint32_t hz; /* highest rate that any open profile requests; 0: none is open */
};

/* Opens a profile that begins with the next window. Returns its slot, or -1 when too many are open. */
int profiles_open(struct profiles *profiles, uint32_t hz);
/* Copies the content of an open profile to *to; free the copy with profile_free(). `clear` empties the profile, `close`
 * closes it. */
void profiles_read(struct profiles *profiles, int slot, bool clear, bool close, struct profile *to);
/* Raises the wanted rate before a profile is opened, to wake up a parked session. If no profile is opened after all,
 * call again with 0. */
void profiles_want(struct profiles *profiles, uint32_t hz);
/* Adds a window that is complete and not written yet. Called by the publisher. */
void profiles_add(struct profiles *profiles, const struct rtop_window *window, const struct rtop_writer *writer);
/* Empties the profiles in a forked child, which must not report the time of the parent's threads. */
void profiles_forked(struct profiles *profiles);
void profile_free(struct profile *profile);

#endif
