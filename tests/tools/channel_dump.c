/* channel_dump PID|PATH [--watch HZ] [--seconds S] [--until-windows N]
 *
 * Prints everything that a channel tells as one JSON object: what the tests of the extension look at. Reads
 * as the viewer does (shm/channel/reader.h), shows what stands there and judges nothing.
 *
 * Without options: the windows that can be read now. --seconds and --until-windows (new ones, after the
 * start) go on reading until then, or until the channel ended. --watch asks for HZ meanwhile, 0 for no
 * particular rate.
 *
 * Text that is no UTF-8 stands as {"hex": ...}. Cells are arrays: node, thread (serial), state, samples,
 * wall ns, CPU ns, allocations, blame ns; late records have their start before the node.
 *
 * Exit status: 0, 1 when there is no channel (one line on stderr), 2 usage.
 */
#include "shm/base/clock.h"
#include "shm/channel/reader.h"
#include "shm/segment/registry.h"
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { POLL_NS = 5000000, LONGEST_SECONDS = 600, CORRUPT_MAX = 1000 };
#define SECOND_NS INT64_C(1000000000)

struct options {
  const char *target;
  bool watch;
  uint32_t rate_hz;
  double seconds;
  uint64_t windows;
  const char *traces[RTOP_TRACE_SLOTS];
  int trace_count;
  uint32_t trace_seconds, trace_slower_us;
  bool until_eof;
};

struct dump {
  struct rtop_reader *reader;
  json_t *windows;
  json_t *threads; /* by serial */
  uint64_t next, lost, corrupt;
};

static const char *const state_names[] = { "running", "waiting", "blocked", "marking", "sweeping" };

static const char *const counter_names[RTOP_COUNTER_ID_MAX] = {
#define COUNTER(id, number, name, ...) [number] = #name,
#define CHANNEL_COUNTER(id, number, name, ...) [number] = #name,
#include "shm/base/counters.def"
};

static json_t *number(uint64_t value)
{
  return json_integer((json_int_t)value);
}

static json_t *text(const char *bytes, size_t count)
{
  json_t *string = json_stringn(bytes, count);
  if (string) return string;
  char *hex = malloc(2 * count + 1);
  if (!hex) abort();
  for (size_t i = 0; i < count; i++) snprintf(hex + 2 * i, 3, "%02x", (unsigned char)bytes[i]);
  hex[2 * count] = '\0';
  string = json_pack("{s:s}", "hex", hex);
  free(hex);
  return string;
}

static json_t *state_name(uint32_t state)
{
  return state < RTOP_STATE_COUNT ? json_string(state_names[state]) : number(state);
}

/* ---- windows ------------------------------------------------------------------------------------ */

static json_t *cell_row(const struct rtop_window *window, const struct rtop_cell *cell)
{
  json_t *row = json_array();
  uint64_t serial = cell->thread < window->thread_count ? window->threads[cell->thread].serial : 0;
  json_array_append_new(row, number(cell->node));
  json_array_append_new(row, number(serial));
  json_array_append_new(row, state_name(cell->state));
  json_array_append_new(row, number(cell->samples));
  json_array_append_new(row, number(cell->wall_ns));
  json_array_append_new(row, number(cell->cpu_ns));
  json_array_append_new(row, number(cell->allocations));
  json_array_append_new(row, number(cell->blame_ns));
  return row;
}

static json_t *window_counters(const struct rtop_window *window)
{
  json_t *counters = json_object();
  for (unsigned id = 0; id < RTOP_COUNTER_ID_MAX; id++)
    if (window->counters_present >> id & 1 && counter_names[id])
      json_object_set_new(counters, counter_names[id], number(window->counters[id]));
  return counters;
}

static void note_thread(struct dump *dump, const struct rtop_window_thread *row)
{
  struct rtop_thread_entry entry;
  char key[24];
  if (!rtop_reader_thread(dump->reader, row->slot, row->serial, &entry)) return;
  size_t bytes = entry.name_bytes < sizeof entry.name ? entry.name_bytes : sizeof entry.name;
  snprintf(key, sizeof key, "%" PRIu64, row->serial);
  json_object_set_new(dump->threads, key,
                      json_pack("{s:I s:I s:I s:I s:b s:b s:b s:o}", "serial", (json_int_t)entry.serial, "start_ns",
                                (json_int_t)entry.start_mono_ns, "end_ns", (json_int_t)entry.end_mono_ns, "native_id",
                                (json_int_t)entry.native_id, "main", (entry.flags & RTOP_THREAD_MAIN) != 0, "ended",
                                (entry.flags & RTOP_THREAD_ENDED) != 0, "others",
                                (entry.flags & RTOP_THREAD_OTHERS) != 0, "name", text(entry.name, bytes)));
}

static json_t *thread_row(const struct rtop_window_thread *row)
{
  return json_pack("{s:I s:I s:o s:I s:b s:b s:b s:b s:I s:I s:I s:I s:I s:I}", "slot", (json_int_t)row->slot, "serial",
                   (json_int_t)row->serial, "state", state_name(row->state), "node", (json_int_t)row->node,
                   "provisional", (row->flags & RTOP_WINDOW_THREAD_PROVISIONAL) != 0, "started",
                   (row->flags & RTOP_WINDOW_THREAD_STARTED) != 0, "ended",
                   (row->flags & RTOP_WINDOW_THREAD_ENDED) != 0, "stale", (row->flags & RTOP_WINDOW_THREAD_STALE) != 0,
                   "state_age_ns", (json_int_t)row->state_age_ns, "provisional_ns", (json_int_t)row->provisional_ns,
                   "stack_age_ns", (json_int_t)row->stack_age_ns, "lock_kind", (json_int_t)row->lock_kind, "lock",
                   (json_int_t)row->lock, "lock_holder", (json_int_t)row->lock_holder);
}

static json_t *string_at(const struct rtop_reader *reader, uint32_t reference)
{
  char buffer[RTOP_STRING_BYTES_MAX + 1];
  size_t count = rtop_reader_string(reader, reference, buffer, sizeof buffer);
  return text(buffer, count);
}

/* Rows: time, name. */
static json_t *window_marks(const struct rtop_reader *reader, const struct rtop_window *window)
{
  json_t *marks = json_array();
  for (size_t i = 0; i < window->mark_count; i++)
    json_array_append_new(
        marks, json_pack("[I,o]", (json_int_t)window->marks[i].mono_ns, string_at(reader, window->marks[i].name)));
  return marks;
}

/* Rows: node, label, count. */
static json_t *window_begun(const struct rtop_window *window)
{
  json_t *rows = json_array();
  for (size_t i = 0; i < window->begun_count; i++) {
    const struct rtop_begun *begun = &window->begun[i];
    json_array_append_new(
        rows, json_pack("[I,I,I]", (json_int_t)begun->node, (json_int_t)begun->label, (json_int_t)begun->count));
  }
  return rows;
}

/* Rows: serial of the thread, name, node, alive, waiting, wait_ns, longest_ns. */
static json_t *window_fibers(const struct rtop_window *window)
{
  json_t *rows = json_array();
  for (size_t i = 0; i < window->fibers_count; i++) {
    const struct rtop_fibers *fibers = &window->fibers[i];
    json_array_append_new(rows,
                          json_pack("[I,I,I,I,I,I,I]", (json_int_t)fibers->serial, (json_int_t)fibers->name,
                                    (json_int_t)fibers->node, (json_int_t)fibers->alive, (json_int_t)fibers->waiting,
                                    (json_int_t)fibers->wait_ns, (json_int_t)fibers->longest_ns));
  }
  return rows;
}

/* Rows: node, what, key, value. */
static json_t *window_exact(const struct rtop_window *window)
{
  json_t *rows = json_array();
  for (size_t i = 0; i < window->exact_count; i++) {
    const struct rtop_exact *exact = &window->exact[i];
    json_array_append_new(rows, json_pack("[I,I,I,I]", (json_int_t)exact->node, (json_int_t)exact->what,
                                          (json_int_t)exact->key, (json_int_t)exact->value));
  }
  return rows;
}

/* Rows: end_ns, serial of the thread, node, stack, flags, total_ns, self_ns, wait_ns, off_ns, arguments in hexadecimal. */
static json_t *window_slow(const struct rtop_window *window)
{
  json_t *rows = json_array();
  for (size_t i = 0; i < window->slow_count; i++) {
    const struct rtop_slow *slow = &window->slow[i];
    char args[2 * RTOP_ARGS_BYTES + 1] = "";
    if (slow->flags & RTOP_SLOW_BLOCK) continue;
    for (uint32_t at = 0; at < slow->args_bytes; at++)
      snprintf(args + 2 * at, 3, "%02x", (unsigned)(unsigned char)slow->args[at]);
    json_array_append_new(rows,
                          json_pack("[I,I,I,I,I,I,I,I,I,s]", (json_int_t)slow->end_mono_ns, (json_int_t)slow->serial,
                                    (json_int_t)slow->node, (json_int_t)slow->stack, (json_int_t)slow->flags,
                                    (json_int_t)slow->total_ns, (json_int_t)slow->self_ns, (json_int_t)slow->wait_ns,
                                    (json_int_t)slow->off_ns, args));
  }
  return rows;
}

/* Rows: end_ns, serial of the thread, node, bits of labels, total_ns, then that by cause. */
static json_t *window_blocks(const struct rtop_window *window)
{
  json_t *rows = json_array();
  for (size_t i = 0; i < window->slow_count; i++) {
    const struct rtop_slow *slow = &window->slow[i];
    if (!(slow->flags & RTOP_SLOW_BLOCK)) continue;
    json_t *row =
        json_pack("[I,I,I,I,I]", (json_int_t)slow->end_mono_ns, (json_int_t)slow->serial, (json_int_t)slow->node,
                  (json_int_t)(slow->flags >> RTOP_SLOW_LABELS_SHIFT), (json_int_t)slow->total_ns);
    for (int cause = RTOP_WORK_RUNNING; cause < RTOP_WORK_CAUSES; cause++)
      json_array_append_new(row, json_integer((json_int_t)slow->work_ns[cause]));
    json_array_append_new(rows, row);
  }
  return rows;
}

/* Rows: first_ns, last_ns, serial of the thread, name, node, count. */
static json_t *window_pairs(const struct rtop_window *window)
{
  json_t *rows = json_array();
  for (size_t i = 0; i < window->pair_count; i++) {
    const struct rtop_behind *pair = &window->pairs[i];
    json_array_append_new(rows, json_pack("[I,I,I,I,I,I]", (json_int_t)pair->node, (json_int_t)pair->holder,
                                          (json_int_t)pair->cause, (json_int_t)pair->place, (json_int_t)pair->count,
                                          (json_int_t)pair->wait_ns));
  }
  return rows;
}

static json_t *window_raised(const struct rtop_window *window)
{
  json_t *rows = json_array();
  for (size_t i = 0; i < window->raised_count; i++) {
    const struct rtop_raised *raised = &window->raised[i];
    json_array_append_new(rows,
                          json_pack("[I,I,I,I,I,I]", (json_int_t)raised->first_mono_ns,
                                    (json_int_t)raised->last_mono_ns, (json_int_t)raised->serial,
                                    (json_int_t)raised->name, (json_int_t)raised->node, (json_int_t)raised->count));
  }
  return rows;
}

static void add_window(struct dump *dump, const struct rtop_window *window)
{
  json_t *threads = json_array(), *cells = json_array(), *late = json_array();
  for (size_t i = 0; i < window->thread_count; i++) {
    note_thread(dump, &window->threads[i]);
    json_array_append_new(threads, thread_row(&window->threads[i]));
  }
  for (size_t i = 0; i < window->cell_count; i++) json_array_append_new(cells, cell_row(window, &window->cells[i]));
  for (size_t i = 0; i < window->late_count; i++) {
    json_t *row = cell_row(window, &window->late[i].cell);
    json_array_insert_new(row, 0, json_integer(window->late[i].start_mono_ns));
    json_array_append_new(late, row);
  }
  json_array_append_new(dump->windows,
                        json_pack("{s:I s:I s:I s:b s:o s:o s:o s:o s:o s:o s:o s:o s:o s:o s:o s:o}", "sequence",
                                  (json_int_t)window->sequence, "start_ns", (json_int_t)window->start_mono_ns, "end_ns",
                                  (json_int_t)window->end_mono_ns, "folded", window->folded, "counters",
                                  window_counters(window), "threads", threads, "cells", cells, "late", late, "marks",
                                  window_marks(dump->reader, window), "begun", window_begun(window), "fibers",
                                  window_fibers(window), "exact", window_exact(window), "slow", window_slow(window),
                                  "blocks", window_blocks(window), "raised", window_raised(window), "pairs",
                                  window_pairs(window)));
}

/* All windows that can be read and were not yet; false when nothing more will come. */
static bool read_windows(struct dump *dump, struct rtop_window *window)
{
  for (;;) {
    uint64_t oldest = rtop_reader_oldest(dump->reader);
    if (oldest > dump->next) {
      dump->lost += dump->next ? oldest - dump->next : 0;
      dump->next = oldest;
    }
    if (dump->next == 0) dump->next = 1;
    enum rtop_result result = rtop_reader_window(dump->reader, dump->next, window);
    if (result == RTOP_NONE_YET) return true;
    if (result == RTOP_ENDED || result == RTOP_DEAD) return false;
    if (result == RTOP_OK) add_window(dump, window);
    if (result == RTOP_LOST) dump->lost++;
    if (result == RTOP_CORRUPT) dump->corrupt++;
    if (dump->corrupt > CORRUPT_MAX || rtop_reader_newest(dump->reader) == 0) return false;
    dump->next++;
  }
}

static bool input_is_over(void)
{
  char byte;
  struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
  return poll(&input, 1, 0) > 0 && read(STDIN_FILENO, &byte, 1) <= 0;
}

static void collect(struct dump *dump, const struct options *options)
{
  struct rtop_window window = { 0 };
  bool once = options->seconds <= 0 && options->windows == 0 && !options->until_eof;
  double seconds = options->seconds > 0 ? options->seconds : LONGEST_SECONDS;
  int64_t deadline = clock_now_ns() + (int64_t)(seconds * (double)SECOND_NS);
  uint64_t until = rtop_reader_newest(dump->reader) + options->windows;
  while (read_windows(dump, &window) && !once && clock_now_ns() < deadline) {
    if (options->windows && dump->next > until) break;
    if (options->until_eof && input_is_over()) break;
    nanosleep(&(struct timespec){ .tv_nsec = POLL_NS }, NULL);
  }
  rtop_window_destroy(&window);
}

/* ---- the rest of the segment -------------------------------------------------------------------- */

static json_t *all_frames(const struct rtop_reader *reader)
{
  static const char *const kinds[] = { "ruby", "c", "special" };
  json_t *frames = json_array();
  uint64_t count = rtop_reader_frame_count(reader);
  for (uint32_t id = 0; id < count; id++) {
    struct rtop_frame_entry frame;
    if (!rtop_reader_frame(reader, id, &frame)) {
      json_array_append_new(frames, json_null());
      continue;
    }
    json_array_append_new(frames, json_pack("{s:o s:o s:o s:I s:s}", "label", string_at(reader, frame.label), "path",
                                            string_at(reader, frame.path), "namespace",
                                            string_at(reader, frame.namespace_label), "line", (json_int_t)frame.line,
                                            "kind", frame.kind < 3 ? kinds[frame.kind] : "?"));
  }
  return frames;
}

/* Rows: parent, frame, line, depth. */
static json_t *all_nodes(const struct rtop_reader *reader)
{
  json_t *nodes = json_array();
  uint64_t count = rtop_reader_node_count(reader);
  for (uint32_t id = 0; id < count; id++) {
    struct rtop_node_entry node;
    json_array_append_new(nodes, rtop_reader_node(reader, id, &node)
                                     ? json_pack("[I,I,I,I]", (json_int_t)node.parent, (json_int_t)node.frame,
                                                 (json_int_t)node.line, (json_int_t)node.depth)
                                     : json_null());
  }
  return nodes;
}

static json_t *counters_of(const struct rtop_reader *reader)
{
  struct rtop_counters counters;
  rtop_reader_counters(reader, &counters);
  return json_pack("{s:I s:I s:I s:I s:I s:I s:I s:I s:I s:I s:I s:I s:I s:I s:I s:I}", "head_sequence",
                   (json_int_t)counters.head_sequence, "string_bytes", (json_int_t)counters.string_bytes, "frame_count",
                   (json_int_t)counters.frame_count, "node_count", (json_int_t)counters.node_count, "thread_serial",
                   (json_int_t)counters.thread_serial, "state", (json_int_t)counters.state, "frame_labels",
                   (json_int_t)counters.frame_labels, "windows_folded", (json_int_t)counters.windows_folded,
                   "nodes_overflowed", (json_int_t)counters.nodes_overflowed, "frames_overflowed",
                   (json_int_t)counters.frames_overflowed, "strings_overflowed",
                   (json_int_t)counters.strings_overflowed, "threads_overflowed",
                   (json_int_t)counters.threads_overflowed, "samples_dropped", (json_int_t)counters.samples_dropped,
                   "marks_overflowed", (json_int_t)counters.marks_overflowed, "labels_overflowed",
                   (json_int_t)counters.labels_overflowed, "segments_lost", (json_int_t)counters.segments_lost);
}

static json_t *geometry_of(const struct rtop_reader *reader)
{
  const struct rtop_geometry *geometry = rtop_reader_geometry(reader);
  json_t *sections = json_object();
  for (uint32_t i = 0; i < geometry->section_count && i < RTOP_SECTION_MAX; i++) {
    char kind[12];
    snprintf(kind, sizeof kind, "%" PRIu32, geometry->sections[i].kind);
    json_object_set_new(sections, kind, number(geometry->sections[i].bytes));
  }
  return json_pack("{s:i s:i s:I s:I s:I s:I s:I s:I s:o s:o s:o s:o}", "major", geometry->version_major, "minor",
                   geometry->version_minor, "segment_bytes", (json_int_t)geometry->segment_bytes, "pid",
                   (json_int_t)geometry->pid, "uid", (json_int_t)geometry->uid, "window_ns",
                   (json_int_t)geometry->window_ns, "created_mono_ns", (json_int_t)geometry->created_mono_ns,
                   "created_real_ns", (json_int_t)geometry->created_real_ns, "ruby",
                   text(geometry->ruby_version, strnlen(geometry->ruby_version, 64)), "tool",
                   text(geometry->tool_version, strnlen(geometry->tool_version, 32)), "command",
                   text(geometry->command, strnlen(geometry->command, 256)), "sections", sections);
}

static void print(struct dump *dump)
{
  const struct rtop_reader *reader = dump->reader;
  pid_t pid = 0;
  enum rtop_channel_state state = rtop_reader_state(dump->reader, clock_now_ns(), &pid);
  json_t *all = json_pack("{s:s s:s s:I s:I s:I s:I s:I s:o s:o s:o s:o s:o s:o}", "path", rtop_reader_path(reader),
                          "state", rtop_channel_state_name(state), "pid", (json_int_t)pid, "oldest",
                          (json_int_t)rtop_reader_oldest(reader), "newest", (json_int_t)rtop_reader_newest(reader),
                          "lost", (json_int_t)dump->lost, "corrupt", (json_int_t)dump->corrupt, "geometry",
                          geometry_of(reader), "counters", counters_of(reader), "frames", all_frames(reader), "nodes",
                          all_nodes(reader), "threads", dump->threads, "windows", dump->windows);
  json_dumpf(all, stdout, JSON_COMPACT);
  putchar('\n');
  json_decref(all);
}

/* ---- command line ------------------------------------------------------------------------------- */

static int usage(void)
{
  fputs("usage: channel_dump PID|PATH [--watch HZ] [--seconds S] [--until-windows N] [--until-eof]"
        " [--trace METHOD]... [--trace-seconds S] [--trace-slower US]\n",
        stderr);
  return 2;
}

static bool parse(int argc, char **argv, struct options *options)
{
  static const struct option names[] = {
    { "watch", required_argument, NULL, 'w' },         { "seconds", required_argument, NULL, 's' },
    { "until-windows", required_argument, NULL, 'n' }, { "until-eof", no_argument, NULL, 'e' },
    { "trace", required_argument, NULL, 't' },         { "trace-seconds", required_argument, NULL, 'T' },
    { "trace-slower", required_argument, NULL, 'l' },  { 0 },
  };
  for (int option; (option = getopt_long(argc, argv, "", names, NULL)) != -1;)
    if (option == 'w') {
      options->watch = true;
      options->rate_hz = (uint32_t)strtoul(optarg, NULL, 10);
    } else if (option == 's') options->seconds = strtod(optarg, NULL);
    else if (option == 'e') options->until_eof = true;
    else if (option == 'T') options->trace_seconds = (uint32_t)strtoul(optarg, NULL, 10);
    else if (option == 'l') options->trace_slower_us = (uint32_t)strtoul(optarg, NULL, 10);
    else if (option == 't' && options->trace_count < RTOP_TRACE_SLOTS) options->traces[options->trace_count++] = optarg;
    else if (option == 'n') options->windows = strtoull(optarg, NULL, 10);
    else return false;
  if (optind + 1 != argc) return false;
  options->target = argv[optind];
  return true;
}

static struct rtop_reader *open_target(const char *target, struct rtop_error *error)
{
  char *end;
  long pid = strtol(target, &end, 10);
  if (*end != '\0') return rtop_reader_open(target, (uid_t)-1, error);
  struct rtop_registry_entry entry;
  if (rtop_registry_find((pid_t)pid, &entry, error) != 0) return NULL;
  return rtop_reader_open(entry.path, entry.uid, error);
}

int main(int argc, char **argv)
{
  struct options options = { 0 };
  struct rtop_error error = { 0 };
  if (!parse(argc, argv, &options)) return usage();
  struct dump dump = { .reader = open_target(options.target, &error) };
  if (!dump.reader || (options.watch && rtop_reader_watch(dump.reader, options.rate_hz, &error) != 0)) {
    fprintf(stderr, "channel_dump: %s\n", error.text);
    rtop_reader_close(&dump.reader);
    return 1;
  }
  for (int i = 0; i < options.trace_count; i++)
    if (rtop_reader_trace(dump.reader, options.traces[i], options.trace_seconds, options.trace_slower_us) < 0) {
      fprintf(stderr, "channel_dump: %s cannot be traced\n", options.traces[i]);
      rtop_reader_close(&dump.reader);
      return 3;
    }
  dump.windows = json_array();
  dump.threads = json_object();
  collect(&dump, &options);
  print(&dump);
  rtop_reader_close(&dump.reader);
  return 0;
}
