/* SPDX-License-Identifier: MIT */
/* The threads of a profile, by serial, with dense ids that are reused; and names. Private to the profile.
 *
 * Threads: one. A struct of zeros is empty.
 */
#ifndef RTOP_TUI_PROFILE_THREADS_H
#define RTOP_TUI_PROFILE_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
/* By default uthash ends the program when memory runs out. */
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(element) ((element)->lost = true)
#include <uthash.h>

enum { PROFILE_THREAD_REAL, PROFILE_THREAD_ENDED };

struct profile_thread {
  struct profile_thread_key {
    uint64_t serial;
    uint32_t source;  /* as the feed calls it */
    uint32_t kind;    /* PROFILE_THREAD_… */
    const char *name; /* name; only for threads that stand for all ended threads with this name */
  } key;
  uint32_t id;
  uint32_t native_id;
  bool is_main;
  const char *name;
  size_t windows; /* how many list it */
  /* Carried sums of the thread: whether it has any, and provisional time that may still be replaced. */
  bool carried;
  uint64_t pending_ns;
  uint32_t pending_node, pending_state;
  bool lost;    /* memory ran out: by_key does not contain the thread */
  bool pinned;  /* the thread belongs to windows of a loader: it is kept when they are unloaded */
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

/* Returns the sanitised name, valid as long as the profile; "" when there is none. */
const char *profile_name(struct profile_threads *threads, const char *bytes, size_t count);
/* Finds or makes a thread; NULL when memory ran out. Every byte of the key counts, including padding. */
struct profile_thread *profile_thread_make(struct profile_threads *threads, const struct profile_thread_key *key);
/* Frees the id of a thread that no window lists and to which nothing else refers. */
void profile_thread_free(struct profile_threads *threads, uint32_t id);
void profile_threads_destroy(struct profile_threads *threads);

#endif
