/* SPDX-License-Identifier: MIT */
/* Reads strings, frames, nodes and threads, and validates each of them. */
#include "reader_tables.h"
#include "shm/base/atomics.h"
#include "shm/base/sigbus.h"

enum { THREAD_READ_TRIES = 16 };

struct guarded_copy {
  void *to;
  const void *shared;
  size_t bytes;
};

static void copy_body(void *argument)
{
  const struct guarded_copy *copy = argument;
  rtop_copy_from_shared(copy->to, copy->shared, copy->bytes);
}

bool reader_tables_copy(const struct reader_tables *tables, void *to, const void *shared, size_t bytes)
{
  struct guarded_copy copy = { .to = to, .shared = shared, .bytes = bytes };
  return sigbus_run(tables->base, tables->bytes, copy_body, &copy);
}

struct guarded_load {
  const uint64_t *shared;
  uint64_t value;
};

static void load_body(void *argument)
{
  struct guarded_load *load = argument;
  load->value = rtop_load_acquire(load->shared);
}

uint64_t reader_tables_load(const struct reader_tables *tables, const uint64_t *shared)
{
  struct guarded_load load = { .shared = shared };
  return sigbus_run(tables->base, tables->bytes, load_body, &load) ? load.value : 0;
}

static uint64_t tables_count(const struct reader_tables *tables, const uint64_t *shared, uint64_t capacity)
{
  uint64_t published = reader_tables_load(tables, shared);
  return published < capacity ? published : capacity;
}

uint64_t reader_tables_frame_count(const struct reader_tables *tables)
{
  return tables_count(tables, &tables->parts->counters->frame_count, tables->parts->frame_capacity);
}

uint64_t reader_tables_node_count(const struct reader_tables *tables)
{
  return tables_count(tables, &tables->parts->counters->node_count, tables->parts->node_capacity);
}

uint64_t reader_tables_string_bytes(const struct reader_tables *tables)
{
  return tables_count(tables, &tables->parts->counters->string_bytes, tables->parts->string_bytes);
}

bool reader_tables_frame(const struct reader_tables *tables, uint32_t id, struct rtop_frame_entry *frame)
{
  return id < reader_tables_frame_count(tables) &&
         reader_tables_copy(tables, frame, &tables->parts->frames[id], sizeof *frame) &&
         frame->kind <= RTOP_FRAME_SPECIAL;
}

bool reader_tables_node(const struct reader_tables *tables, uint32_t id, struct rtop_node_entry *node)
{
  if (id >= reader_tables_node_count(tables) ||
      !reader_tables_copy(tables, node, &tables->parts->nodes[id], sizeof *node))
    return false;
  bool parent_right = id == RTOP_NODE_ROOT ? node->parent == RTOP_NODE_ROOT : node->parent < id;
  return parent_right && node->depth <= RTOP_STACK_DEPTH_MAX && node->frame < reader_tables_frame_count(tables);
}

/* Returns the length of a string that is completely inside the published part; 0 for any other reference. */
static size_t tables_string_length(const struct reader_tables *tables, uint32_t reference)
{
  struct rtop_string_head head;
  uint64_t limit = reader_tables_string_bytes(tables);
  if (reference % 8 != 0 || limit < sizeof head || reference > limit - sizeof head) return 0;
  if (!reader_tables_copy(tables, &head, tables->parts->strings + reference, sizeof head)) return 0;
  if (head.bytes > RTOP_STRING_BYTES_MAX || head.bytes > limit - sizeof head - reference) return 0;
  return head.bytes;
}

size_t reader_tables_string(const struct reader_tables *tables, uint32_t reference, char *buffer, size_t buffer_bytes)
{
  size_t length = tables_string_length(tables, reference);
  if (length > buffer_bytes - 1) length = buffer_bytes - 1;
  const unsigned char *bytes = tables->parts->strings + reference + sizeof(struct rtop_string_head);
  if (length > 0 && !reader_tables_copy(tables, buffer, bytes, length)) length = 0;
  buffer[length] = '\0';
  return length;
}

/* Tries once to read an entry that another process may be writing: the entry's version must be even, and unchanged
 * afterwards. */
static void thread_body(void *argument)
{
  struct guarded_copy *copy = argument;
  const struct rtop_thread_entry *shared = copy->shared;
  struct rtop_thread_entry *thread = copy->to;
  const size_t skip = sizeof thread->version;
  copy->bytes = 0;
  thread->version = rtop_load_acquire(&shared->version);
  rtop_copy_from_shared((unsigned char *)thread + skip, (const unsigned char *)shared + skip, sizeof *thread - skip);
  rtop_fence_acquire(); /* pairs with the release fence of thread_slots.c */
  if (thread->version % 2 == 0 && rtop_load_relaxed(&shared->version) == thread->version) copy->bytes = sizeof *thread;
}

bool reader_tables_thread(const struct reader_tables *tables, uint32_t slot, uint64_t serial,
                          struct rtop_thread_entry *thread)
{
  if (slot >= tables->parts->thread_capacity) return false;
  struct guarded_copy copy = { .to = thread, .shared = &tables->parts->threads[slot] };
  for (int try = 0; try < THREAD_READ_TRIES && copy.bytes == 0; try++)
    if (!sigbus_run(tables->base, tables->bytes, thread_body, &copy)) return false;
  if (copy.bytes == 0 || thread->name_bytes > sizeof thread->name) return false;
  return slot == 0 ? (thread->flags & RTOP_THREAD_OTHERS) != 0 : serial != 0 && thread->serial == serial;
}
