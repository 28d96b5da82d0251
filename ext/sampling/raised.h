/* SPDX-License-Identifier: MIT */
/* Counts of raised exceptions by class, source location and thread.
 *
 * The hook records VALUEs: the class, and the frames from the raising one to the innermost Ruby code of the program.
 * The next job names the class and finds the node of the location; from then on the hook only counts. The publisher
 * takes the counts. The table has a fixed size: exceptions that find no room, or exceed the limit of a window, are
 * counted as unreported. An entry without recent exceptions is freed, so that the GC can collect its class.
 *
 * Threads: see each function.
 */
#ifndef RTOP_EXT_RAISED_H
#define RTOP_EXT_RAISED_H

#include <ruby.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct sampler;

enum {
  RAISED_MAX = 128,
  RAISED_DEPTH = 8,       /* maximum number of recorded frames */
  RAISED_A_WINDOW = 2000, /* maximum number of exceptions per window that are reported by class and location */
};
#define RAISED_NO_NAME UINT32_MAX

struct raised_entry {
  /* The key. Written with the GVL, while the count is 0. */
  VALUE class; /* 0: free */
  uint64_t serial;
  uint32_t depth;
  int line;                   /* line of the outermost recorded frame */
  VALUE frames[RAISED_DEPTH]; /* recorded frames, leaf first */
  /* Written by the job, read by the publisher; `node` is written last. node 0: not named yet. name RAISED_NO_NAME: the
   * name found no room. */
  _Atomic uint32_t name, node;
  /* Exceptions since the publisher last read this entry: the hook writes these fields, `count` last, and the publisher
   * resets them. */
  _Atomic int64_t first_ns, last_ns; /* first_ns: 0 when the publisher reset it */
  _Atomic uint64_t count;
};

struct raised {
  _Atomic uint64_t untold; /* number of unreported exceptions since the publisher last took this number */
  /* fields under the GVL */
  uint64_t window; /* number of the window that exceptions are currently counted for */
  uint32_t in_window, used;
  bool unnamed, naming;          /* unnamed: some entry has no node yet; naming: the job is naming an entry */
  uint8_t slots[2 * RAISED_MAX]; /* hash table, open addressing: index of an entry + 1; 0: free */
  VALUE marker;                  /* keeps the VALUEs alive */
  struct raised_entry entries[RAISED_MAX];
};

/* Under the GVL; makes one Ruby object. */
void raised_create(struct raised *raised);
void raised_destroy(struct raised *raised);

/* [hook] Counts an exception that the calling thread, of the main Ractor, raises. */
void raised_note(struct raised *raised, struct sampler *sampler, VALUE exception, uint64_t serial);

/* [job] raised_name() names the recorded exceptions; raised_age() sometimes forgets entries without recent exceptions.
 * Neither raises. */
void raised_name(struct raised *raised, struct sampler *sampler);
void raised_age(struct raised *raised, int64_t now_ns);

/* Starts counting anew; all names must be found again. With the GVL, outside hooks. */
void raised_begin(struct raised *raised);

/* For the publisher. raised_look() reads the nodes of an entry; false when the entry has no counted exceptions.
 * raised_take() reads an entry and resets its counts. Nodes may be RTOP_NODE_ROOT (not named yet) or RAISED_NO_NAME. */
struct raised_taken {
  uint32_t name, node;
  uint64_t serial, count;
  int64_t first_ns, last_ns;
};
bool raised_look(const struct raised *raised, uint32_t entry, uint32_t *name, uint32_t *node);
struct raised_taken raised_take(struct raised *raised, uint32_t entry);

#endif
