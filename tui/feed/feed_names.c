/* SPDX-License-Identifier: MIT */
/* Translates the names of a segment into the viewer's own ids. */
#include "feed_impl.h"

#include "shm/window/window_lists.h"
#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Limits. New entries are read in order while they are few (NAMES_AT_ONCE); of a process that had made very many
 * already, only entries that windows refer to are read. */
enum { NAMES_AT_ONCE = 1 << 17, NAMES_DEPTH_MAX = 4096, NAMES_MAP_MIN = 1 << 14 };

static size_t map_bytes(size_t capacity)
{
  return capacity * sizeof(uint32_t);
}

/* Enlarges a map. Its pages are zeroed on demand, so that unused parts, and parts that are 0 again, cost nothing. */
static bool map_reserve(struct feed_map *map, size_t count)
{
  if (count <= map->capacity) return true;
  size_t capacity = map->capacity ? map->capacity : NAMES_MAP_MIN;
  while (capacity < count) capacity *= 2;
  void *grown = map->of ? mremap(map->of, map_bytes(map->capacity), map_bytes(capacity), MREMAP_MAYMOVE)
                        : mmap(NULL, map_bytes(capacity), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (grown == MAP_FAILED) return false;
  *map = (struct feed_map){ grown, capacity };
  return true;
}

/* Pages of zeros only are given back. */
static void map_release(struct feed_map *map)
{
  enum { PAGE = 4096 / sizeof(uint32_t) };
  for (size_t from = 0; from + PAGE <= map->capacity; from += PAGE) {
    size_t at = from;
    while (at < from + PAGE && !map->of[at]) at++;
    if (at == from + PAGE) madvise(map->of + from, map_bytes(PAGE), MADV_DONTNEED);
  }
}

static void map_destroy(struct feed_map *map)
{
  if (map->of) munmap(map->of, map_bytes(map->capacity));
}

static enum rtop_symbol_kind names_kind(uint32_t kind)
{
  return kind == RTOP_FRAME_RUBY ? RTOP_SYMBOL_RUBY : kind == RTOP_FRAME_C ? RTOP_SYMBOL_C : RTOP_SYMBOL_SPECIAL;
}

/* Reads the strings of a frame into names->text. False when the segment has used up its budget, since many frames may
 * name one long string. */
static bool names_read(struct feed_ring *feed, const uint32_t *references, size_t count, size_t *bytes)
{
  struct feed_names *names = &feed->names;
  uint64_t all = sizeof(struct rtop_frame_entry);
  for (size_t i = 0; i < count && !names->budget.over; i++) {
    bytes[i] = segment_port_string(feed->port, references[i], names->text[i], sizeof names->text[i]);
    all += bytes[i];
  }
  return rtop_budget_spend(&names->budget, RTOP_BUDGET_CONTENT, all);
}

static uint32_t names_special(struct rtop_symbols *symbols, const char *label)
{
  return rtop_symbols_frame(symbols, label, strlen(label), "", 0, "", 0, 0, RTOP_SYMBOL_SPECIAL);
}

/* Translates a frame. A damaged one is replaced by a frame that says so, since its time must be shown somewhere. */
static uint32_t names_frame(struct feed_ring *feed, struct rtop_symbols *symbols, uint32_t id)
{
  struct feed_names *names = &feed->names;
  struct rtop_frame_entry entry;
  if (!segment_port_frame(feed->port, id, &entry)) return names_special(symbols, "(unreadable)");
  const uint32_t references[3] = { entry.label, entry.path, entry.namespace_label };
  size_t bytes[3] = { 0 };
  names->labels.of[id] = entry.label;
  if (!names_read(feed, references, 3, bytes)) return names_special(symbols, "(too many names)");
  if (bytes[0] == 0)
    return rtop_symbols_frame(symbols, "(no name)", 9, names->text[1], bytes[1], names->text[2], bytes[2], entry.line,
                              names_kind(entry.kind));
  return rtop_symbols_frame(symbols, names->text[0], bytes[0], names->text[1], bytes[1], names->text[2], bytes[2],
                            entry.line, names_kind(entry.kind));
}

static bool names_frames(struct feed_ring *feed, struct rtop_symbols *symbols)
{
  struct feed_names *names = &feed->names;
  uint64_t count = segment_port_counters(feed->port)->frame_count;
  if (count > UINT32_MAX || !map_reserve(&names->frames, (size_t)count) || !map_reserve(&names->labels, (size_t)count))
    return false;
  if (count > names->frame_count + NAMES_AT_ONCE) names->frame_count = (size_t)count;
  for (; names->frame_count < count; names->frame_count++)
    names->frames.of[names->frame_count] = names_frame(feed, symbols, (uint32_t)names->frame_count);
  return true;
}

static uint32_t names_frame_of(struct feed_ring *feed, struct rtop_symbols *symbols, uint32_t id)
{
  uint32_t *frame = &feed->names.frames.of[id];
  if (!*frame) *frame = names_frame(feed, symbols, id);
  return *frame;
}

/* Reads labels again that were completed after their frames were read. */
static void names_relabel(struct feed_ring *feed, struct rtop_symbols *symbols)
{
  struct feed_names *names = &feed->names;
  uint64_t labels = segment_port_counters(feed->port)->frame_labels;
  if (labels == names->labels_seen) return;
  names->labels_seen = labels;
  for (uint32_t id = 0; id < names->frame_count && !names->budget.over; id++) {
    struct rtop_frame_entry entry;
    size_t bytes[2] = { 0 };
    if (!names->frames.of[id] || !segment_port_frame(feed->port, id, &entry) || entry.label == names->labels.of[id])
      continue;
    const uint32_t references[2] = { entry.label, entry.namespace_label };
    names->labels.of[id] = entry.label;
    if (names_read(feed, references, 2, bytes))
      rtop_symbols_relabel(symbols, names->frames.of[id], names->text[0], bytes[0], names->text[1], bytes[1]);
  }
}

struct names_call {
  uint32_t id;
  struct rtop_node_entry entry;
};

static bool names_call(struct feed_ring *feed, uint32_t id, struct names_call *call)
{
  call->id = id;
  return segment_port_node(feed->port, id, &call->entry) && call->entry.parent < id &&
         call->entry.frame < feed->names.frame_count;
}

/* Reads a node, and first its callers as far as they are unknown. A damaged caller is replaced by the root. */
static void names_node(struct feed_ring *feed, struct rtop_symbols *symbols, uint32_t id)
{
  struct feed_names *names = &feed->names;
  size_t depth = 0;
  while (id && id < names->node_count && !names->nodes.of[id]) {
    if (depth == NAMES_DEPTH_MAX || !rtop_reserve(&names->path, &names->path_capacity, depth + 1, sizeof *names->path))
      return;
    if (!names_call(feed, id, &names->path[depth])) break;
    id = names->path[depth++].entry.parent;
  }
  while (depth-- > 0) {
    const struct names_call *call = &names->path[depth];
    uint32_t frame = names_frame_of(feed, symbols, call->entry.frame);
    names->nodes.of[call->id] =
        rtop_symbols_node(symbols, names->nodes.of[call->entry.parent], frame, call->entry.line);
  }
}

struct names_visitor {
  struct feed_ring *feed;
  struct rtop_symbols *symbols;
};

static void names_visit(void *context, uint32_t *node)
{
  const struct names_visitor *visitor = context;
  names_node(visitor->feed, visitor->symbols, *node);
}

static bool names_nodes(struct feed_ring *feed, struct rtop_symbols *symbols)
{
  struct feed_names *names = &feed->names;
  uint64_t count = segment_port_counters(feed->port)->node_count;
  if (count > UINT32_MAX || !map_reserve(&names->nodes, (size_t)count)) return false;
  size_t from = count > names->node_count + NAMES_AT_ONCE ? (size_t)count : names->node_count;
  names->node_count = (size_t)count;
  for (; from < count; from++) names_node(feed, symbols, (uint32_t)from);
  rtop_window_each_node(&feed->window, names_visit, &(struct names_visitor){ feed, symbols });
  return true;
}

static bool names_threads(struct feed_ring *feed, struct rtop_profile *profile)
{
  struct feed_names *names = &feed->names;
  const struct rtop_window *window = &feed->window;
  if (!rtop_reserve(&names->threads, &names->thread_capacity, window->thread_count + 1, sizeof *names->threads))
    return false;
  for (size_t i = 0; i < window->thread_count; i++) {
    struct rtop_thread_entry entry;
    struct rtop_source_thread thread = { .serial = window->threads[i].serial };
    if (!feed->seconds.wanted && segment_port_thread(feed->port, window, i, &entry)) {
      thread.name = entry.name;
      thread.name_bytes = entry.name_bytes < sizeof entry.name ? entry.name_bytes : sizeof entry.name;
      thread.native_id = entry.native_id;
      thread.is_main = entry.flags & RTOP_THREAD_MAIN;
    }
    names->threads[i] = rtop_profile_thread(profile, feed->base.source, &thread);
  }
  return true;
}

bool feed_names_update(struct feed_ring *feed, struct rtop_profile *profile)
{
  /* Frames are read before nodes, because nodes refer to frames; both tables only grow. */
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  names_relabel(feed, symbols);
  return names_frames(feed, symbols) && names_nodes(feed, symbols) && names_threads(feed, profile);
}

void feed_names_marks(struct feed_ring *feed, struct rtop_profile *profile)
{
  struct feed_names *names = &feed->names;
  for (size_t i = 0; i < feed->window.mark_count; i++) {
    const struct rtop_mark *mark = &feed->window.marks[i];
    size_t bytes = segment_port_string(feed->port, mark->name, names->text[0], sizeof names->text[0]);
    rtop_profile_add_mark(profile, feed->base.source, mark->mono_ns, names->text[0], bytes);
  }
}

void feed_names_forget(struct feed_names *names, const struct rtop_symbols *symbols)
{
  for (size_t id = 0; id < names->frame_count; id++)
    if (names->frames.of[id] && !rtop_symbols_holds_frame(symbols, names->frames.of[id]))
      names->frames.of[id] = names->labels.of[id] = 0;
  for (size_t id = 0; id < names->node_count; id++)
    if (names->nodes.of[id] && !rtop_symbols_holds_node(symbols, names->nodes.of[id])) names->nodes.of[id] = 0;
  map_release(&names->frames);
  map_release(&names->labels);
  map_release(&names->nodes);
  /* Text that was read for forgotten names no longer counts against the budget. */
  if (!names->budget.over) names->budget.spent[RTOP_BUDGET_CONTENT] = 0;
}

void feed_names_destroy(struct feed_names *names)
{
  map_destroy(&names->frames);
  map_destroy(&names->labels);
  map_destroy(&names->nodes);
  free(names->path);
  free(names->threads);
}
