/* SPDX-License-Identifier: MIT */
/* From the VM's frame VALUEs to the profiler's own frames, with names.
 *
 * A VALUE is looked up in a bounded table whose entries are marked: memory that is used again would have the name of the
 * method that was there before. But a method keeps its class and all methods of that alive. So all are forgotten when a
 * major collection begins, which then takes what nobody else holds, and those that run are met again.
 *
 * What a frame is: a method of one owner, by the name of the class, module or singleton that has it, the path and first
 * line of its code, and its name; of a function in C the owner and the name. Not the VALUE: one method can have several. Not
 * the line alone: one line that is evaluated again and again (delegators, attributes, associations) defines methods
 * of many classes, each with a cost of its own. So
 *   apart are  methods of classes with different names, however they came to one line; "Cart.new" and "Cart#new"; what a
 *              module has, and the copies that module_function made of it
 *   together   are one module's method in all classes that include it, aliases, classes that were loaded again under
 *              their old name, and what owners without a name define on one line: "#<Class>#run" is all of them, as are the
 *              singletons of objects of one class, or a program that makes a class per request would be without end
 * A block in a method has the VALUE of the method. Where the VM tells only the code, without an owner (a block that
 * define_method took, the body of a class), the code is the frame: its label names no class, so none is accused.
 *
 * Names are made in the job, before a frame is used (frames_add). A hook that meets a new VALUE can only note the
 * stack (noted.h). But a process may go to wait for ever in what it never did before, and no job will come: so methods
 * of the VM in which programs wait are known from the start (waits.h), and texts that exist already are read in place,
 * as long as the process has one Ractor (frames_peek). The publisher copies frames and strings in order of their ids.
 *
 * Threads: frames_find() under the sampler's lock. frames_add() in the job only, without that lock (it makes Ruby
 * objects, so the GC may run). The publisher reads below the published counts at any time.
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
  FRAMES_VALUES_MIN = 16384, /* VALUEs kept alive at a time: as many as frames, these at least */
  FRAMES_ADD_PER_JOB = 256,
};

/* References to strings are ids in the string table below; 0 is "". */
struct frames_entry {
  uint32_t label, path, namespace_label, line;
  uint16_t kind; /* enum rtop_frame_kind */
  bool excluded; /* left out of stacks */
};

struct frames_string {
  uint32_t offset; /* into the arena */
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
  struct id_map identities; /* hash of what a frame is -> frame */

  struct frames_value *values; /* open addressing over the slots of value_mask; there is room for the most */
  uint32_t value_slots, values_max;
  uint32_t value_mask;
  uint32_t value_count;
  struct trylock *lock;        /* the sampler's */
  VALUE majors_key;            /* what rb_gc_stat() is asked for; 0: it does not tell of collections */
  size_t majors;               /* collections at which VALUEs were forgotten last */
  _Atomic uint64_t generation; /* grows when VALUEs were forgotten: caches of VALUEs are stale */

  struct noted noted;

  char *arena;
  uint32_t arena_used, arena_capacity;
  uint32_t labels_used; /* of it, by label sets and names of fibers */
  struct frames_string *strings;
  _Atomic uint32_t string_count;
  uint32_t string_capacity;
  struct id_map string_ids; /* hash -> string */
  struct waits waits;
  struct rtop_patterns *excluded; /* what is left out; NULL: nothing. See exclude.h */

  _Atomic uint64_t overflowed; /* frames that found no room: shown as "(other frames)" */
  VALUE marker;                /* keeps the VALUEs alive */
};

/* Under the GVL; makes one Ruby object. 0, or -1 when memory ran out. `lock` is the sampler's. */
int frames_create(struct frames *frames, uint32_t capacity, uint32_t arena_bytes, struct trylock *lock,
                  VALUE majors_key);
void frames_destroy(struct frames *frames);

/* Id of a frame, or FRAMES_UNKNOWN. [hook] */
uint32_t frames_find(struct frames *frames, VALUE value);

/* Adds code whose names can be read without asking for anything (frame_names_peek); else FRAMES_UNKNOWN. On a thread
 * of the only Ractor; under the sampler's lock. [hook] */
uint32_t frames_peek(struct frames *frames, VALUE value);

/* Names `value` and adds it unless it is there. False when the sampler's lock could not be had or the VM raised. */
bool frames_add(struct frames *frames, VALUE value);

/* Is a frame whose names are in place left out of stacks? Sets entry->excluded. Under the sampler's lock. */
void frames_judge(const struct frames *frames, struct frames_entry *entry);

/* A frame of the profiler's own. At start only. */
uint32_t frames_special(struct frames *frames, const char *label);

/* A frame that stands for a set of labels (shm/base/label_text.h); FRAMES_OTHER when there is no room: an eighth
 * of the strings is theirs. Under the sampler's lock. */
uint32_t frames_labels(struct frames *frames, const char *text, size_t bytes);

/* The same for a name of fibers (RTOP_FIBERS_NAMESPACE). */
uint32_t frames_task(struct frames *frames, const char *text, size_t bytes);

/* The same for the name of a class of exceptions (RTOP_RAISED_NAMESPACE); one name is one frame. */
uint32_t frames_raised(struct frames *frames, const char *text, size_t bytes);

/* The frame of a method that is not written in Ruby, by its label and that of its class; FRAMES_OTHER when there is no room.
 * Under the sampler's lock. */
uint32_t frames_function(struct frames *frames, const char *label, const char *namespace_label);

/* A frame that stands for a class of objects (RTOP_OBJECTS_NAMESPACE), as often as it is asked for the same; FRAMES_OTHER as
 * above. Under the sampler's lock. */
uint32_t frames_class(struct frames *frames, const char *text, size_t bytes);

/* Forgets VALUEs when there is hardly room for more. In the job; takes the sampler's lock. */
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

/* Reserved frames have the ids of their nodes (format.h); these follow them. */
enum { FRAMES_OTHER = RTOP_NODE_FIRST_FREE, FRAMES_TRUNCATED, FRAMES_OWN, FRAMES_EXCLUDED, FRAMES_SHARED };
#define FRAMES_UNKNOWN UINT32_MAX

#endif
