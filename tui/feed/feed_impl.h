/* SPDX-License-Identifier: MIT */
/* What the feed_*.c files share. */
#ifndef RTOP_TUI_FEED_IMPL_H
#define RTOP_TUI_FEED_IMPL_H

#include "feed.h"
#include "tui/text/budget.h"

#include "segment_port.h"
#include "shm/channel/reader.h"

/* A table from ids of a source to numbers, 0 at first. Parts that are all 0 use no memory. */
struct feed_map {
  uint32_t *of;
  size_t capacity;
};

/* Translates ids of a source into ids of the profile, and grows with the source's tables. 0: the name has not been
 * read, because no window referred to it. */
struct feed_names {
  struct feed_map frames, nodes;
  struct feed_map labels; /* for frames: string references of their labels when last read */
  size_t frame_count, node_count;
  uint32_t *threads; /* of the window at hand */
  size_t thread_capacity;
  struct names_call *path; /* scratch: nodes on the path up to a node with a known id */
  size_t path_capacity;
  uint64_t labels_seen;      /* number of completed labels in the segment when labels were last read */
  struct rtop_budget budget; /* budget of the text that may still be read from the segment */
  char text[3][RTOP_STRING_BYTES_MAX + 1];
};

/* Operations of a kind of source. `read` moves available windows into the profile and returns their number; it is
 * called after `state`, so that a dead process is read to its end. */
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
  int64_t shift_ns;    /* added to the source's times to convert them to the first source's clock */
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
/* feed.c: notes how the process ended, as far as it wrote that itself, with `last_ns`, the end of its last window by
 * its own clock. Copies both strings. */
void feed_set_end(struct rtop_feed *feed, const char *cause, const char *text, int64_t last_ns);
/* feed.c: notes that the source exceeded its budget. */
struct rtop_budget;
void feed_refuse(struct rtop_feed *feed, const struct rtop_budget *budget);

/* Reading by seconds (feed_seconds.c). */
struct feed_seconds {
  bool wanted, always;
  uint64_t next;     /* sequence in RTOP_TIER_1S after the second that is held back; 0: reading window by window */
  unsigned calm;     /* number of calm seconds in a row, when reading by windows */
  int64_t length_ns; /* length of the current second that its windows have covered so far */
  uint64_t busy_ns, releases;
};

/* The feed of a ring, of a live or dead process (feed_ring.c). */
struct feed_ring {
  struct rtop_feed base;
  struct rtop_reader *reader; /* its header and locks */
  struct segment_port *port;  /* everything else in it */
  uint64_t next_sequence;     /* of the fine tier; 0: nothing read yet */
  bool explained;             /* why there was nothing to read was looked for */
  int64_t told_ns;            /* the profile has everything up to this time; 0: nothing yet */
  int64_t last_arrival_ns;    /* when the last window came, by our own clock */
  int retries;                /* of the window that is corrupt */
  bool distrusted;            /* the previous window was corrupt, so the next one is not retried */
  int64_t over_since_ns;      /* by our own clock; 0: it lives */
  bool still_there;           /* the channel was closed, but the process still existed at the last check */
  int64_t named_ns;           /* when its command was read */
  pid_t holder;               /* holder of the writer's lock at the last check; 0: none, or invisible */
  struct feed_seconds seconds;
  struct feed_names names;
  struct rtop_window window;
};

/* feed_names.c: reads the names that feed->window needs; false when memory ran out. */
bool feed_names_update(struct feed_ring *feed, struct rtop_profile *profile);
/* Passes the marks of the window on to the profile. */
void feed_names_marks(struct feed_ring *feed, struct rtop_profile *profile);
/* Forgets ids that the symbols no longer hold; they are read again when needed. */
void feed_names_forget(struct feed_names *names, const struct rtop_symbols *symbols);
void feed_names_destroy(struct feed_names *names);

/* feed_ring.c: passes feed->window on to the profile. Returns the number of windows moved. */
size_t feed_hand_in(struct feed_ring *feed, struct rtop_profile *profile);
/* Moves the windows of the fine tier that begin before the limit. */
size_t feed_read_windows(struct feed_ring *feed, struct rtop_profile *profile, int64_t limit_ns);

/* feed_seconds.c: feed_seconds_read() reads as described at rtop_feed_by_seconds(); feed_seconds_note() must be called
 * for each window that is passed on. */
void feed_seconds_note(struct feed_ring *feed, const struct rtop_window *window);
size_t feed_seconds_read(struct feed_ring *feed, struct rtop_profile *profile);

/* feed_recording.c: reads what a recording says about a thread. */
struct rtop_recording;
void feed_recorded_thread(const struct rtop_recording *recording, uint32_t source, struct rtop_source_thread *thread);

/* feed_history.c: reads the time from told_ns to the oldest fine window from the merged tiers, and sets next_sequence
 * to that window. Returns the number of windows moved. */
size_t feed_history_read(struct feed_ring *feed, struct rtop_profile *profile);

#endif
