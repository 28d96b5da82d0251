/* SPDX-License-Identifier: MIT */
/* A list with a bound. */
#include "push_queue.h"

#include <stdlib.h>
#include <string.h>

static size_t item_bytes(const struct push_item *item)
{
  return sizeof *item + item->bytes + strlen(item->query) + 1;
}

void push_item_free(struct push_item *item)
{
  if (!item) return;
  free(item->query);
  free(item->body);
  free(item);
}

static void queue_drop(struct push_queue *queue, struct push_item *item)
{
  queue->dropped++;
  queue->dropped_bytes += item->bytes;
  push_item_free(item);
}

/* Drops the oldest item that is not being sent; false: there is none. */
static bool queue_drop_oldest(struct push_queue *queue)
{
  struct push_item **place = queue->sending && queue->first ? &queue->first->next : &queue->first;
  struct push_item *item = *place;
  if (!item) return false;
  *place = item->next;
  if (queue->last == item) queue->last = place == &queue->first ? NULL : queue->first;
  queue->bytes -= item_bytes(item);
  queue->count--;
  queue_drop(queue, item);
  return true;
}

bool push_queue_add(struct push_queue *queue, struct push_item *item)
{
  uint64_t dropped = queue->dropped;
  size_t bytes = item_bytes(item);
  item->next = NULL;
  while (bytes <= PUSH_QUEUE_BYTES && queue->bytes + bytes > PUSH_QUEUE_BYTES && queue_drop_oldest(queue))
    ;
  if (queue->bytes + bytes > PUSH_QUEUE_BYTES) {
    queue_drop(queue, item);
    return false;
  }
  if (queue->last) queue->last->next = item;
  else queue->first = item;
  queue->last = item;
  queue->bytes += bytes;
  queue->count++;
  return queue->dropped == dropped;
}

void push_queue_pop(struct push_queue *queue)
{
  struct push_item *item = queue->first;
  if (!item) return;
  queue->first = item->next;
  if (!queue->first) queue->last = NULL;
  queue->bytes -= item_bytes(item);
  queue->count--;
  queue->sending = false;
  push_item_free(item);
}

void push_queue_clear(struct push_queue *queue)
{
  while (queue->first) push_queue_pop(queue);
}
