/* SPDX-License-Identifier: MIT */
/* What is known about a source of windows of any kind: feeds report it, recordings store it. */
#ifndef RTOP_TUI_FEED_INFO_H
#define RTOP_TUI_FEED_INFO_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum rtop_feed_state {
  RTOP_FEED_LIVE,
  RTOP_FEED_STALLED, /* the process lives, but no windows come: stopped, frozen, or parked */
  RTOP_FEED_ENDED,
  RTOP_FEED_DEAD,
  RTOP_FEED_REPLAY,
};

/* Losses in the channel since it was made: entries for which there was no room, or samples not taken. */
enum rtop_loss {
  RTOP_LOSS_NODES,
  RTOP_LOSS_FRAMES,
  RTOP_LOSS_STRINGS,
  RTOP_LOSS_THREADS,
  RTOP_LOSS_LABELS,
  RTOP_LOSS_MARKS,
  RTOP_LOSS_SAMPLES,
  RTOP_LOSS_WINDOWS,
  RTOP_LOSSES,
};

struct rtop_feed_info {
  pid_t pid;
  /* start time of the process by its own account, which identifies it together with its pid; 0: unknown,
     as for recordings */
  uint64_t start_ticks;
  uid_t owner;         /* of the segment or the file */
  const char *command; /* sanitised command line; of a living process: its present title, if it has set one */
  const char *ruby;    /* "3.3.8" */
  const char *folder;  /* where it works, raw bytes; "": not known */
  /* sanitised host of a process of a stream, or of a recording that was made of one: its pid belongs to that machine;
     NULL: this machine, or a recording that names none */
  const char *host;
  pid_t parent; /* in a stream: parent of the process, if the parent is watched, too; 0: none */
  uint32_t window_ns;
  int64_t clock_offset_ns; /* real - mono (ns): converts times of windows to wall clock */
  int64_t started_real_ns; /* of the channel */
  /* the process began to load code at this wall clock time or later (ns); 0: unknown, as for files
     and other machines */
  int64_t code_real_ns;
  bool sees_our_files;
  bool tells_losses;            /* a recording does not */
  uint64_t losses[RTOP_LOSSES]; /* as of the last poll */
  uint64_t bytes;               /* size of the segment or file (bytes); for a recording only with its first feed */
};

/* Status of each process that a stream repeats, since its reader cannot examine the process; in a file, only of
 * processes that ended. */
struct rtop_pulse {
  enum rtop_feed_state state; /* not REPLAY */
  uint64_t left_out;          /* number of windows that the stream dropped because its reader was too slow */
  uint64_t losses[RTOP_LOSSES];
  bool tells_losses;
  char cause[16], text[64]; /* how the process ended (struct rtop_feed_end); "": it lives, or the cause is unknown */
};

#endif
