/* SPDX-License-Identifier: MIT */
/* What is known of a source of windows, wherever they come from: feeds say it, recordings keep it. */
#ifndef RTOP_TUI_FEED_INFO_H
#define RTOP_TUI_FEED_INFO_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum rtop_feed_state {
  RTOP_FEED_LIVE,
  RTOP_FEED_STALLED, /* alive, but no windows come: stopped, frozen, or parked */
  RTOP_FEED_ENDED,
  RTOP_FEED_DEAD,
  RTOP_FEED_REPLAY,
};

/* What found no room in the channel, or was not taken, since it was made. */
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
  uint64_t start_ticks; /* with the pid it names a process, as that says itself; 0: not known, as of recordings */
  uid_t owner;          /* of the segment or the file */
  const char *command;  /* sanitised; of a living process as it calls itself now */
  const char *ruby;     /* "3.3.8" */
  const char *folder;   /* where it works, raw bytes; "": not known */
  const char *host;     /* sanitised: of a stream, whose pid is that of another machine; NULL: of this one, or a file */
  pid_t parent;         /* of a stream: the process above it when that is watched, too; 0: none */
  uint32_t window_ns;
  int64_t clock_offset_ns; /* real - mono: wall clock of a window's time */
  int64_t started_real_ns; /* of the channel */
  int64_t code_real_ns;    /* it began to load code then, or later; 0: not known, as of files and other machines */
  bool sees_our_files;
  bool tells_losses;            /* a recording does not */
  uint64_t losses[RTOP_LOSSES]; /* as of the last poll */
  uint64_t bytes;               /* of the segment or the file; of a recording only with its first feed */
};

/* What a stream says of each process in it, again and again, as it is not known from the process itself there; and a file
 * of one that ended. */
struct rtop_pulse {
  enum rtop_feed_state state; /* not REPLAY */
  uint64_t left_out;          /* windows that the stream had no room for, as its reader was too slow */
  uint64_t losses[RTOP_LOSSES];
  bool tells_losses;
  char cause[16], text[64]; /* how it ended (struct rtop_feed_end); "": it has not, or that is not known */
};

#endif
