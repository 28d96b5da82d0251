/* SPDX-License-Identifier: MIT */
/* Profiles to be sent, oldest first, limited in bytes: a new profile displaces the oldest ones, which are counted. The
 * profile that is being sent stays until it was sent, refused or given up.
 *
 * Threads: one. A struct of zeros is empty.
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
  int64_t start_ns, end_ns; /* the span of the profile, wall clock */
};

struct push_queue {
  struct push_item *first, *last;
  size_t bytes, count;
  bool sending; /* the first one is on its way */
  uint64_t dropped, dropped_bytes;
};

/* Takes ownership of the item and its memory. False: there was no room, so this item or others were dropped. */
bool push_queue_add(struct push_queue *queue, struct push_item *item);
/* The first one is done with. */
void push_queue_pop(struct push_queue *queue);
void push_queue_clear(struct push_queue *queue);

void push_item_free(struct push_item *item);

#endif
