#include "feed_impl.h"

#include <stdlib.h>
#include <string.h>

static bool names_reserve(uint32_t **ids, size_t *capacity, size_t count)
{
  if (count <= *capacity) return true;
  size_t wanted = count + count / 2 + 64;
  uint32_t *grown = realloc(*ids, wanted * sizeof *grown);
  if (!grown) return false;
  *ids = grown;
  *capacity = wanted;
  return true;
}

static enum rtop_symbol_kind names_kind(uint32_t kind)
{
  return kind == RTOP_FRAME_RUBY ? RTOP_SYMBOL_RUBY : kind == RTOP_FRAME_C ? RTOP_SYMBOL_C : RTOP_SYMBOL_SPECIAL;
}

/* Reads strings of a frame into names->text; false: the segment has had its share of work. Many frames may name
 * one long string. */
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

/* A damaged frame is shown as such: its time belongs to somebody. */
static uint32_t names_frame(struct feed_ring *feed, struct rtop_symbols *symbols, uint32_t id)
{
  struct feed_names *names = &feed->names;
  struct rtop_frame_entry entry;
  if (!segment_port_frame(feed->port, id, &entry)) return names_special(symbols, "(unreadable)");
  const uint32_t references[3] = { entry.label, entry.path, entry.namespace_label };
  size_t bytes[3] = { 0 };
  names->labels[id] = entry.label;
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
  uint64_t count = rtop_reader_frame_count(feed->reader);
  if (count > UINT32_MAX || !names_reserve(&names->frames, &names->frame_capacity, (size_t)count) ||
      !names_reserve(&names->labels, &names->label_capacity, (size_t)count))
    return false;
  for (; names->frame_count < count; names->frame_count++)
    names->frames[names->frame_count] = names_frame(feed, symbols, (uint32_t)names->frame_count);
  return true;
}

/* Labels of frames that came before may have been completed since. */
static void names_relabel(struct feed_ring *feed, struct rtop_symbols *symbols)
{
  struct feed_names *names = &feed->names;
  struct rtop_counters counters;
  rtop_reader_counters(feed->reader, &counters);
  if (counters.frame_labels == names->labels_seen) return;
  names->labels_seen = counters.frame_labels;
  for (uint32_t id = 0; id < names->frame_count && !names->budget.over; id++) {
    struct rtop_frame_entry entry;
    size_t bytes[2] = { 0 };
    if (!segment_port_frame(feed->port, id, &entry) || entry.label == names->labels[id]) continue;
    const uint32_t references[2] = { entry.label, entry.namespace_label };
    names->labels[id] = entry.label;
    if (names_read(feed, references, 2, bytes))
      rtop_symbols_relabel(symbols, names->frames[id], names->text[0], bytes[0], names->text[1], bytes[1]);
  }
}

static bool names_nodes(struct feed_ring *feed, struct rtop_symbols *symbols)
{
  struct feed_names *names = &feed->names;
  uint64_t count = rtop_reader_node_count(feed->reader);
  if (count > UINT32_MAX || !names_reserve(&names->nodes, &names->node_capacity, (size_t)count)) return false;
  for (; names->node_count < count; names->node_count++) {
    struct rtop_node_entry entry;
    uint32_t id = (uint32_t)names->node_count;
    names->nodes[id] = 0;
    if (id == 0 || !segment_port_node(feed->port, id, &entry) || entry.parent >= id ||
        entry.frame >= names->frame_count)
      continue;
    names->nodes[id] = rtop_symbols_node(symbols, names->nodes[entry.parent], names->frames[entry.frame], entry.line);
  }
  return true;
}

static bool names_threads(struct feed_ring *feed, struct rtop_profile *profile)
{
  struct feed_names *names = &feed->names;
  const struct rtop_window *window = &feed->window;
  if (!names_reserve(&names->threads, &names->thread_capacity, window->thread_count)) return false;
  for (size_t i = 0; i < window->thread_count; i++) {
    struct rtop_thread_entry entry;
    struct rtop_source_thread thread = { .serial = window->threads[i].serial };
    if (segment_port_thread(feed->port, window, i, &entry)) {
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
  /* Nodes before frames would name frames that are not there yet; both tables only grow. */
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

void feed_names_destroy(struct feed_names *names)
{
  free(names->frames);
  free(names->labels);
  free(names->nodes);
  free(names->threads);
}
