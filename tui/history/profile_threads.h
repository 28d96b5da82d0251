/* SPDX-License-Identifier: MIT */
/* The threads that a profile knows, by serial, under dense ids that are used again, and names. Private to the profile.
 *
 * Threads: one. A zeroed struct is empty.
 */
#ifndef RTOP_TUI_PROFILE_THREADS_H
#define RTOP_TUI_PROFILE_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
/* Without this uthash ends the program when memory runs out. */
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(element) ((element)->lost = true)
#include <uthash.h>

enum { PROFILE_THREAD_REAL, PROFILE_THREAD_ENDED };

struct profile_thread {
  struct profile_thread_key {
    uint64_t serial;
    uint32_t source;  /* as the feed calls it */
    uint32_t kind;    /* PROFILE_THREAD_… */
    const char *name; /* only of those that stand for all that ended under a name */
  } key;
  uint32_t id;
  uint32_t native_id;
  bool is_main;
  const char *name;
  size_t windows; /* how many list it */
  /* In the sum of what memory could not hold: is it there, and what may still be replaced. */
  bool carried;
  uint64_t pending_ns;
  uint32_t pending_node, pending_state;
  bool lost;    /* memory ran out: it is not in by_key */
  bool pinned;  /* of a loader's windows: stays when they are unloaded */
  uint32_t row; /* scratch of a sum: index + 1 */
  UT_hash_handle hh;
};

struct profile_threads {
  struct profile_thread **all; /* by id; NULL: free */
  uint32_t count, capacity;
  struct profile_thread *by_key; /* private, as all that follows */
  uint32_t *free_ids;
  uint32_t free_count, free_capacity;
  struct profile_name *names;
};

/* The name, sanitised, as long as the profile; "" when it has none. */
const char *profile_name(struct profile_threads *threads, const char *bytes, size_t count);
/* The thread, made when it is new; NULL when memory ran out. Of the key every byte counts, padding too. */
struct profile_thread *profile_thread_make(struct profile_threads *threads, const struct profile_thread_key *key);
/* No window lists it, nobody else knows it: its id goes to others. */
void profile_thread_free(struct profile_threads *threads, uint32_t id);
void profile_threads_destroy(struct profile_threads *threads);

#endif
