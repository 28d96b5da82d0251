/* The publisher rests while nobody holds the GVL, without ticks until the end of a window: it says so in its word,
 * looks who holds one, and sleeps on the word. A thread that takes the GVL says so in its own word, and looks at the
 * publisher's. Held: nobody runs for long while the publisher rests.
 *
 * The futex is the kernel's, which sees the newest value. A load of sequential consistency is a fence and a load here,
 * and so is what comes behind an exchange of that order: C11 orders no more than that between the two words.
 */
#define NO_LOOK 1             /* mutant: the publisher does not look who runs before it sleeps */
#define LOOK_FIRST 2          /* mutant: it looks before it says that it rests */
#define LOOK_RELAXED 3        /* mutant: its look may run ahead of what it says */
#define WAKE_RELAXED 4        /* mutant: the thread's look may run ahead of what it says */
#define NO_WAKE 5             /* mutant: the thread does not wake it */
#define NO_VALUE 6            /* mutant: the futex does not compare */
#define REACH_SLEEP 7         /* reached: it sleeps */
#define REACH_WOKEN 8         /* reached: a thread wakes it */
#define REACH_SEEN 9          /* reached: it sees that somebody runs, and does not sleep */
#define REACH_MISSED 10       /* reached: somebody runs by then who found the word before */

#define WORD 0                /* the publisher's */
#define THREAD 1              /* the thread's */
#define LOCATIONS 2
#define HISTORY 12
#include "memory.pml"

#define HOOK 0
#define PUBLISHER 1
#define TICKING 0
#define IDLE 1
#define BLOCKED 0
#define RUNNING 1
#define ROUNDS 2
#define M(name) (mutant == name)

bool sleeping, runs, set_out;

/*= ext/sampling/accounting.c */
inline accounting_move(state)
{
  old = 1 - state;
  compare_exchange(HOOK, THREAD, old, state, done);   /*: } while (!atomic_compare_exchange_weak_explicit(&data->word, &old, threads_pack(end, state), memory_order_seq_cst, */
  assert(done)
}

/*= ext/out/publisher.h */
inline publisher_wake()
{
  if
  :: M(WAKE_RELAXED)
  :: else -> fence_full(HOOK)
  fi;
  load_relaxed(HOOK, WORD, word);                     /*: if (atomic_load_explicit(word, memory_order_seq_cst) == 1) publisher_wake_slow(word); */
  if   /*= ext/out/publisher.c */
  :: word == IDLE ->
     compare_exchange(HOOK, WORD, word, TICKING, done);   /*: if (atomic_compare_exchange_strong(word, &idle, WORD_TICKING)) */
     if
     :: done && !M(NO_WAKE) ->                        /*: syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0); */
        assert(!(M(REACH_WOKEN) && sleeping));
        sleeping = false
     :: else
     fi
  :: else -> assert(!(M(REACH_MISSED) && set_out))
  fi
}

/* It runs, waits, and runs on. */
active proctype thread()
{
  byte old, word;
  bool done;
  atomic { mem_init() }
  accounting_move(RUNNING);
  publisher_wake();
  accounting_move(BLOCKED);
  accounting_move(RUNNING);
  publisher_wake();
  runs = true
}

inline find_active()
{
  if
  :: M(LOOK_RELAXED)
  :: else -> fence_full(PUBLISHER)                    /*: atomic_thread_fence(memory_order_seq_cst); */
  fi;
  load_relaxed(PUBLISHER, THREAD, state)              /*: enum rtop_thread_state state = threads_state(atomic_load_explicit(&data->word, memory_order_seq_cst)); */
}

/*= ext/out/publisher.c */
inline sleep_until()
{
  state = BLOCKED;
  if
  :: M(LOOK_FIRST) -> find_active()
  :: else
  fi;
  expected = TICKING;
  compare_exchange(PUBLISHER, WORD, expected, IDLE, done);   /*: if (idle && !atomic_compare_exchange_strong(&publisher->word, &expected, WORD_IDLE)) return; */
  assert(done);
  set_out = true;
  if
  :: M(NO_LOOK) || M(LOOK_FIRST)
  :: else -> find_active()
  fi;
  if
  :: state == BLOCKED ->                              /*: if (!idle || !find_active(loop->sampler)) { */
     atomic {                                         /*: syscall(SYS_futex, &publisher->word, FUTEX_WAIT_BITSET_PRIVATE, idle ? WORD_IDLE : WORD_TICKING, &deadline, NULL, */
       sleeping = mem_value[WORD * HISTORY + mem_count[WORD] - 1] == IDLE || M(NO_VALUE);
       assert(!(M(REACH_SLEEP) && sleeping))
     }
     !sleeping
  :: else -> assert(!M(REACH_SEEN))
  fi;
  set_out = false;
  expected = IDLE;
  compare_exchange(PUBLISHER, WORD, expected, TICKING, done)   /*: if (idle) atomic_compare_exchange_strong(&publisher->word, &expected, WORD_TICKING); */
}

/* Without the end of a window: who sleeps when the thread runs on would sleep for ever. */
active proctype publisher()
{
  byte expected, state, round;
  bool done;
  mem_count[WORD] > 0;
  for (round : 1 .. ROUNDS) {
    sleep_until()
  }
}
