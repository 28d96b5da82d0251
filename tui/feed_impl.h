/* What the feed_*.c files share. */
#ifndef RTOP_TUI_FEED_IMPL_H
#define RTOP_TUI_FEED_IMPL_H

#include "feed.h"

#include "shm/reader.h"

/* How a source's ids read in the profile: grown as its tables grow. */
struct feed_names {
  uint32_t *frames, *nodes, *threads;  /* threads: of the window at hand */
  size_t frame_count, frame_capacity;
  size_t node_count, node_capacity;
  size_t thread_capacity;
  uint64_t labels_seen;                /* how many labels had been completed when they were read last */
  char text[3][RTOP_STRING_BYTES_MAX + 1];
};

struct rtop_feed {
  struct rtop_reader *reader;
  uint32_t source;
  struct rtop_feed_info info;
  char command[256];
  char ruby[64];
  enum rtop_feed_state state;
  uint64_t next_sequence;              /* 0: nothing read yet */
  int64_t last_arrival_ns;             /* when a window came, by our own clock */
  int retries;                         /* of the window that is corrupt */
  bool distrusted;                     /* the window before was corrupt: do not try again */
  struct feed_names names;
  struct rtop_window window;
};

/* feed_names.c: brings the translation up to what the window needs; false when memory ran out. */
bool feed_names_update(struct feed_names *names, struct rtop_reader *reader, struct rtop_profile *profile,
                       uint32_t source, const struct rtop_window *window);
void feed_names_destroy(struct feed_names *names);

/* feed_ring.c: reads what is there; returns the number of windows moved. */
size_t feed_ring_read(struct rtop_feed *feed, struct rtop_profile *profile);

#endif
