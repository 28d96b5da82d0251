/* SPDX-License-Identifier: MIT */
/* What the feed_*.c files share. */
#ifndef RTOP_TUI_FEED_IMPL_H
#define RTOP_TUI_FEED_IMPL_H

#include "feed.h"
#include "tui/text/budget.h"

#include "segment_port.h"
#include "shm/channel/reader.h"

/* A number for every id of a source's table, 0 at first. Where all are 0 there is no memory. */
struct feed_map {
  uint32_t *of;
  size_t capacity;
};

/* How a source's ids read in the profile: grown as its tables grow. 0: read when a window names it. */
struct feed_names {
  struct feed_map frames, nodes;
  struct feed_map labels; /* of frames: the strings that they were read from last */
  size_t frame_count, node_count;
  uint32_t *threads; /* of the window at hand */
  size_t thread_capacity;
  struct names_call *path; /* scratch: nodes on the way to one that is known */
  size_t path_capacity;
  uint64_t labels_seen;      /* how many labels had been completed when they were read last */
  struct rtop_budget budget; /* of the segment: how much text it may name */
  char text[3][RTOP_STRING_BYTES_MAX + 1];
};

/* What a kind of source does. `read` moves what is there into the profile and returns the number of
 * windows moved; it comes after `state`, so that a process that is gone is read to its end. */
struct feed_ops {
  enum rtop_feed_state (*state)(struct rtop_feed *feed);
  size_t (*read)(struct rtop_feed *feed, struct rtop_profile *profile);
  int (*wait_ms)(const struct rtop_feed *feed);
  void (*forget)(struct rtop_feed *feed, const struct rtop_symbols *symbols); /* NULL: nothing is kept */
  void (*close)(struct rtop_feed *feed);                                      /* frees the feed, too */
};

/* The beginning of every feed. */
struct rtop_feed {
  const struct feed_ops *ops;
  uint32_t source;
  int64_t shift_ns;    /* added to its times: to be by the clock of the first source */
  uint8_t boot_id[16]; /* of rings */
  struct rtop_feed_info info;
  char command[256];
  char ruby[64];
  char folder[RTOP_STRING_BYTES_MAX + 1];
  enum rtop_feed_state state;
  bool has_end;
  struct rtop_feed_end end;
  char end_cause[16], end_text[64];
  char problem[256]; /* "": none */
};
/* feed.c: it ended at `last_ns` of its own clock, as far as is known from what was written of it. Copies both words. */
void feed_set_end(struct rtop_feed *feed, const char *cause, const char *text, int64_t last_ns);
/* feed.c: it asked for more than its budget. */
struct rtop_budget;
void feed_refuse(struct rtop_feed *feed, const struct rtop_budget *budget);

/* Reading by seconds (feed_seconds.c). */
struct feed_seconds {
  bool wanted, always;
  uint64_t next;     /* of RTOP_TIER_1S: the one behind the one in hand; 0: it comes window by window */
  unsigned calm;     /* seconds of rest without a break, of windows */
  int64_t length_ns; /* of the second that its windows fill now */
  uint64_t busy_ns, releases;
};

/* The ring of a process, live or dead (feed_ring.c). */
struct feed_ring {
  struct rtop_feed base;
  struct rtop_reader *reader; /* its header and locks */
  struct segment_port *port;  /* everything else in it */
  uint64_t next_sequence;     /* of the fine tier; 0: nothing read yet */
  int64_t told_ns;            /* the profile knows everything up to here; 0: nothing yet */
  int64_t last_arrival_ns;    /* when a window came, by our own clock */
  int retries;                /* of the window that is corrupt */
  bool distrusted;            /* the window before was corrupt: do not try again */
  int64_t over_since_ns;      /* by our own clock; 0: it lives */
  bool still_there;           /* its channel was closed, the process had not ended at the last look */
  int64_t named_ns;           /* when its command was read */
  pid_t holder;               /* who held the writer's lock at the last look; 0: nobody that we see */
  struct feed_seconds seconds;
  struct feed_names names;
  struct rtop_window window;
};

/* feed_names.c: brings the translation up to what feed->window needs; false when memory ran out. */
bool feed_names_update(struct feed_ring *feed, struct rtop_profile *profile);
/* Hands the marks of the window to the profile. */
void feed_names_marks(struct feed_ring *feed, struct rtop_profile *profile);
/* What the symbols do not hold any more is read again when it is needed. */
void feed_names_forget(struct feed_names *names, const struct rtop_symbols *symbols);
void feed_names_destroy(struct feed_names *names);

/* feed_ring.c: hands feed->window to the profile. Returns the number of windows moved. */
size_t feed_hand_in(struct feed_ring *feed, struct rtop_profile *profile);
/* Moves the windows of the fine tier that begin before the limit. */
size_t feed_read_windows(struct feed_ring *feed, struct rtop_profile *profile, int64_t limit_ns);

/* feed_seconds.c: as rtop_feed_by_seconds() says; and what it is to know of each window that is handed in. */
void feed_seconds_note(struct feed_ring *feed, const struct rtop_window *window);
size_t feed_seconds_read(struct feed_ring *feed, struct rtop_profile *profile);

/* feed_recording.c: what a recording says of a thread. */
struct rtop_recording;
void feed_recorded_thread(const struct rtop_recording *recording, uint32_t source, struct rtop_source_thread *thread);

/* feed_history.c: tells from the merged tiers what lies between told_ns and the oldest windows of the fine
 * tier, and sets next_sequence to go on there. Returns the number of windows moved. */
size_t feed_history_read(struct feed_ring *feed, struct rtop_profile *profile);

#endif
