/* SPDX-License-Identifier: MIT */
/* Maps the VM's frame VALUEs to named frames of the profiler.
 *
 * VALUEs are kept in a bounded table whose entries are marked for the GC, since otherwise a new method at a reused
 * address would get the old method's name. Because a marked method keeps its class alive, all VALUEs are forgotten when
 * a major collection begins.
 *
 * A frame is identified by its owner's name, the path and first line of its code, and its own name; the frame of a C
 * function, by owner and name. So methods of differently named classes that come from one evaluated line are distinct;
 * aliases, reloaded classes, including classes, and unnamed owners ("#<Class>#run") share one frame. Code without an
 * owner (a block for define_method, a class body) has a label without a class.
 *
 * Names are made in the job (frames_add). A hook that finds a new VALUE only notes the stack (noted.h), unless the
 * VALUE is a known wait method (waits.h) or the texts of its name exist already (frames_peek).
 *
 * Threads: frames_find() under the sampler's lock. frames_add() only in the job, without that lock, as it makes Ruby
 * objects. The publisher reads entries below the published counts at any time.
 */
#ifndef RTOP_EXT_FRAMES_H
#define RTOP_EXT_FRAMES_H

#include "noted.h"
#include "waits.h"
#include "ext/base/id_map.h"
#include "ext/base/trylock.h"
#include "shm/base/format.h"
#include <ruby.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
  /* minimum limit for the number of VALUEs kept alive at a time; the limit is the capacity for frames if that is
   * larger */
  FRAMES_VALUES_MIN = 16384,
  FRAMES_ADD_PER_JOB = 256,
};

/* String references are ids in the string table below; 0 is "". */
struct frames_entry {
  uint32_t label, path, namespace_label, line;
  uint16_t kind; /* enum rtop_frame_kind */
  bool excluded; /* whether the frame is left out of stacks */
};

struct frames_string {
  uint32_t offset; /* offset in the arena, in bytes */
  uint32_t bytes;
};

struct frames_value {
  VALUE value; /* 0: free */
  uint32_t frame;
};

struct frames {
  struct frames_entry *entries;
  uint32_t capacity;
  _Atomic uint32_t count;
  struct id_map identities; /* map from a hash of the frame's identity to the frame */

  /* hash table with open addressing over value_mask + 1 slots; memory for the maximum is reserved */
  struct frames_value *values;
  uint32_t value_slots, values_max;
  uint32_t value_mask;
  uint32_t value_count;
  struct trylock *lock;        /* the sampler's lock */
  VALUE majors_key;            /* key for rb_gc_stat(); 0: this Ruby does not count major collections */
  size_t majors;               /* number of major collections when VALUEs were last forgotten */
  _Atomic uint64_t generation; /* number that grows when VALUEs are forgotten; caches of VALUEs are then outdated */

  struct noted noted;

  char *arena;
  uint32_t arena_used, arena_capacity;
  uint32_t labels_used; /* bytes of the arena used by label sets and fiber names */
  struct frames_string *strings;
  _Atomic uint32_t string_count;
  uint32_t string_capacity;
  struct id_map string_ids; /* map from a string's hash to its id */
  struct waits waits;
  struct rtop_patterns *excluded; /* patterns of excluded frames; NULL: none. See exclude.h */

  _Atomic uint64_t overflowed; /* number of frames that found no room, shown as "(other frames)" */
  VALUE marker;                /* keeps the VALUEs alive */
};

/* Creates the table. `lock` is the sampler's. With the GVL; makes one Ruby object. Returns 0, or -1 when memory ran
 * out. */
int frames_create(struct frames *frames, uint32_t capacity, uint32_t arena_bytes, struct trylock *lock,
                  VALUE majors_key);
void frames_destroy(struct frames *frames);

/* Returns the id of a frame, or FRAMES_UNKNOWN. [hook] */
uint32_t frames_find(struct frames *frames, VALUE value);

/* Adds code whose names can be read in place (frame_names_peek()); returns FRAMES_UNKNOWN for other code. On a thread
 * of the only Ractor, under the sampler's lock. [hook] */
uint32_t frames_peek(struct frames *frames, VALUE value);

/* Names `value` and adds it if it is new. Returns false when the sampler's lock is busy or the VM raised. */
bool frames_add(struct frames *frames, VALUE value);

/* Tells whether the frame is the outermost code of the program. Under the sampler's lock. */
bool frames_is_main(const struct frames *frames, uint32_t frame);

/* Decides whether a frame whose names are complete is excluded, and sets entry->excluded. Under the sampler's lock. */
void frames_judge(const struct frames *frames, struct frames_entry *entry);

/* Makes a frame for the profiler itself. Call only in frames_create(). */
uint32_t frames_special(struct frames *frames, const char *label);

/* Adds a frame for a set of labels (shm/base/label_text.h). Returns FRAMES_OTHER when labels have used up their share
 * of the strings, an eighth. Under the sampler's lock. */
uint32_t frames_labels(struct frames *frames, const char *text, size_t bytes);

/* Like frames_labels(), for a name of fibers (RTOP_FIBERS_NAMESPACE). */
uint32_t frames_task(struct frames *frames, const char *text, size_t bytes);

/* Like frames_labels(), for the name of an exception class (RTOP_RAISED_NAMESPACE); equal names share a frame. */
uint32_t frames_raised(struct frames *frames, const char *text, size_t bytes);

/* Finds or adds the frame of a method not written in Ruby, by the method's label and the label of its class;
 * FRAMES_OTHER when there is no room. Under the sampler's lock. */
uint32_t frames_function(struct frames *frames, const char *label, const char *namespace_label);

/* Finds or adds the frame of a method whose code is a block (define_method), by the method's label and the label of its
 * class, since one block may be the code of many methods. FRAMES_OTHER when there is no room. Under the sampler's
 * lock. */
uint32_t frames_method_of_code(struct frames *frames, VALUE code, const char *label, const char *namespace_label);

/* Finds or adds the frame of a class of objects (RTOP_OBJECTS_NAMESPACE); equal names share a frame. FRAMES_OTHER when
 * there is no room. Under the sampler's lock. */
uint32_t frames_class(struct frames *frames, const char *text, size_t bytes);

/* Forgets all VALUEs when the table is almost full. In the job; takes the sampler's lock. */
void frames_make_room(struct frames *frames);

static inline uint32_t frames_count(struct frames *frames)
{
  return atomic_load_explicit(&frames->count, memory_order_acquire);
}

static inline const char *frames_string(const struct frames *frames, uint32_t id, size_t *bytes)
{
  *bytes = frames->strings[id].bytes;
  return frames->arena + frames->strings[id].offset;
}

/* Reserved frames have the ids of their nodes (format.h); the frames of the profiler itself follow. */
enum { FRAMES_OTHER = RTOP_NODE_FIRST_FREE, FRAMES_TRUNCATED, FRAMES_OWN, FRAMES_EXCLUDED, FRAMES_SHARED };
#define FRAMES_UNKNOWN UINT32_MAX

#endif
