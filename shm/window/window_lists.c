/* SPDX-License-Identifier: MIT */
/* Does the same with all lists of a window. */
#include "window_lists.h"
#include "window_parts.h"

#include <string.h>

enum { LISTS_VARINT_BYTES = 10 };

static const struct window_part *lists_part(enum rtop_window_lists list)
{
  static const enum rtop_window_part kinds[] = {
#define LIST(kind, ...) RTOP_PART_##kind,
#include "shm/base/parts.def"
  };
  return &window_parts[kinds[list]];
}

static size_t lists_most_bytes(const struct window_part *list)
{
  size_t bytes = list->kind == RTOP_PART_SLOW ? RTOP_ARGS_BYTES : 0;
  for (unsigned kind = list->kind; kind < RTOP_PART_KIND_END; kind++)
    for (const struct window_column *column = window_parts[kind].columns; column->bytes; column++)
      if (window_parts[kind].array == list->array) bytes += LISTS_VARINT_BYTES;
  return bytes;
}

struct rtop_window_list rtop_window_list(const struct rtop_window *window, enum rtop_window_lists list)
{
  const struct window_part *part = lists_part(list);
  return (struct rtop_window_list){ window_rows(window, part), *window_count(window, part), part->row_bytes,
                                    lists_most_bytes(part) };
}

bool rtop_window_size(struct rtop_window *window, const uint32_t counts[RTOP_LISTS])
{
  for (enum rtop_window_lists list = 0; list < RTOP_LISTS; list++) {
    if (!window_grow(window, lists_part(list), counts[list])) return false;
    *window_count(window, lists_part(list)) = counts[list];
  }
  return true;
}

bool rtop_window_copy(struct rtop_window *to, const struct rtop_window *from)
{
  rtop_window_reset(to);
  to->start_mono_ns = from->start_mono_ns;
  to->end_mono_ns = from->end_mono_ns;
  to->counters_present = from->counters_present;
  memcpy(to->counters, from->counters, sizeof to->counters);
  to->folded = from->folded;
  for (enum rtop_window_lists list = 0; list < RTOP_LISTS; list++) {
    const struct window_part *part = lists_part(list);
    size_t count = *window_count(from, part);
    if (!window_grow(to, part, count)) return false;
    if (count) memcpy(window_rows(to, part), window_rows(from, part), count * part->row_bytes);
    *window_count(to, part) = count;
  }
  return true;
}

/* Calls visit for all fields of the columns that `wanted` chooses. */
static void lists_each(struct rtop_window *window, bool (*wanted)(const struct window_column *column),
                       void (*visit)(void *context, void *field), void *context)
{
  for (unsigned kind = RTOP_PART_THREADS; kind < RTOP_PART_KIND_END; kind++) {
    const struct window_part *part = &window_parts[kind];
    char *rows = window_rows(window, part);
    size_t count = *window_count(window, part);
    for (const struct window_column *column = part->columns; column->bytes; column++)
      for (size_t i = 0; wanted(column) && i < count; i++) visit(context, rows + i * part->row_bytes + column->offset);
  }
}

/* A visitor of nodes or of times. */
struct lists_visitor {
  void (*node)(void *context, uint32_t *node);
  void (*time)(void *context, int64_t *mono_ns);
  void *context;
};

static bool lists_is_node(const struct window_column *column)
{
  return column->check == WINDOW_NODE;
}

static bool lists_is_time(const struct window_column *column)
{
  return column->coding == WINDOW_TIME;
}

static void lists_node(void *context, void *field)
{
  const struct lists_visitor *visitor = context;
  visitor->node(visitor->context, field);
}

static void lists_time(void *context, void *field)
{
  const struct lists_visitor *visitor = context;
  visitor->time(visitor->context, field);
}

void rtop_window_each_node(struct rtop_window *window, void (*visit)(void *context, uint32_t *node), void *context)
{
  struct lists_visitor visitor = { .node = visit, .context = context };
  lists_each(window, lists_is_node, lists_node, &visitor);
}

void rtop_window_each_time(struct rtop_window *window, void (*visit)(void *context, int64_t *mono_ns), void *context)
{
  struct lists_visitor visitor = { .time = visit, .context = context };
  lists_each(window, lists_is_time, lists_time, &visitor);
}
