/* Announced boundaries: threads that hand the GVL to each other and move their own words, a publisher that tells of
 * each window what time they were in which state, without a lock.
 *
 * Held, to the unit: each piece of a thread's time is told of in the window and in the state in which it lay; of two
 * threads that hold the GVL one after the other never more is told as running than the window is long; the
 * publisher's own moves are neither lost nor counted twice.
 *
 * Hooks run under the GVL, so all that threads do is one after the other: one thread of the model for all. A clock
 * may be read long before the move that it is for. A unit is so long that a store is seen by all who read the
 * next: without that no boundary can be announced to anybody. Within a unit all that C11 allows may happen.
 *
 * Several loads and stores are one step here where nothing that the other thread does in between could matter: a load
 * may return old values, so that what is stored early takes nothing away from it. An exchange stands alone.
 */
/*# -DTHREADS=1 -DWINDOWS=2 */
/*# -DTHREADS=2 -DWINDOWS=1 -DLAST=3 */
#define NO_FENCE_IN_MOVE 1    /* mutant: no fence between turn and floor, in the thread */
#define NO_FENCE_IN_READ 2    /* mutant: none between floor and turn, in the publisher */
#define NO_FLOOR 3            /* mutant: the thread does not look at the floor */
#define NO_ODD 4              /* mutant: the turn is not made odd */
#define EVEN_RELAXED 5        /* mutant: the even turn is stored without order */
#define TURN_RELAXED 6        /* mutant: the turn is loaded without order */
#define NO_ACQUIRE 7          /* mutant: no fence before the second look at the turn */
#define NO_SECOND_LOOK 8      /* mutant: the turn is looked at once */
#define NO_NOTE 9             /* mutant: boundaries are not noted */
#define NOTE_LATE 10          /* mutant: noted after the stretch went to the totals */
#define NOTE_AGAIN 11         /* mutant: noted by each later move, too */
#define NOTE_SHORT 12         /* mutant: noted without what the stretch had before the boundary */
#define STORE_FOR_CAS 13      /* mutant: the publisher moves the word without comparing */
#define MOVED_FORGOTTEN 14    /* mutant: what the publisher moved is not counted */
#define ANNOUNCED_ONCE 15     /* mutant: an announcement that came too late stands */
#define NOT_ANNOUNCED 16      /* mutant: the boundary is told at the cut only */
#define NO_SWAP 17            /* mutant: the exchange of the thread does not see that the publisher moved the word */
#define REACH_PASSED 18       /* reached: noted totals are used */
#define REACH_CHARGED 19      /* reached: the publisher moves a word */
#define REACH_LOST_CAS 20     /* reached: it comes too late for that */
#define REACH_AGAIN 21        /* reached: the turn changed while it looked */
#define REACH_FLOOR 22        /* reached: a clock that was read before the cut is behind it */
#define REACH_LATE 23         /* reached: an announcement came too late and is made again */

#ifndef HANDOVERS
#define HANDOVERS 1
#endif
#ifndef LENGTH
#define LENGTH 2
#endif
#ifndef WINDOWS
#define WINDOWS 2
#endif
#ifndef LAST
#define LAST 5                /* the clock stops there */
#endif
#ifndef THREADS
#define THREADS 1
#endif
#define RUNNING 0
#define BLOCKED 1

#define BOUNDARY 0            /* the sampler's */
#define OF(d) (1 + 9 * (d))
#define TURN(d) OF(d)
#define WORD(d) (OF(d) + 1)
#define FLOOR(d) (OF(d) + 2)
#define TOTAL(d) (OF(d) + 3)  /* two */
#define NOTED(d) (OF(d) + 5)  /* data->boundary_ns */
#define AT(d) (OF(d) + 6)     /* two: at_boundary_ns */
#define KNOWN(d) (OF(d) + 8)  /* stack_known */
#define LOCATIONS OF(THREADS)
#ifndef HISTORY
#define HISTORY 8
#endif
#include "memory.pml"

#define HOOK 0
#define PUBLISHER 1
#define M(name) (mutant == name)
#define PACK(since, state) (2 * (since) + (state))
#define NEVER 255
#define NONE 254

byte clock, settled;          /* and the publisher's stores that everybody sees who reads it */
/* What was really so: the state of each thread in each unit; what is told of it, by window. */
byte real_state[THREADS * (LAST + 1)], real_until[THREADS];
byte real_open[THREADS];
byte window_start[WINDOWS], window_end[WINDOWS];
byte told[THREADS * WINDOWS * 2];
byte cuts;
bool hooks_done;

#define first(loc, v) mem_value[(loc) * HISTORY] = v

inline real_stretch(d, from, to, state)
{
  for (real_i : from .. to - 1) {
    real_state[d * (LAST + 1) + real_i] = state
  }
  real_i = 0
}
byte real_i;

/* Only who reads it can tell that it went on; the publisher waits for the end of the window. */
inline pass_time()
{
  do
  :: clock < LAST -> clock++; settled = thread_clock[PUBLISHER]
  :: break
  od
}

inline clock_now_ns(into)
{
  atomic {
    pass_time();
    into = clock;
    known[2 * HOOK + PUBLISHER] = MAX(known[2 * HOOK + PUBLISHER], settled)
  }
}

/*= ext/sampling/accounting.c */
inline note_boundary(d, state)
{
  for (i : 0 .. 1) {
    load_relaxed(HOOK, TOTAL(d) + i, total);          /*: int64_t total = atomic_load_explicit(&data->total_ns[i], memory_order_relaxed); */
    total = total + (i == state && boundary > since && !M(NOTE_SHORT) -> boundary - since : 0);   /*: if (i == (int)state && boundary_ns > since_ns) total += boundary_ns - since_ns; */
    store_relaxed(HOOK, AT(d) + i, total)             /*: atomic_store_explicit(&data->at_boundary_ns[i], total, memory_order_relaxed); */
  }
  store_relaxed(HOOK, NOTED(d), boundary)             /*: atomic_store_explicit(&data->boundary_ns, boundary_ns, memory_order_relaxed); */
}

inline note_if_passed(d)
{
  load_relaxed(HOOK, BOUNDARY, boundary);             /*: int64_t boundary = atomic_load_explicit(&sampler->boundary_ns, memory_order_relaxed); */
  load_relaxed(HOOK, NOTED(d), noted);
  if
  :: boundary != NEVER && end > boundary && (noted != boundary || M(NOTE_AGAIN)) && !M(NO_NOTE) ->   /*: if (end > boundary && atomic_load_explicit(&data->boundary_ns, memory_order_relaxed) != boundary) */
     note_boundary(d, before)                         /*: note_boundary(data, *before, since, boundary); */
  :: else
  fi
}

/*= ext/sampling/accounting.c */
inline accounting_move(d, state)
{
  atomic {
  if
  :: M(NO_ODD)
  :: else -> store_relaxed(HOOK, TURN(d), turn[d] + 1)   /*: atomic_store_explicit(&data->turn, turn, memory_order_relaxed); */
  fi;
  if
  :: M(NO_FENCE_IN_MOVE)
  :: else -> fence_full(HOOK)                         /*: atomic_thread_fence(memory_order_seq_cst); */
  fi
  }
  atomic {
  load_relaxed(HOOK, FLOOR(d), total);                /*: int64_t floor = atomic_load_explicit(&data->floor_ns, memory_order_relaxed); */
  if
  :: now < total && !M(NO_FLOOR) -> now = total       /*: if (now_ns < floor) now_ns = floor; */
     assert(!M(REACH_FLOOR))
  :: else
  fi;
  load_acquire(HOOK, WORD(d), old)                    /*: uint64_t old = atomic_load_explicit(&data->word, memory_order_acquire); */
  }
  do
  :: atomic {
     since = old / 2;                                 /*: since = threads_since_ns(old); */
     end = MAX(now, since);                           /*: end = now_ns > since ? now_ns : since; */
     if   /*: } while (!atomic_compare_exchange_weak_explicit(&data->word, &old, threads_pack(end, state), memory_order_seq_cst, */
     :: M(NO_SWAP) -> store_release(HOOK, WORD(d), PACK(end, state)); done = true
     :: else -> compare_exchange(HOOK, WORD(d), old, PACK(end, state), done)
     fi;
     if
     :: done ->
        before = old % 2;                             /*: *before = threads_state(old); */
        d_step {
          real_stretch(d, real_until[d], end, before);
          assert(end <= clock);   /* so whoever takes the GVL next begins later */
          real_until[d] = MAX(end, real_until[d]);
          real_open[d] = state
        }
     :: else
     fi
     }
     if
     :: done -> break
     :: else
     fi
  od;
  atomic {
  if
  :: M(NOTE_LATE)
  :: else -> note_if_passed(d)
  fi;
  load_relaxed(HOOK, TOTAL(d) + before, total);
  store_relaxed(HOOK, TOTAL(d) + before, total + end - since);   /*: add_relaxed(&data->total_ns[*before], end - since); */
  if
  :: M(NOTE_LATE) -> note_if_passed(d)
  :: else
  fi;
  if   /*: atomic_store_explicit(&data->turn, turn + 1, memory_order_release); */
  :: M(EVEN_RELAXED) -> store_relaxed(HOOK, TURN(d), turn[d] + 2)
  :: else -> store_release(HOOK, TURN(d), turn[d] + 2)
  fi;
  turn[d] = turn[d] + 2;
  done = false; old = 0; since = 0; end = 0; before = 0; boundary = 0; noted = 0; total = 0; i = 0; now = 0
  }
}

/* One thread goes off the GVL, the other takes it, and so on. */
active proctype hooks()
{
  byte turn[THREADS], holder, now, old, since, end, before, boundary, noted, total, i, handover;
  bool done;
  atomic {
    mem_init();
    first(BOUNDARY, NEVER);
    first(WORD(0), PACK(0, RUNNING));
    first(NOTED(0), NONE);
#if THREADS == 2
    first(WORD(1), PACK(0, BLOCKED));
    first(NOTED(1), NONE);
    real_open[1] = BLOCKED;
    if :: first(KNOWN(1), 1) :: true fi
#endif
  }
  for (handover : 1 .. HANDOVERS) {
    /*= ext/hooks/gvl.c */
    clock_now_ns(now);
    accounting_move(holder, BLOCKED);                 /*: int64_t rest = accounting_move(sampler, data, RTOP_BLOCKED, now, &before); */
    if   /*= ext/hooks/gvl.c */
    :: store_release(HOOK, KNOWN(holder), 1)          /*: atomic_store_explicit(&data->stack_known, taken, memory_order_release); */
    :: true
    fi;
    holder = THREADS - 1 - holder;
    atomic {
      clock_now_ns(now);
      store_relaxed(HOOK, KNOWN(holder), 0)           /*: if (stretch.known) atomic_store_explicit(&data->stack_known, false, memory_order_relaxed); */
    }
    accounting_move(holder, RUNNING)                  /*: int64_t length = accounting_move(sampler, data, RTOP_RUNNING, now, &before); */
  }
  hooks_done = true
}

/*= ext/out/cut_threads.c */
inline read_totals(d)
{
  atomic {
  store_release(PUBLISHER, FLOOR(d), end);            /*: atomic_store_explicit(&data->floor_ns, end_ns, memory_order_seq_cst); */
  if
  :: M(NO_FENCE_IN_READ)
  :: else -> fence_full(PUBLISHER)                    /*: atomic_thread_fence(memory_order_seq_cst); */
  fi
  }
  do
  :: atomic {
     if   /*: uint32_t turn = atomic_load_explicit(&data->turn, memory_order_acquire); */
     :: M(TURN_RELAXED) -> load_relaxed(PUBLISHER, TURN(d), turn)
     :: else -> load_acquire(PUBLISHER, TURN(d), turn)
     fi;
     if   /*: if (turn & 1) { */
     :: turn % 2 == 1
     :: else ->
        load_acquire(PUBLISHER, WORD(d), word);       /*: *word = atomic_load_explicit(&data->word, memory_order_acquire); */
        load_relaxed(PUBLISHER, NOTED(d), again);
        passed_it = again == end;                     /*: bool passed = atomic_load_explicit(&data->boundary_ns, memory_order_relaxed) == end_ns; */
        if   /*: total_ns[i] = atomic_load_explicit(passed ? &data->at_boundary_ns[i] : &data->total_ns[i], memory_order_relaxed); */
        :: passed_it ->
           load_relaxed(PUBLISHER, AT(d), total0);
           load_relaxed(PUBLISHER, AT(d) + 1, total1)
        :: else ->
           load_relaxed(PUBLISHER, TOTAL(d), total0);
           load_relaxed(PUBLISHER, TOTAL(d) + 1, total1)
        fi;
        if
        :: M(NO_ACQUIRE)
        :: else -> fence_acquire(PUBLISHER)           /*: atomic_thread_fence(memory_order_acquire); */
        fi;
        load_relaxed(PUBLISHER, TURN(d), again);
        again = again == turn || M(NO_SECOND_LOOK);   /*: if (atomic_load_explicit(&data->turn, memory_order_relaxed) != turn) continue; */
        assert(again || !M(REACH_AGAIN))
     fi
     }
     if
     :: turn % 2 == 1 -> wait_for_turn(d)
     :: turn % 2 == 0 && again -> break
     :: else
     fi
  od;
  atomic {
  since = word / 2;                                   /*: int64_t since = threads_since_ns(*word); */
  if   /*: if (!passed && since < end_ns && lives) total_ns[threads_state(*word)] += end_ns - since; */
  :: !passed_it && since < end ->
     if
     :: word % 2 == RUNNING -> total0 = total0 + end - since
     :: else -> total1 = total1 + end - since
     fi
  :: else
  fi;
  assert(!(M(REACH_PASSED) && passed_it))
  }
}

/* It yields, then naps: until there is something new to see. */
inline wait_for_turn(d)
{
  passed[PUBLISHER * LOCATIONS + TURN(d)] < mem_count[TURN(d)] - 1
}

inline charge_off_gvl(d)
{
  atomic {
  if   /*: if (!atomic_compare_exchange_strong(&data->word, &word, threads_pack(end, state))) return false; */
  :: M(STORE_FOR_CAS) -> store_release(PUBLISHER, WORD(d), PACK(end, word % 2)); done = true
  :: else -> compare_exchange(PUBLISHER, WORD(d), word, PACK(end, word % 2), done)
  fi;
  if
  :: done ->
     if
     :: M(MOVED_FORGOTTEN)
     :: else -> moved[d] = moved[d] + end - since     /*: data->moved_ns[state] += length; */
     fi;
     d_step {
       real_stretch(d, real_until[d], end, BLOCKED);
       real_until[d] = MAX(end, real_until[d])
     }
     assert(!M(REACH_CHARGED))
  :: else -> assert(!M(REACH_LOST_CAS))
  fi
  }
}

inline find_accrued(d)
{
  do
  :: read_totals(d);                                  /*: if (!read_totals(data, end, total, &word)) break; */
     accrued0 = total0 - seen[2 * d];                 /*: for (int i = 0; i < RTOP_STATE_COUNT; i++) data->accrued_ns[i] = total[i] + data->moved_ns[i] - data->seen_ns[i]; */
     accrued1 = total1 + moved[d] - seen[2 * d + 1];
     load_acquire(PUBLISHER, KNOWN(d), known_there);
     if   /*: if (!open || !stack_is_known(data, threads_state(word)) || charge_off_gvl(cut, data, cells, word)) { */
     :: since < end && word % 2 == BLOCKED && known_there ->   /*: bool open = threads_since_ns(word) < end && !atomic_load_explicit(&data->ended, memory_order_acquire); */
        charge_off_gvl(d);
        if
        :: done -> break
        :: else
        fi
     :: else -> break
     fi
  od;
  skip;
  d_step {   /*: for (int i = 0; i < RTOP_STATE_COUNT; i++) data->seen_ns[i] += data->accrued_ns[i]; */
    seen[2 * d] = seen[2 * d] + accrued0;
    seen[2 * d + 1] = seen[2 * d + 1] + accrued1;
    assert(accrued0 >= 0 && accrued1 >= 0);
    told[(d * WINDOWS + w) * 2] = accrued0;
    told[(d * WINDOWS + w) * 2 + 1] = accrued1;
    accrued0 = 0; accrued1 = 0; total0 = 0; total1 = 0; word = 0; since = 0; turn = 0; again = 0;
    known_there = 0; passed_it = false; done = false
  }
}

/*= ext/out/cut.c */
inline announce()
{
  end = MAX(start, clock) + LENGTH;
  do
  :: if   /*: atomic_store(&sampler->boundary_ns, end_ns); */
     :: M(NOT_ANNOUNCED)
     :: else -> store_release(PUBLISHER, BOUNDARY, end)
     fi;
     late = clock >= end;                             /*: if (now < end_ns) break; */
     if
     :: late && !M(ANNOUNCED_ONCE) && clock + LENGTH <= LAST -> end = clock + LENGTH; assert(!M(REACH_LATE))
     :: late && !M(ANNOUNCED_ONCE) && clock + LENGTH > LAST -> goto over   /* the model ends here */
     :: else -> break
     fi
  od
}

active proctype publisher()
{
  byte w, start, end, turn, word, again, since, total0, total1, moved[THREADS];
  short accrued0, accrued1, seen[2 * THREADS];
  byte known_there, unit, sum0, sum1, d, run0, run1;
  bool passed_it, done, late;
  mem_count[0] > 0;
  for (w : 0 .. WINDOWS - 1) {
    announce();
    if
    :: end > LAST -> break
    :: else
    fi;
    atomic {
      do :: clock < end -> clock++; settled = thread_clock[PUBLISHER] :: else -> break od
    }
    /*= ext/out/cut.c */
    store_release(PUBLISHER, BOUNDARY, end);          /*: atomic_store(&sampler->boundary_ns, end_ns); */
    find_accrued(0);
#if THREADS == 2
    find_accrued(1);
#endif
    d_step {
      window_start[w] = start;
      window_end[w] = end;
      start = end;
      cuts = w + 1
    }
  }
over:
  hooks_done;
  d_step {
    for (d : 0 .. THREADS - 1) {
      real_stretch(d, real_until[d], LAST + 1, real_open[d])
    }
    w = 0;
    do
    :: w < cuts ->
       run0 = 0;
       for (d : 0 .. THREADS - 1) {
         sum0 = 0;
         sum1 = 0;
         for (unit : window_start[w] .. window_end[w] - 1) {
           if
           :: real_state[d * (LAST + 1) + unit] == RUNNING -> sum0++
           :: else -> sum1++
           fi
         }
         assert(told[(d * WINDOWS + w) * 2] == sum0 && told[(d * WINDOWS + w) * 2 + 1] == sum1);
         run0 = run0 + told[(d * WINDOWS + w) * 2]
       }
       assert(run0 <= window_end[w] - window_start[w]);
       w++
    :: else -> break
    od
  }
}
