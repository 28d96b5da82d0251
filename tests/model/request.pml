/* The way back: a viewer holds its lock, writes its request, adds to the futex word; a publisher that nobody watches
 * parks. Locks, pread, pwrite and the futex are the kernel's, so every step is seen by all at once. Held: no
 * publisher sleeps while somebody watches, and it runs at the rate that was asked for last; a request that was
 * caught half written is not taken; a publisher that is told to stop does, asleep or not.
 */
#define REQUEST_FIRST 1       /* mutant: the viewer asks before it holds its lock */
#define NO_WAKE 2             /* mutant: the viewer does not touch the futex word */
#define VALUE_LATE 3          /* mutant: the publisher reads the futex word after the request and the lock */
#define NO_VALUE 4            /* mutant: the futex does not compare */
#define NO_CRC 5              /* mutant: a request is taken without looking at its checksum */
#define STOP_WITHOUT_WAKE 6   /* mutant: who stops the publisher does not wake it */
#define REACH_PARKED 7        /* reached: the publisher sleeps */
#define REACH_AGAIN 8         /* reached: it runs again at the second viewer's rate */

#define WATCH_HZ 3
#define M(name) (mutant == name)
c_decl {
\#include <stdlib.h>
}
byte mutant;
byte futex, rate, crc;        /* of the control page; the checksum of a rate is the rate */
byte locks;                   /* of viewers */
byte runs_at;                 /* 0: parked */
bool sleeping, stopping, stopped, half_taken;
byte viewers_done;

/*= shm/channel/control.c */
inline rtop_control_wake()
{
  atomic { futex++; sleeping = false }     /*: FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_EQ, 0)) >= 0) */
}

inline rtop_control_request(hz)
{
  rate = hz;                               /*: if (pwrite(control->fd, (unsigned char *)&page + offset, bytes, (off_t)offset) != (ssize_t)bytes) */
  crc = hz;
  if :: M(NO_WAKE) :: else -> rtop_control_wake() fi   /*: rtop_control_wake(control); */
}

inline read_page()
{
  read_rate = rate;                        /*: if (pread(control->fd, &page, sizeof page, 0) != (ssize_t)sizeof page) */
  read_crc = crc
}

/* A half written one is read again; CONTROL_READ_TRIES is as good as for ever, and the page is sound in the end. */
inline rtop_control_read()
{
  if :: M(VALUE_LATE) :: else -> value = futex fi;   /*: pread(control->fd, futex_value, sizeof *futex_value, futex_offset) != (ssize_t)sizeof *futex_value) */
  read_page();
  do
  :: read_crc != read_rate && !M(NO_CRC) -> read_page()   /*: if (control_page_right(&page)) { */
  :: else -> break
  od;
  half_taken = half_taken || read_crc != read_rate
}

/*= ext/out/publisher.c */
inline wanted_rate()
{
  rtop_control_read();                     /*: rtop_writer_request(loop->writer, &request, futex_value); */
  if                                       /*: loop->watched = rtop_writer_watched(loop->writer); */
  :: locks == 0 -> wanted = 0              /*: uint32_t wanted = config->record_hz, profiles = atomic_load(&loop->publisher->profiles.hz); */
  :: else -> wanted = (read_rate > 0 -> read_rate : WATCH_HZ)   /*: if (loop->watched) wanted = request.rate_hz ? request.rate_hz : config->watch_hz; */
  fi;
  if :: M(VALUE_LATE) -> value = futex :: else fi
}

active proctype publisher()
{
  byte value, wanted, read_rate, read_crc;
  c_code { now.mutant = getenv("MUTANT") ? (unsigned char)atoi(getenv("MUTANT")) : 0; }
  do
  :: stopping -> break                     /*: while (!atomic_load(&publisher->stopping)) { */
  :: else ->
     wanted_rate();                        /*: uint32_t wanted = wanted_rate(loop, &loop->futex_value); */
     do
     :: wanted == 0 && !stopping ->        /*: while (wanted == 0 && !loop->lost && !atomic_load(&loop->publisher->stopping)) { */
        runs_at = 0;
        if                                 /*: woken = rtop_writer_wait(loop->writer, loop->futex_value, PARKED_LOOK_NS); */
        :: stopping
        :: else ->
           atomic { sleeping = (futex == value || M(NO_VALUE)); assert(!(M(REACH_PARKED) && sleeping)) }
           !sleeping
        fi;
        wanted_rate()                      /*: wanted = wanted_rate(loop, &loop->futex_value); */
     :: else -> break
     od;
     if
     :: wanted != 0 -> runs_at = wanted;
        assert(!half_taken);
        assert(!(M(REACH_AGAIN) && wanted == 2 && viewers_done == 2))
     :: else
     fi
  od;
  stopped = true
}

/*= shm/channel/reader.c */
proctype viewer(byte hz)
{
  if :: M(REQUEST_FIRST) -> rtop_control_request(hz); locks++
  :: else ->
     locks++;                              /*: if (rtop_liveness_hold_viewer(reader->segment.fd) != 0) */
     rtop_control_request(hz)              /*: if (rtop_control_request(&reader->control, &request) != 0) */
  fi;
  watches: viewers_done++;
  if
  :: viewers_done == 2 -> goto stays       /* the last one stays */
  :: else
  fi;
  locks--;
stays: skip
}

/* Two viewers one after the other: the first goes, the second stays. Then the publisher is told to stop. */
init {
  atomic { run viewer(1) }
  _nr_pr == 2;                             /* init and the publisher */
  atomic { run viewer(2) }
  _nr_pr == 2;
  /* It finds that, however late it is; one that sleeps now sleeps for ever. */
  runs_at == 2;
  /* Told to stop when nobody watches any more, it may sleep, be about to, or run. */
  if :: locks-- :: true fi;
  /*= ext/out/publisher.c */
  stopping = true;                         /*: atomic_store(&publisher->stopping, true); */
  if
  :: M(STOP_WITHOUT_WAKE)
  :: else -> rtop_control_wake()           /*: if (publisher->writer) rtop_writer_wake(publisher->writer); */
  fi;
  stopped                                  /*: while (atomic_load(&publisher->started) && !atomic_load(&publisher->left)) { */
}
