/* A thread's entry, which is rewritten in place: version odd, fence, words, version even; a reader that takes what it
 * copied only when the version was even before and is the same after. The writer is killed, or its outlet
 * fails, at any step. Held: what a reader is given is one state of the entry, whole and at least as new as its
 * head told it.
 */
#define NO_ODD 1              /* mutant: the version is not made odd */
#define NO_WRITER_FENCE 2     /* mutant: no fence between that and the words */
#define ODD_LATE 3            /* mutant: odd after the words */
#define EVEN_RELAXED 4        /* mutant: the even version is stored without order */
#define VERSION_RELAXED 5     /* mutant: the version is loaded without order */
#define NO_ODD_CHECK 6        /* mutant: an odd version is taken */
#define NO_READER_FENCE 7     /* mutant: no fence before the second look */
#define NO_SECOND_LOOK 8      /* mutant: the version is looked at once */
#define REACH_FIRST 9         /* reached: an older state is read whole */
#define REACH_LAST 10         /* reached: the newest one is */
#define REACH_REFUSED 11      /* reached: a copy is refused, as it changed meanwhile */

#define CHANGES 3
#define VERSION 0
#define NAME 1
#define FLAGS 2
#define HEAD 3                /* of the ring: what it covers is complete */
#define LOCATIONS 4
#define HISTORY (2 * CHANGES + 1)
#include "memory.pml"

#define WRITER 0
#define READER 1
#define M(name) (mutant == name)

bool by_pwrite, gone;

inline may_end() { if :: true -> skip :: goto cut_off fi }

/*= shm/base/outlet.c */
inline outlet_fence(t)
{
  if
  :: by_pwrite -> fence_full(t)        /*: rtop_fence_full(); */
  :: else -> fence_release(t)          /*: rtop_fence_release(); */
  fi
}

inline outlet_release(t, loc, v)
{
  if
  :: by_pwrite -> fence_full(t); store_relaxed(t, loc, v)   /*: rtop_fence_full(); */
  :: else -> store_release(t, loc, v)                       /*: rtop_store_release(shared, value); */
  fi
}

/*= shm/channel/thread_slots.c */
inline thread_slots_store(n)
{
  if
  :: M(NO_ODD) || M(ODD_LATE)
  :: else -> store_relaxed(WRITER, VERSION, 2 * n - 1)     /*: outlet_store(outlet, &shared->version, &odd, sizeof odd); */
  fi;
  may_end();
  if
  :: M(NO_WRITER_FENCE)
  :: else -> outlet_fence(WRITER)                          /*: outlet_fence(outlet); /* pairs with the acquire fence of reader_tables.c */
  fi;
  store_relaxed(WRITER, NAME, n);          /*: outlet_store(outlet, (unsigned char *)shared + skip, (unsigned char *)entry + skip, sizeof *entry - skip); */
  may_end();
  store_relaxed(WRITER, FLAGS, n);
  may_end();
  if
  :: M(ODD_LATE) -> store_relaxed(WRITER, VERSION, 2 * n - 1)
  :: else
  fi;
  if
  :: M(EVEN_RELAXED) -> store_relaxed(WRITER, VERSION, 2 * n)
  :: else -> outlet_release(WRITER, VERSION, 2 * n)        /*: outlet_release(outlet, &shared->version, entry->version); */
  fi;
  may_end();
  store_release(WRITER, HEAD, n)
}

active proctype rtop_writer()
{
  byte n;
  atomic {
    mem_init();
    if :: by_pwrite = true :: by_pwrite = false fi
  }
  for (n : 1 .. CHANGES) {
    thread_slots_store(n)
  }
cut_off:
  gone = true
}

/*= shm/channel/reader_tables.c */
active proctype rtop_reader()
{
  byte head, version, name, flags, again;
  mem_count[0] > 0;
  load_acquire(READER, HEAD, head);
  if   /*: thread->version = rtop_load_acquire(&shared->version); */
  :: M(VERSION_RELAXED) -> load_relaxed(READER, VERSION, version)
  :: else -> load_acquire(READER, VERSION, version)
  fi;
  load_relaxed(READER, NAME, name);        /*: rtop_copy_from_shared((unsigned char *)thread + skip, (const unsigned char *)shared + skip, */
  load_relaxed(READER, FLAGS, flags);
  if
  :: M(NO_READER_FENCE)
  :: else -> fence_acquire(READER)         /*: rtop_fence_acquire(); /* pairs with the release fence of thread_slots.c */
  fi;
  load_relaxed(READER, VERSION, again);
  d_step {   /*: if (thread->version % 2 == 0 && rtop_load_relaxed(&shared->version) == thread->version) */
    if
    :: (version % 2 == 0 || M(NO_ODD_CHECK)) && (again == version || M(NO_SECOND_LOOK)) ->
       assert(name == flags && name == version / 2 && name >= head);
       assert(!(M(REACH_FIRST) && name == 1) && !(M(REACH_LAST) && name == CHANGES))
    :: else -> assert(!(M(REACH_REFUSED) && version % 2 == 0))
    fi
  }
}
