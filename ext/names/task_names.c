/* SPDX-License-Identifier: MIT */
/* Turns annotations of fibers into names. */
#include "task_names.h"

#include "ext/base/hash.h"
#include "shm/base/utf8.h"
#include <stdbool.h>
#include <string.h>

enum { DIGITS_KEPT = 2 };

void task_names_init(struct task_names *names)
{
  *names = (struct task_names){ .variable = rb_intern("@annotation") };
}

VALUE task_names_read(const struct task_names *names, VALUE fiber)
{
  return rb_ivar_get(fiber, names->variable);
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static bool is_hexadecimal(char c)
{
  return is_digit(c) || (c >= 'a' && c <= 'f');
}

/* Returns the length of a number at the begin of the text if the number is left out of names, or 0. */
static size_t number_at(const char *text, size_t bytes)
{
  size_t length = 0;
  if (bytes > 2 && text[0] == '0' && text[1] == 'x') {
    for (length = 2; length < bytes && is_hexadecimal(text[length]);) length++;
    return length;
  }
  while (length < bytes && is_digit(text[length])) length++;
  return length > DIGITS_KEPT ? length : 0;
}

/* Copies a name with each number that number_at() finds replaced by "#". Returns the number of bytes. */
static size_t plain_text(const char *text, size_t bytes, char out[TASK_NAME_BYTES_MAX])
{
  size_t count = 0;
  for (size_t at = 0; at < bytes && count < TASK_NAME_BYTES_MAX;) {
    bool inside = at > 0 && is_digit(text[at]) && is_digit(text[at - 1]);
    size_t number = inside ? 0 : number_at(text + at, bytes - at);
    out[count++] = number ? '#' : text[at];
    at += number ? number : 1;
  }
  return count;
}

static uint32_t make(struct frames *frames, struct calltree *tree, const char *text, size_t bytes)
{
  if (calltree_count(tree) >= tree->capacity / 4 * 3) return RTOP_NODE_ROOT;
  uint32_t frame = frames_task(frames, text, bytes);
  return frame == FRAMES_OTHER ? RTOP_NODE_ROOT : calltree_child(tree, RTOP_NODE_ROOT, frame, 0);
}

uint32_t task_names_node(struct task_names *names, struct frames *frames, struct calltree *tree, VALUE annotation)
{
  char text[TASK_NAME_BYTES_MAX];
  if (!RB_TYPE_P(annotation, T_STRING) || RSTRING_LEN(annotation) <= 0) return RTOP_NODE_ROOT;
  size_t length = (size_t)RSTRING_LEN(annotation);
  size_t bytes = plain_text(RSTRING_PTR(annotation), rtop_utf8_cut(RSTRING_PTR(annotation), length, sizeof text), text);
  uint64_t hash = hash_bytes(HASH_START, text, bytes) | 1;
  uint32_t at = (uint32_t)(hash >> 32) % (2 * TASK_NAMES_MAX);
  while (names->entries[at].hash && names->entries[at].hash != hash) at = (at + 1) % (2 * TASK_NAMES_MAX);
  struct task_name *entry = &names->entries[at];
  if (entry->hash || names->count == TASK_NAMES_MAX) return entry->node;
  *entry = (struct task_name){ .hash = hash, .node = make(frames, tree, text, bytes) };
  names->count++;
  return entry->node;
}
