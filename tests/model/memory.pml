/* C11's memory for two threads: what a load may return when only fences and orders forbid it.
 *
 * Spin itself knows one memory in which every store is seen by all at once. Here each location keeps all
 * that was ever stored to it, and a relaxed load may return any of that which the thread is not known to
 * have passed: its own stores, what it read there before, and what it has learned by acquiring. This is the
 * view machine of the promising semantics without promises (Kang et al., POPL 2017): all that C11 allows
 * but for loads that see stores which depend on them. Store buffers (x86), stores that overtake each other and
 * loads that run ahead (ARM) are all in it.
 *
 * A view says of each thread up to which of its stores everything is known. A release fence gives the stores
 * behind it the view of then, a release store its own; who reads such a store has the view with an acquire
 * load, or from the next acquire fence on. A fence of sequential consistency shares one view with all others.
 *
 * Before this file is included: LOCATIONS and HISTORY (stores to each, the first value counted).
 */
#define MESSAGES (LOCATIONS * HISTORY)

byte mem_value[MESSAGES], mem_clock[MESSAGES], mem_by[MESSAGES];
byte mem_view0[MESSAGES], mem_view1[MESSAGES];   /* what who reads it may learn of the threads 0 and 1 */
byte mem_count[LOCATIONS];
byte thread_clock[2];
byte known[4];                  /* [2 * thread + of]: what it knows */
byte pending[4];                /* would know after an acquire fence */
byte released[4];               /* knew at its last release fence */
byte passed[2 * LOCATIONS];     /* the newest of each location that it has read or written */
byte common[2];                 /* of the fences of sequential consistency */
byte mem_i, mem_m;
byte mutant;                    /* which one is checked: 0 is the protocol as it is */

c_decl {
\#include <stdlib.h>
}

#define MAX(a, b) (((a) > (b)) -> (a) : (b))

/* Every location has its first value, which all know. */
inline mem_init()
{
  for (mem_i : 0 .. LOCATIONS - 1) {
    mem_count[mem_i] = 1
  }
  mem_i = 0;
  c_code { now.mutant = getenv("MUTANT") ? (unsigned char)atoi(getenv("MUTANT")) : 0; }
}

inline mem_append(t, loc, v, view_of_0, view_of_1)
{
  assert(mem_count[loc] < HISTORY);
  thread_clock[t]++;
  known[2 * (t) + (t)] = thread_clock[t];
  mem_m = (loc) * HISTORY + mem_count[loc];
  mem_value[mem_m] = v;
  mem_by[mem_m] = t;
  mem_clock[mem_m] = thread_clock[t];
  mem_view0[mem_m] = view_of_0;
  mem_view1[mem_m] = view_of_1;
  passed[(t) * LOCATIONS + (loc)] = mem_count[loc];
  mem_count[loc]++;
  mem_m = 0
}

inline store_relaxed(t, loc, v)
{
  d_step { mem_append(t, loc, v, released[2 * (t)], released[2 * (t) + 1]) }
}

inline store_release(t, loc, v)
{
  d_step { mem_append(t, loc, v, known[2 * (t)], known[2 * (t) + 1]) }
}

/* Any that is not older than the newest which the thread must know of. */
inline mem_choose(t, loc)
{
  mem_i = mem_count[loc] - 1;
  do
  :: mem_i > passed[(t) * LOCATIONS + (loc)] &&
     mem_clock[(loc) * HISTORY + mem_i] > known[2 * (t) + mem_by[(loc) * HISTORY + mem_i]] -> mem_i--
  :: else -> break
  od;
  do
  :: mem_i < mem_count[loc] - 1 -> mem_i++
  :: break
  od
}

inline mem_learn(t, acquires)
{
  pending[2 * (t)] = MAX(pending[2 * (t)], mem_view0[mem_m]);
  pending[2 * (t) + 1] = MAX(pending[2 * (t) + 1], mem_view1[mem_m]);
  if
  :: acquires ->
     known[2 * (t)] = MAX(known[2 * (t)], mem_view0[mem_m]);
     known[2 * (t) + 1] = MAX(known[2 * (t) + 1], mem_view1[mem_m])
  :: else
  fi
}

inline load(t, loc, into, acquires)
{
  atomic {
    mem_choose(t, loc);
    mem_m = (loc) * HISTORY + mem_i;
    into = mem_value[mem_m];
    passed[(t) * LOCATIONS + (loc)] = mem_i;
    mem_learn(t, acquires);
    mem_i = 0;
    mem_m = 0
  }
}

#define load_relaxed(t, loc, into) load(t, loc, into, false)
#define load_acquire(t, loc, into) load(t, loc, into, true)

inline fence_release(t)
{
  d_step {
    released[2 * (t)] = known[2 * (t)];
    released[2 * (t) + 1] = known[2 * (t) + 1]
  }
}

inline fence_acquire(t)
{
  d_step {
    known[2 * (t)] = MAX(known[2 * (t)], pending[2 * (t)]);
    known[2 * (t) + 1] = MAX(known[2 * (t) + 1], pending[2 * (t) + 1])
  }
}

inline fence_full(t)
{
  d_step {
    known[2 * (t)] = MAX(MAX(known[2 * (t)], pending[2 * (t)]), common[0]);
    known[2 * (t) + 1] = MAX(MAX(known[2 * (t) + 1], pending[2 * (t) + 1]), common[1]);
    common[0] = known[2 * (t)];
    common[1] = known[2 * (t) + 1];
    released[2 * (t)] = known[2 * (t)];
    released[2 * (t) + 1] = known[2 * (t) + 1]
  }
}

/* A strong exchange, which acquires and releases. It replaces the newest value and no other; when it fails it
 * tells one that it may have read. A location that is exchanged is stored to in no other way. */
inline compare_exchange(t, loc, expected, v, done)
{
  atomic {
    mem_choose(t, loc);
    mem_m = (loc) * HISTORY + mem_i;
    if
    :: mem_value[mem_m] == (expected) ->   /* an older one cannot be exchanged, and does not make it fail */
       mem_i = mem_count[loc] - 1;
       mem_m = (loc) * HISTORY + mem_i
    :: else
    fi;
    if
    :: mem_value[mem_m] == (expected) ->
       mem_learn(t, true);
       mem_append(t, loc, v, known[2 * (t)], known[2 * (t) + 1]);
       done = true
    :: else ->
       expected = mem_value[mem_m];
       passed[(t) * LOCATIONS + (loc)] = mem_i;
       mem_learn(t, true);
       done = false
    fi;
    mem_i = 0;
    mem_m = 0
  }
}
