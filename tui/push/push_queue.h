/* SPDX-License-Identifier: MIT */
/* Profiles that are to be sent, oldest first, bounded in bytes: what finds no room takes that of the oldest, which are
 * counted. The one that is being sent stays until it is sent, refused or given up.
 *
 * Threads: one. A zeroed struct is empty.
 */
#ifndef RTOP_TUI_PUSH_QUEUE_H
#define RTOP_TUI_PUSH_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PUSH_QUEUE_BYTES = 32 << 20 };

struct push_item {
  struct push_item *next;
  char *query;              /* behind the URL; "": nothing */
  unsigned char *body;      /* compressed */
  size_t bytes;             /* of the body */
  int64_t start_ns, end_ns; /* what it tells of, by the clock on the wall */
};

struct push_queue {
  struct push_item *first, *last;
  size_t bytes, count;
  bool sending; /* the first one is on its way */
  uint64_t dropped, dropped_bytes;
};

/* Takes the item, and memory that it points to. False: there was no room, and it was dropped, or others for it. */
bool push_queue_add(struct push_queue *queue, struct push_item *item);
/* The first one is done with. */
void push_queue_pop(struct push_queue *queue);
void push_queue_clear(struct push_queue *queue);

void push_item_free(struct push_item *item);

#endif
