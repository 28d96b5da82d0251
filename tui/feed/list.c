/* SPDX-License-Identifier: MIT */
/* Reads what there is to list. */
#include "list.h"

#include "family.h"
#include "launch.h"
#include "segment_port.h"
#include "target.h"
#include "shm/base/clock.h"
#include "shm/channel/reader.h"
#include "shm/segment/ending.h"
#include "shm/segment/registry.h"
#include "tui/text/text.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_WINDOWS = 10 };
#define LIST_SPAN_NS UINT64_C(950000000) /* a second, less what windows may lack of their length */

struct list_second {
  uint64_t length_ns, cpu_ns, wall_ns[RTOP_STATE_COUNT];
};

static void list_add_window(struct list_second *second, const struct rtop_window *window)
{
  second->length_ns += (uint64_t)(window->end_mono_ns - window->start_mono_ns);
  for (size_t i = 0; i < window->cell_count; i++) {
    const struct rtop_cell *cell = &window->cells[i];
    second->cpu_ns += cell->cpu_ns;
    if (cell->state < RTOP_STATE_COUNT) second->wall_ns[cell->state] += cell->wall_ns;
  }
}

/* Describes the process by the thresholds of the verdict; unlike the verdict, without stacks. */
static const char *list_does(const struct list_second *second, double held)
{
  double length = (double)second->length_ns;
  double gc = (double)(second->wall_ns[RTOP_MARKING] + second->wall_ns[RTOP_SWEEPING]) / length;
  if (gc >= 0.2) return "GC";
  if (held >= 0.5 && (double)second->wall_ns[RTOP_WAITING] / length >= 0.5) return "GVL";
  return held >= 0.1 ? "runs" : "waits";
}

static void list_second(struct rtop_list_row *row, const struct list_second *second)
{
  if (second->length_ns == 0) return;
  double length = (double)second->length_ns;
  row->cores = (double)second->cpu_ns / length;
  row->held =
      (double)(second->wall_ns[RTOP_RUNNING] + second->wall_ns[RTOP_MARKING] + second->wall_ns[RTOP_SWEEPING]) / length;
  row->does = list_does(second, row->held);
}

/* Reads the threads, and for a living process the rate, from the newest readable window. */
static void list_window(struct rtop_list_row *row, struct segment_port *port, struct rtop_window *window)
{
  uint64_t newest = segment_port_counters(port)->head_sequence;
  if (newest == 0 || segment_port_window(port, RTOP_TIER_FINE, newest, window) != RTOP_OK) return;
  for (size_t i = 0; i < window->thread_count; i++)
    row->threads += !(window->threads[i].flags & RTOP_WINDOW_THREAD_ENDED);
  uint64_t rate_hz = window->counters[RTOP_COUNTER_RATE_HZ];
  if (row->state != RTOP_FEED_LIVE) return;
  if (rate_hz <= RTOP_RATE_HZ_MAX) row->rate_hz = (uint32_t)rate_hz;
  struct list_second second = { 0 };
  list_add_window(&second, window);
  for (uint64_t i = 1; i < LIST_WINDOWS && i < newest && second.length_ns < LIST_SPAN_NS; i++)
    if (segment_port_window(port, RTOP_TIER_FINE, newest - i, window) == RTOP_OK) list_add_window(&second, window);
  list_second(row, &second);
}

static void list_end(struct rtop_list_row *row, const struct rtop_reader *reader, struct segment_port *port)
{
  struct rtop_ending ending;
  int64_t start_ns, end_ns = rtop_reader_geometry(reader)->created_mono_ns;
  if (row->state != RTOP_FEED_ENDED && row->state != RTOP_FEED_DEAD) return;
  segment_port_time(port, RTOP_TIER_FINE, segment_port_counters(port)->head_sequence, &start_ns, &end_ns);
  rtop_registry_ending(row->pid, rtop_reader_geometry(reader), segment_port_counters(port), end_ns, &ending);
  row->by_exec = ending.cause == RTOP_ENDING_EXEC;
  rtop_ending_text(&ending, row->end, sizeof row->end);
}

static enum rtop_feed_state list_state(enum rtop_channel_state state)
{
  switch (state) {
  case RTOP_CHANNEL_LIVE: return RTOP_FEED_LIVE;
  case RTOP_CHANNEL_STALLED: return RTOP_FEED_STALLED;
  case RTOP_CHANNEL_ENDED: return RTOP_FEED_ENDED;
  case RTOP_CHANNEL_DEAD: break;
  }
  return RTOP_FEED_DEAD;
}

static void list_read(struct rtop_list_row *row, struct rtop_reader *reader, struct segment_port *port,
                      struct rtop_window *window)
{
  pid_t holder = 0;
  row->state = list_state(segment_port_state(port, clock_now_ns(), &holder));
  if (row->state == RTOP_FEED_LIVE || row->state == RTOP_FEED_STALLED)
    rtop_target_command(holder, row->command, sizeof row->command);
  if (row->state == RTOP_FEED_LIVE && rtop_launch_is_stopped(row->pid))
    row->state = RTOP_FEED_STALLED; /* A single reading cannot show that no windows come. */
  list_window(row, port, window);
  list_end(row, reader, port);
}

static void list_look(struct rtop_list_row *row, const struct rtop_registry_entry *entry, struct rtop_window *window)
{
  const struct rtop_geometry *geometry = &entry->geometry;
  int64_t since_ns = entry->alive ? geometry->created_real_ns : entry->modified_real_ns;
  *row = (struct rtop_list_row){ .pid = entry->pid, .uid = entry->uid, .does = "" };
  row->state = entry->alive ? RTOP_FEED_LIVE : entry->ended ? RTOP_FEED_ENDED : RTOP_FEED_DEAD;
  if (__builtin_sub_overflow(clock_real_ns(), since_ns, &row->age_ns) || row->age_ns < 0) row->age_ns = 0;
  rtop_text_sanitize(row->ruby, sizeof row->ruby, geometry->ruby_version,
                     strnlen(geometry->ruby_version, sizeof geometry->ruby_version));
  rtop_text_sanitize(row->command, sizeof row->command, geometry->command,
                     strnlen(geometry->command, sizeof geometry->command));
  rtop_target_user(row->uid, row->user, sizeof row->user);
  struct rtop_reader *reader = rtop_reader_open(entry->path, entry->uid, NULL);
  struct segment_port *port = reader ? segment_port_open(reader, row->pid, row->uid, NULL) : NULL;
  if (port) list_read(row, reader, port, window);
  if (port) segment_port_close(&port);
  rtop_reader_close(&reader);
}

static bool list_is_over(const struct rtop_list_row *row)
{
  return row->state == RTOP_FEED_ENDED || row->state == RTOP_FEED_DEAD;
}

static int list_compare(const void *left, const void *right)
{
  const struct rtop_list_row *a = left, *b = right;
  if (list_is_over(a) != list_is_over(b)) return list_is_over(a) ? 1 : -1;
  if (a->age_ns != b->age_ns) return a->age_ns < b->age_ns ? -1 : 1;
  return a->pid < b->pid ? -1 : a->pid > b->pid;
}

enum { LIST_TAKEN = -1 };

/* Orders rows as a tree: appends the children of one parent, otherwise keeping the order. Takes each row once, since
 * a process may have several channels. */
static size_t list_take_below(struct rtop_list_row *from, size_t count, pid_t parent, unsigned depth,
                              struct rtop_list_row *to, size_t taken)
{
  for (size_t i = 0; i < count && taken < count; i++) {
    if (from[i].parent != parent || depth > RTOP_LIST_MAX) continue;
    to[taken] = from[i];
    to[taken++].depth = depth;
    from[i].parent = LIST_TAKEN;
    if (!list_is_over(&from[i])) taken = list_take_below(from, count, from[i].pid, depth + 1, to, taken);
  }
  return taken;
}

static void list_trees(struct rtop_list_row *rows, size_t count)
{
  pid_t pids[RTOP_LIST_MAX], parents[RTOP_LIST_MAX];
  struct rtop_list_row *flat = calloc(count + 1, sizeof *flat);
  for (size_t i = 0; i < count; i++) pids[i] = list_is_over(&rows[i]) ? 0 : rows[i].pid;
  if (flat && rtop_family_parents(pids, parents, count)) {
    for (size_t i = 0; i < count; i++) rows[i].parent = parents[i];
    memcpy(flat, rows, count * sizeof *flat);
    size_t taken = list_take_below(flat, count, 0, 0, rows, 0);
    /* /proc changed while it was read: rows that fit into no tree come last. */
    for (size_t i = 0; i < count && taken < count; i++)
      if (flat[i].parent != LIST_TAKEN) rows[taken++] = flat[i];
  }
  free(flat);
}

int rtop_list_indent(unsigned depth)
{
  return depth < 8 ? (int)depth * 2 : 16;
}

size_t rtop_list_read(struct rtop_list_row *rows, size_t capacity)
{
  struct rtop_registry_entry *entries = calloc(RTOP_LIST_MAX, sizeof *entries);
  struct rtop_window window = { 0 };
  if (!entries) return 0;
  size_t count = rtop_registry_list(entries, capacity < RTOP_LIST_MAX ? capacity : RTOP_LIST_MAX);
  for (size_t i = 0; i < count; i++) list_look(&rows[i], &entries[i], &window);
  if (count) qsort(rows, count, sizeof *rows, list_compare);
  list_trees(rows, count);
  rtop_window_destroy(&window);
  free(entries);
  return count;
}

void rtop_list_age(char *out, size_t out_bytes, int64_t age_ns)
{
  static const struct {
    int64_t seconds;
    char unit;
  } units[] = {
    { 86400, 'd' },
    { 3600, 'h' },
    { 60, 'm' },
    { 1, 's' },
  };
  int64_t seconds = age_ns > 0 ? age_ns / 1000000000 : 0;
  size_t i = 0;
  while (i < 3 && seconds < 2 * units[i].seconds) i++;
  int64_t whole = seconds / units[i].seconds;
  snprintf(out, out_bytes, "%d %c", whole < 9999 ? (int)whole : 9999, units[i].unit);
}

const char *rtop_list_state_name(enum rtop_feed_state state, bool by_exec)
{
  return by_exec ? "exec" : rtop_feed_state_name(state);
}
