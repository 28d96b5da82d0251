/* SPDX-License-Identifier: MIT */
/* Exceptions by class, place and thread, counted as they are raised.
 *
 * The hook notes VALUEs: the class, and the frames from where it was raised up to the innermost Ruby code of the program's.
 * The next job gives the class a name and the place a node of the call tree; from then on the hook only counts. The
 * publisher takes the counts. A table of fixed size: what finds no room, or comes too often in a window, is counted as
 * untold. What was not raised for a while gives its place to others, and its class to the GC.
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
  RAISED_DEPTH = 8,       /* frames that are looked at */
  RAISED_A_WINDOW = 2000, /* exceptions that are told apart */
};
#define RAISED_NO_NAME UINT32_MAX

struct raised_entry {
  /* what it is: under the GVL, while the count is 0 */
  VALUE class; /* 0: free */
  uint64_t serial;
  uint32_t depth;
  int line;                   /* of the outermost frame */
  VALUE frames[RAISED_DEPTH]; /* leaf first */
  /* from the job to the publisher; `node` comes last. 0: not yet. RAISED_NO_NAME: there was no room */
  _Atomic uint32_t name, node;
  /* from the hook to the publisher, which takes them: `count` comes last */
  _Atomic int64_t first_ns, last_ns; /* first: 0 when it was taken */
  _Atomic uint64_t count;
};

struct raised {
  _Atomic uint64_t untold; /* since the publisher took it */
  /* under the GVL */
  uint64_t window; /* the sampler's number of the one that the next counts for */
  uint32_t in_window, used;
  bool unnamed, naming;           /* some entry has no node yet; one is being looked for */
  uint8_t places[2 * RAISED_MAX]; /* open addressing: entry + 1; 0: free */
  VALUE marker;                   /* keeps the VALUEs alive */
  struct raised_entry entries[RAISED_MAX];
};

/* Under the GVL; makes one Ruby object. */
void raised_create(struct raised *raised);
void raised_destroy(struct raised *raised);

/* [hook] The calling thread, of the main Ractor, raises this exception now. */
void raised_note(struct raised *raised, struct sampler *sampler, VALUE exception, uint64_t serial);

/* [job] Gives names to what was noted, and now and then forgets what does not come any more. Raises nothing. */
void raised_name(struct raised *raised, struct sampler *sampler);
void raised_age(struct raised *raised, int64_t now_ns);

/* Under the GVL, outside of hooks: counting begins anew, and names are to be found again. */
void raised_begin(struct raised *raised);

/* The publisher: takes what was counted. Nodes may be RTOP_NODE_ROOT (not yet) or RAISED_NO_NAME. False: nothing. */
struct raised_taken {
  uint32_t name, node;
  uint64_t serial, count;
  int64_t first_ns, last_ns;
};
bool raised_look(const struct raised *raised, uint32_t entry, uint32_t *name, uint32_t *node);
struct raised_taken raised_take(struct raised *raised, uint32_t entry);

#endif
