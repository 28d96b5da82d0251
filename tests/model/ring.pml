/* Publication: tables, intent, payload, slot, head; a reader that begins at any time and may see anything that
 * is not forbidden to it; a writer that is killed, or whose outlet fails, at any step.
 *
 * Held: what a reader accepts is one window, whole. An honest writer never looks corrupt. What is there is
 * not said to be lost. Nothing more comes after ENDED or DEAD. What a window names stands in the tables.
 * All that on memory and with the words of each pwrite in any order.
 *
 * The writer reads nothing that a reader stores, and a load may return any value that is not passed: what a reader
 * can meet while the writer goes on, it can meet after. So the writer goes first, then the reader. With
 * -DINTERLEAVED they run side by side, which finds the same and takes longer.
 *
 * A cell of the ring is RTOP_RECORD_ALIGN bytes. Its value is the sequence of the window that stored it.
 */
#define NO_W2 1               /* mutant: no fence between intent and payload */
#define INTENT_LATE 2         /* mutant: the intent after the payload */
#define NO_INTENT 3           /* mutant: no intent at all */
#define NO_INTENT_SEQUENCE 4  /* mutant: the intent without its sequence */
#define W4_RELAXED 5          /* mutant: the head is stored without order */
#define HEAD_EARLY 6          /* mutant: the head before the payload */
#define R1_RELAXED 7          /* mutant: the head is loaded without order */
#define NO_R1_CHECK 8         /* mutant: what is not published yet is read */
#define NO_R2_FENCE 9         /* mutant: no fence behind the copy of the slot */
#define NO_R2_CHECK 10        /* mutant: the sequence is not looked at again */
#define R2_LOOSE 11           /* mutant: that check is off by one */
#define R2_STRICT 12          /* mutant: to the other side */
#define NO_R4_FENCE 13        /* mutant: no fence behind the copy of the payload */
#define NO_R4_CHECK 14        /* mutant: the position is not looked at again */
#define R4_LOOSE 15           /* mutant: that check is off by one */
#define R4_STRICT 16          /* mutant: to the other side */
#define NO_NEXT_LAP 17        /* mutant: a payload that does not fit into this lap is stored all the same */
#define TABLES_LATE 18        /* mutant: the tables after the window that needs them */
#define NO_COUNT_FENCE 19     /* mutant: no fence between the entries of a table and their count */
#define COUNT_RELAXED 20      /* mutant: that count is loaded without order */
#define END_ONE_LOOK 21       /* mutant: the head is not looked at again when the channel is found ended */
#define END_EARLY 22          /* mutant: ENDED is stored before the last window */
#define END_RELAXED 23        /* mutant: ENDED is stored without order */
#define GOES_ON 24            /* mutant: a writer whose outlet failed in the payload goes on and stores the head */
#define REACH_OK 25           /* reached: a window is accepted */
#define REACH_OLD 26          /* reached: one that is not the newest */
#define REACH_LOST 27         /* reached: a window is overwritten while its payload is copied */
#define REACH_ENDED 28        /* reached: ENDED, behind all windows */
#define REACH_DEAD 29         /* reached: DEAD, after a publication that was cut off */

#ifndef WINDOWS
#define WINDOWS 4
#endif
#define CAPACITY 4
#define SLOTS 2
#define PAYLOAD_MAX 2

#define INTENT_POSITION 0
#define INTENT_SEQUENCE 1
#define HEAD_SEQUENCE 2
#define NODE_COUNT 3
#define STATE 4
#define LOCK 5
#define SLOT_SEQUENCE 6       /* SLOTS each */
#define SLOT_POSITION 8
#define SLOT_CELLS 10
#define CELLS 12              /* CAPACITY */
#define NODES 16              /* WINDOWS, and none of number 0 */
#define LOCATIONS (NODES + WINDOWS + 1)
#define HISTORY (WINDOWS + 1)
#include "memory.pml"

#define WRITER 0
#define READER 1
#define M(name) (mutant == name)

mtype = {OK, NONE_YET, LOST, CORRUPT, ENDED, DEAD};

bool by_pwrite;               /* the writer's way: an outlet, or memory */
bool gone;                    /* the writer will do nothing more */
bool dead;                    /* and did not end the channel */
/* What was really done. */
byte begun, complete;         /* publications */
byte position_of[WINDOWS + 2], cells_of[WINDOWS + 2], end_position;

/* Killed, or the outlet failed: then nothing goes out any more. */
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

/*= shm/channel/writer.c */
inline writer_flush(s)
{
  store_relaxed(WRITER, NODES + s, s);     /*: outlet_flush(&writer->outlet); */
  may_end();
  /*: channel_publish_counters(&writer->parts, counters); */
  /*= shm/channel/channel.c */
  if
  :: M(NO_COUNT_FENCE)
  :: else -> outlet_fence(WRITER)          /*: outlet_fence(parts->outlet); */
  fi;
  store_relaxed(WRITER, NODE_COUNT, s);    /*: outlet_store(parts->outlet, &parts->counters->string_bytes, &image->string_bytes, bytes); */
  may_end()
}

/*= shm/base/ring.c */
inline ring_place(cells)
{
  position = next_position;                /*: uint64_t position = ring->next_position; */
  if
  :: position % CAPACITY + cells > CAPACITY && !M(NO_NEXT_LAP) ->   /*: if ((position & mask) + bytes > ring->capacity || */
     position = (position / CAPACITY + 1) * CAPACITY                /*: position = (position | mask) + 1; */
  :: else
  fi
}

inline store_intent(s)
{
  if
  :: M(NO_INTENT)
  :: else ->
     store_relaxed(WRITER, INTENT_POSITION, next_position);  /*: outlet_store(outlet, &counters->intent_position, intent, sizeof intent); /* W1 */
     may_end();
     if
     :: M(NO_INTENT_SEQUENCE)
     :: else -> store_relaxed(WRITER, INTENT_SEQUENCE, s)
     fi;
     may_end()
  fi
}

inline store_payload(s)
{
  /*: outlet_fence(outlet); /* W2, pairs with R2 and R4 */
  if
  :: M(NO_W2)
  :: else -> outlet_fence(WRITER)
  fi;
  for (w : 0 .. cells - 1) {               /*: outlet_store(outlet, ring->bytes + (slot->position & (ring->capacity - 1)), payload, slot->stored_bytes); */
    assert(position % CAPACITY + w < CAPACITY);
    store_relaxed(WRITER, CELLS + (position + w) % CAPACITY, s);
    if
    :: M(GOES_ON) -> goto failed
    :: else -> may_end()
    fi
  }
  store_relaxed(WRITER, SLOT_SEQUENCE + s % SLOTS, s);   /*: outlet_store(outlet, &ring->slots[slot->sequence & (ring->slot_count - 1)], slot, sizeof *slot); */
  may_end();
  store_relaxed(WRITER, SLOT_POSITION + s % SLOTS, position);
  may_end();
  store_relaxed(WRITER, SLOT_CELLS + s % SLOTS, cells);
  may_end()
}

inline store_head(s)
{
  if
  :: M(W4_RELAXED) -> store_relaxed(WRITER, HEAD_SEQUENCE, s)
  :: else -> outlet_release(WRITER, HEAD_SEQUENCE, s)    /*: outlet_release(outlet, &counters->head_sequence, slot->sequence); /* W4, pairs with R1 */
  fi
}

active proctype rtop_writer()
{
  byte s, w, cells, position, next_position;
  atomic {
    mem_init();
    if :: by_pwrite = true :: by_pwrite = false fi
  }
  for (s : 1 .. WINDOWS) {
    if :: true :: break fi;                /* it may end the channel after any window */
    if
    :: M(END_EARLY) && s == WINDOWS -> outlet_release(WRITER, STATE, 1)
    :: else
    fi;
    if :: cells = 1 :: cells = PAYLOAD_MAX fi;
    if
    :: M(TABLES_LATE)
    :: else -> writer_flush(s)
    fi;
    d_step {
      ring_place(cells);
      next_position = position + cells;    /*: ring->next_position = slot->position + bytes; */
      begun = s;
      position_of[s] = position;
      cells_of[s] = cells;
      end_position = next_position
    }
    if
    :: M(HEAD_EARLY) -> store_head(s)
    :: else
    fi;
    if
    :: M(INTENT_LATE)
    :: else -> store_intent(s)
    fi;
    store_payload(s);
    if
    :: M(INTENT_LATE) -> store_intent(s)
    :: else
    fi;
    if
    :: false ->
       failed: skip
    :: else
    fi;
    if
    :: M(HEAD_EARLY)
    :: else -> store_head(s)
    fi;
    complete = s;
    if
    :: M(TABLES_LATE) -> writer_flush(s)
    :: else
    fi;
    may_end()
  }
  /*= shm/channel/writer.c */
  if
  :: M(END_RELAXED) -> store_relaxed(WRITER, STATE, 1)
  :: else -> outlet_release(WRITER, STATE, 1)   /*: outlet_release(&taken->outlet, &taken->parts.counters->state, RTOP_WRITER_ENDED); */
  fi;
  goto ended;
cut_off:
  dead = true;
ended:
  store_release(WRITER, LOCK, 1);          /* the kernel's: given up when the process is gone */
  gone = true
}

/*= shm/base/ring.c */
inline rtop_ring_read()
{
  /*: uint64_t head = rtop_load_acquire(&counters->head_sequence); /* R1, pairs with W4 */
  if
  :: M(R1_RELAXED) -> load_relaxed(READER, HEAD_SEQUENCE, head)
  :: else -> load_acquire(READER, HEAD_SEQUENCE, head)
  fi;
  if
  :: q > head && !M(NO_R1_CHECK) -> result = NONE_YET; goto have   /*: if (sequence > head) */
  :: head >= q + SLOTS -> result = LOST; goto have    /*: if (sequence == 0 || head - sequence >= ring->slot_count) */
  :: else
  fi;
  /*: rtop_copy_from_shared(slot, &ring->slots[sequence & (ring->slot_count - 1)], sizeof *slot); */
  load_relaxed(READER, SLOT_SEQUENCE + q % SLOTS, slot_sequence);
  load_relaxed(READER, SLOT_POSITION + q % SLOTS, slot_position);
  load_relaxed(READER, SLOT_CELLS + q % SLOTS, slot_cells);
  if
  :: M(NO_R2_FENCE)
  :: else -> fence_acquire(READER)         /*: rtop_fence_acquire(); /* R2, pairs with W2 */
  fi;
  load_relaxed(READER, INTENT_SEQUENCE, intent);
  if   /*: if (rtop_load_relaxed(&counters->intent_sequence) - sequence >= ring->slot_count) */
  :: M(NO_R2_CHECK)
  :: else ->
     if
     :: intent < q || intent - q >= SLOTS + (M(R2_LOOSE) -> 1 : 0) - (M(R2_STRICT) -> 1 : 0) ->
        result = LOST; goto have
     :: else
     fi
  fi;
  /*: if (!ring_slot_plausible(ring, slot, sequence)) */
  if
  :: slot_sequence != q || slot_cells > PAYLOAD_MAX || slot_cells > CAPACITY - slot_position % CAPACITY ->
     result = CORRUPT; goto have
  :: else
  fi;
  position_check();                        /*: return ring_position_lost(ring, slot->position) ? RTOP_LOST : RTOP_OK; */
  /*: rtop_copy_from_shared(payload, ring->bytes + (slot->position & (ring->capacity - 1)), slot->stored_bytes); */
  for (r : 0 .. slot_cells - 1) {
    load_relaxed(READER, CELLS + (slot_position + r) % CAPACITY, cell);
    torn = torn || cell != q
  }
  if
  :: M(NO_R4_FENCE)
  :: else -> fence_acquire(READER)         /*: rtop_fence_acquire(); /* R4, pairs with W2 */
  fi;
  copied = true;
  position_check();                        /*: if (ring_position_lost(ring, slot->position)) */
  result = OK;
have: skip
}

/* ring_position_lost */
inline position_check()
{
  load_relaxed(READER, INTENT_POSITION, intent);
  if
  :: M(NO_R4_CHECK)
  :: !M(NO_R4_CHECK) && (intent < slot_position ||
       intent - slot_position > CAPACITY + (M(R4_LOOSE) -> 1 : 0) - (M(R4_STRICT) -> 1 : 0)) ->
     result = LOST; goto have
  :: else
  fi
}

/*= shm/channel/reader.c */
inline reader_none()
{
  load_acquire(READER, STATE, ended);      /*: bool ended = reader_ended(reader); */
  if
  :: !ended ->
     load_acquire(READER, LOCK, unlocked); /*: if (!ended && rtop_liveness_writer_alive(reader->segment.fd, NULL)) */
     if
     :: !unlocked -> goto said
     :: else
     fi
  :: else
  fi;
  if
  :: M(END_ONE_LOOK)
  :: else ->
     load_acquire(READER, HEAD_SEQUENCE, head);
     if
     :: head >= q -> goto said             /*: if (rtop_reader_tier_newest(reader, tier) >= sequence) */
     :: else
     fi
  fi;
  /*: return ended || reader_ended(reader) ? RTOP_ENDED : RTOP_DEAD; */
  if
  :: ended
  :: else -> load_acquire(READER, STATE, ended)
  fi;
  result = (ended -> ENDED : DEAD);
said: skip
}

active proctype rtop_reader()
{
  byte q, head, intent, slot_sequence, slot_position, slot_cells, cell, r, nodes, id;
  mtype result = NONE_YET;
  bool torn, copied, ended, unlocked, late;
#ifdef INTERLEAVED
  mem_count[0] > 0;
#else
  gone;
#endif
  /* One that came after all that, on any machine, sees the newest of everything. */
  if
  :: gone -> late = true; known[2 * READER + WRITER] = thread_clock[WRITER]
  :: true
  fi;
  /* What it can be told of the windows before, it can be told by a writer that was not cut off, too. */
  q = (late || begun == WINDOWS || !gone -> 1 : begun);
  do
  :: q <= WINDOWS -> q++
  :: q > 0 -> break
  od;
  rtop_ring_read();
  if
  :: result == NONE_YET -> reader_none()
  :: else
  fi;
  d_step {
    assert(result != CORRUPT);
    if
    :: result == OK ->
       assert(!torn && slot_position == position_of[q] && slot_cells == cells_of[q]);
       assert(q <= complete || M(REACH_OK));
       assert(!M(REACH_OK) && !(M(REACH_OLD) && q < complete))
    :: else
    fi;
    if
    :: late && result == LOST -> assert(begun >= q + SLOTS || end_position > position_of[q] + CAPACITY)
    :: late && result != LOST -> assert((q <= complete) == (result == OK))
    :: else
    fi;
    if
    :: result == ENDED || result == DEAD ->
       assert(gone && q > complete);
       assert(result == ENDED -> !dead : dead);
       assert(!(M(REACH_ENDED) && result == ENDED && complete > 1) &&
              !(M(REACH_DEAD) && result == DEAD && begun > complete))
    :: else
    fi;
    assert(!(M(REACH_LOST) && result == LOST && copied))
  }
  /* What a window names is there for its reader, and so is all that is counted. */
  if
  :: result == OK ->
     if
     :: M(COUNT_RELAXED) -> load_relaxed(READER, NODE_COUNT, nodes)
     :: else -> load_acquire(READER, NODE_COUNT, nodes)      /*: if (slot->node_count > reader_tables_node_count(&reader->tables) || */
     fi;
     assert(nodes >= q);
     select (id : 1 .. nodes);
     load_relaxed(READER, NODES + id, cell);
     assert(cell == id)
  :: else
  fi
}
