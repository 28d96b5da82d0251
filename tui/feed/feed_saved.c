/* SPDX-License-Identifier: MIT */
/* A profile that a program has saved (RperfTop::Profile#save) as a source, with all its data at once. */
#include "feed_impl.h"

#include "tui/recording/saved_json.h"
#include "shm/base/clock.h"
#include "shm/base/error.h"
#include "shm/window/window_lists.h"
#include "tui/recording/recording_read.h"
#include "tui/text/text.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  SAVED_BYTES_MAX = 32 << 20,
  SAVED_PART_SECONDS = 1800, /* length of a part in seconds; parts are longer if there
                                would be too many parts, or too many rows in total */
  SAVED_PARTS_MAX = 4096,
  SAVED_PART_ROWS_MAX = 1 << 20,
  SAVED_ROWS_MAX = 4 << 20,
};
#define SAVED_ROW_MOST (UINT64_C(1) << 41) /* of any figure */
#define SAVED_BEGIN "{\"format\":\"rperf_top profile "

struct feed_saved {
  struct rtop_feed base;
  struct rtop_window window; /* everything, from time 0 on */
  uint32_t *nodes, *threads; /* as the profile calls them */
  size_t node_count;
  bool read;
};

/* ---- the file ----------------------------------------------------------------------------------- */

bool rtop_feed_is_saved(const char *path)
{
  char text[sizeof SAVED_BEGIN - 1];
  struct stat status;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  bool is = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
            pread(fd, text, sizeof text, 0) == sizeof text && memcmp(text, SAVED_BEGIN, sizeof text) == 0;
  if (fd >= 0) close(fd);
  return is;
}

static json_t *saved_parse(int fd, const char *path, struct stat *status, struct rtop_error *error)
{
  if (fstat(fd, status) != 0 || !S_ISREG(status->st_mode)) {
    rtop_error_set(error, RTOP_ERROR_CORRUPT, 0, "%s is no file", path);
    return NULL;
  }
  if (status->st_size > SAVED_BYTES_MAX) {
    rtop_error_set(error, RTOP_ERROR_LIMIT, 0, "%s is larger than %dM: only RperfTop.load reads it", path,
                   SAVED_BYTES_MAX >> 20);
    return NULL;
  }
  return rtop_saved_json(fd, (uint64_t)status->st_size, path, error);
}

/* ---- readers of parts: they return false or NULL when a part is not valid ---------------------------- */

static bool saved_number(const json_t *value, uint64_t most, uint64_t *number)
{
  if (!json_is_integer(value) || json_integer_value(value) < 0) return false;
  *number = (uint64_t)json_integer_value(value);
  return *number <= most;
}

/* Reads a row: `texts` strings, then `count` numbers. */
static bool saved_row(const json_t *row, size_t texts, size_t count, uint64_t *numbers)
{
  if (!json_is_array(row) || json_array_size(row) != texts + count) return false;
  for (size_t i = 0; i < texts; i++)
    if (!json_is_string(json_array_get(row, i)) || json_string_length(json_array_get(row, i)) > RTOP_STRING_BYTES_MAX)
      return false;
  for (size_t i = 0; i < count; i++)
    if (!saved_number(json_array_get(row, texts + i), INT64_MAX, &numbers[i])) return false;
  return true;
}

static uint32_t saved_frame(struct rtop_symbols *symbols, const json_t *row, const uint64_t numbers[2])
{
  const json_t *label = json_array_get(row, 0), *path = json_array_get(row, 1), *space = json_array_get(row, 2);
  return rtop_symbols_frame(symbols, json_string_value(label), json_string_length(label), json_string_value(path),
                            json_string_length(path), json_string_value(space), json_string_length(space),
                            (uint32_t)numbers[0], (enum rtop_symbol_kind)numbers[1]);
}

static uint32_t *saved_frames(const json_t *list, struct rtop_symbols *symbols)
{
  uint64_t numbers[2];
  uint32_t *frames = json_is_array(list) ? calloc(json_array_size(list) + 1, sizeof *frames) : NULL;
  for (size_t i = 0; frames && i < json_array_size(list); i++) {
    const json_t *row = json_array_get(list, i);
    if (saved_row(row, 3, 2, numbers) && numbers[0] <= UINT32_MAX && numbers[1] <= RTOP_SYMBOL_SPECIAL) {
      frames[i] = saved_frame(symbols, row, numbers);
      continue;
    }
    free(frames);
    return NULL;
  }
  return frames;
}

/* Reads the nodes; the first is the root, and each other node follows its caller. */
static bool saved_nodes(struct feed_saved *feed, const json_t *calls, struct rtop_symbols *symbols)
{
  const json_t *list = json_object_get(calls, "nodes"), *frame_list = json_object_get(calls, "frames");
  uint32_t *frames = saved_frames(frame_list, symbols);
  uint64_t numbers[3];
  bool fine = frames && json_is_array(list);
  feed->node_count = fine ? json_array_size(list) : 0;
  feed->nodes = fine ? calloc(feed->node_count + 1, sizeof *feed->nodes) : NULL;
  fine = feed->nodes != NULL;
  for (size_t i = 0; fine && i < feed->node_count; i++) {
    fine = saved_row(json_array_get(list, i), 0, 3, numbers) && (numbers[0] < i || (i == 0 && numbers[0] == 0)) &&
           numbers[1] < json_array_size(frame_list) && numbers[2] <= UINT32_MAX;
    if (fine && i > 0)
      feed->nodes[i] = rtop_symbols_node(symbols, feed->nodes[numbers[0]], frames[numbers[1]], (uint32_t)numbers[2]);
  }
  free(frames);
  return fine;
}

static bool saved_threads(struct feed_saved *feed, const json_t *list, struct rtop_profile *profile)
{
  if (!json_is_array(list) || !(feed->threads = calloc(json_array_size(list) + 1, sizeof *feed->threads))) return false;
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *row = json_array_get(list, i), *name = json_object_get(row, "name");
    uint64_t native_id;
    struct rtop_window_thread *thread = rtop_window_add_thread(&feed->window);
    if (!thread || !json_is_string(name) || !saved_number(json_object_get(row, "native_id"), UINT32_MAX, &native_id))
      return false;
    *thread = (struct rtop_window_thread){ .serial = i + 1, .state = RTOP_BLOCKED, .flags = RTOP_WINDOW_THREAD_ENDED };
    const struct rtop_source_thread about = { .serial = i + 1,
                                              .name = json_string_value(name),
                                              .name_bytes = json_string_length(name),
                                              .native_id = (uint32_t)native_id,
                                              .is_main = json_is_true(json_object_get(row, "main")) };
    feed->threads[i] = rtop_profile_thread(profile, feed->base.source, &about);
  }
  return true;
}

static bool saved_cells(struct feed_saved *feed, const json_t *list)
{
  uint64_t numbers[8];
  for (size_t i = 0; i < json_array_size(list); i++) {
    if (!saved_row(json_array_get(list, i), 0, 8, numbers)) return false;
    struct rtop_cell *cell = rtop_window_add_cell(&feed->window);
    if (!cell || numbers[0] > UINT32_MAX || numbers[1] > UINT32_MAX || numbers[2] >= RTOP_STATE_COUNT) return false;
    *cell = (struct rtop_cell){ (uint32_t)numbers[0], (uint32_t)numbers[1],
                                (uint32_t)numbers[2], (uint32_t)(numbers[3] > UINT32_MAX ? UINT32_MAX : numbers[3]),
                                numbers[4],           numbers[5],
                                numbers[6],           numbers[7] };
  }
  return json_is_array(list);
}

static bool saved_begun(struct feed_saved *feed, const json_t *list)
{
  uint64_t numbers[3];
  for (size_t i = 0; i < json_array_size(list); i++) {
    if (!saved_row(json_array_get(list, i), 0, 3, numbers) || numbers[0] > UINT32_MAX || numbers[1] > UINT32_MAX)
      return false;
    struct rtop_begun *begun = rtop_window_add_begun(&feed->window);
    if (!begun) return false;
    *begun = (struct rtop_begun){ (uint32_t)numbers[0], (uint32_t)numbers[1], numbers[2] };
  }
  return json_is_array(list);
}

static bool saved_counters(struct rtop_window *window, const json_t *saved, const json_t *calls)
{
  const json_t *gc = json_object_get(saved, "gc");
  const struct {
    enum rtop_counter_id id;
    const json_t *value;
  } told[] = {
    { RTOP_COUNTER_SAMPLES, json_object_get(saved, "samples") },
    { RTOP_COUNTER_CPU_NS, json_object_get(saved, "cpu") },
    { RTOP_COUNTER_EXCEPTIONS, json_object_get(saved, "exceptions") },
    { RTOP_COUNTER_WHOLE_COST_NS, json_object_get(calls, "own") },
    { RTOP_COUNTER_GC_MINOR, json_object_get(gc, "minor") },
    { RTOP_COUNTER_GC_MAJOR, json_object_get(gc, "major") },
    { RTOP_COUNTER_ALLOCATIONS, json_object_get(gc, "allocations") },
  };
  for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
    uint64_t value;
    if (!saved_number(told[i].value, INT64_MAX, &value)) return false;
    rtop_window_set_counter(window, told[i].id, value);
  }
  return true;
}

static bool saved_info(struct feed_saved *feed, const json_t *saved, const json_t *calls)
{
  const json_t *command = json_object_get(calls, "command"), *ruby = json_object_get(calls, "ruby");
  struct rtop_feed *base = &feed->base;
  uint64_t duration, began, pid;
  if (!saved_number(json_object_get(saved, "duration"), INT64_MAX / 8, &duration) ||
      !saved_number(json_object_get(calls, "began"), INT64_MAX / 2, &began) ||
      !saved_number(json_object_get(calls, "pid"), INT32_MAX, &pid) || !json_is_string(command) ||
      !json_is_string(ruby))
    return false;
  feed->window.end_mono_ns = (int64_t)duration;
  base->info.pid = (pid_t)pid;
  base->info.clock_offset_ns = base->info.started_real_ns = (int64_t)began;
  rtop_text_sanitize(base->command, sizeof base->command, json_string_value(command), json_string_length(command));
  rtop_text_sanitize(base->ruby, sizeof base->ruby, json_string_value(ruby), json_string_length(ruby));
  return true;
}

/* Number of parts of equal length into which a very long profile is split, since the profile rejects larger windows. */
static size_t saved_parts(const struct rtop_window *window)
{
  size_t rows = window->thread_count + window->cell_count + window->begun_count + 1;
  size_t most = SAVED_PART_ROWS_MAX / rows + 1, parts = SAVED_PARTS_MAX;
  uint64_t wanted = (uint64_t)window->end_mono_ns / ((uint64_t)SAVED_PART_SECONDS * CLOCK_NS_PER_SECOND) + 1;
  if (wanted < parts) parts = (size_t)wanted;
  return parts < most ? parts : most;
}

/* Number of equal rows into which a cell is split, because the profile rejects larger ones. */
static uint64_t saved_rows(const struct rtop_cell *cell, size_t parts)
{
  uint64_t most = cell->wall_ns > cell->cpu_ns ? cell->wall_ns : cell->cpu_ns;
  if (cell->allocations > most) most = cell->allocations;
  if (cell->blame_ns > most) most = cell->blame_ns;
  return most / parts / SAVED_ROW_MOST + 1;
}

/* Are all figures possible in a real program? Others would turn a small file into much work. */
static bool saved_is_modest(const struct rtop_window *window)
{
  size_t parts = saved_parts(window);
  uint64_t rows = 0;
  for (size_t i = 0; i < window->cell_count && rows <= SAVED_ROWS_MAX; i++)
    rows += saved_rows(&window->cells[i], parts) * parts;
  return rows <= SAVED_ROWS_MAX;
}

static bool saved_take(struct feed_saved *feed, const json_t *saved, struct rtop_profile *profile)
{
  const json_t *calls = json_object_get(saved, "calls");
  bool fine = saved_info(feed, saved, calls) && saved_counters(&feed->window, saved, calls) &&
              saved_nodes(feed, calls, rtop_profile_symbols(profile)) &&
              saved_threads(feed, json_object_get(saved, "threads"), profile) &&
              saved_cells(feed, json_object_get(calls, "cells")) && saved_begun(feed, json_object_get(calls, "begun"));
  const struct rtop_window_limits limits = { .node_count = feed->node_count, .thread_slots = 1, .string_bytes = 1 };
  return fine && rtop_window_valid(&feed->window, &limits) && saved_is_modest(&feed->window);
}

static bool saved_understand(struct feed_saved *feed, const json_t *saved, struct rtop_profile *profile,
                             const char *path, struct rtop_error *error)
{
  const char *format = json_string_value(json_object_get(saved, "format"));
  if (!format || (strcmp(format, "rperf_top profile 2") != 0 && strcmp(format, "rperf_top profile 1") != 0))
    rtop_error_set(error, RTOP_ERROR_VERSION, 0, "%s is of another version: open it with that rperf-top", path);
  else if (!json_is_object(json_object_get(saved, "calls")))
    rtop_error_set(error, RTOP_ERROR_VERSION, 0, "%s was saved without its calls: only RperfTop.load reads it", path);
  else if (!saved_take(feed, saved, profile)) rtop_error_set(error, RTOP_ERROR_CORRUPT, 0, "%s is damaged", path);
  else if (feed->window.end_mono_ns == 0)
    rtop_error_set(error, RTOP_ERROR_CORRUPT, 0, "%s is empty: nothing was recorded", path);
  else return true;
  return false;
}

/* ---- the feed ----------------------------------------------------------------------------------- */

static uint64_t saved_share(uint64_t value, uint64_t part, uint64_t parts)
{
  unsigned __int128 all = value;
  return (uint64_t)(all * (part + 1) / parts) - (uint64_t)(all * part / parts);
}

static bool saved_part_cell(struct rtop_window *to, const struct rtop_cell *from, size_t part, size_t parts)
{
  uint64_t rows = saved_rows(from, parts), of = rows * parts;
  for (uint64_t i = part * rows; i < (part + 1) * rows; i++) {
    struct rtop_cell *cell = rtop_window_add_cell(to);
    if (!cell) return false;
    *cell = (struct rtop_cell){ .node = from->node,
                                .thread = from->thread,
                                .state = from->state,
                                .samples = (uint32_t)saved_share(from->samples, i, of),
                                .wall_ns = saved_share(from->wall_ns, i, of),
                                .cpu_ns = saved_share(from->cpu_ns, i, of),
                                .allocations = saved_share(from->allocations, i, of),
                                .blame_ns = saved_share(from->blame_ns, i, of) };
  }
  return true;
}

static bool saved_part(struct rtop_window *to, const struct rtop_window *from, size_t part, size_t parts)
{
  const uint32_t counts[RTOP_LISTS] = {
    [RTOP_LIST_THREADS] = (uint32_t)from->thread_count, [RTOP_LIST_BEGUN] = (uint32_t)from->begun_count
  };
  if (!rtop_window_size(to, counts)) return false;
  to->start_mono_ns = (int64_t)((uint64_t)from->end_mono_ns / parts * part);
  to->end_mono_ns = part + 1 == parts ? from->end_mono_ns : (int64_t)((uint64_t)from->end_mono_ns / parts * (part + 1));
  for (size_t i = 0; i < from->thread_count; i++) to->threads[i] = from->threads[i];
  for (size_t i = 0; i < from->cell_count; i++)
    if (!saved_part_cell(to, &from->cells[i], part, parts)) return false;
  for (size_t i = 0; i < from->begun_count; i++) {
    to->begun[i] = from->begun[i];
    to->begun[i].count = saved_share(from->begun[i].count, part, parts);
  }
  to->counters_present = from->counters_present;
  for (int id = 0; id < RTOP_COUNTER_ID_MAX; id++) to->counters[id] = saved_share(from->counters[id], part, parts);
  return true;
}

static size_t saved_read(struct rtop_feed *base, struct rtop_profile *profile)
{
  struct feed_saved *feed = (struct feed_saved *)base;
  const struct rtop_window *window = &feed->window;
  struct rtop_window part = { 0 };
  size_t parts = saved_parts(window), moved = 0;
  for (size_t i = 0; !feed->read && i < parts && saved_part(&part, window, i, parts); i++)
    moved += rtop_profile_add(profile, base->source, &part, feed->nodes, feed->node_count, feed->threads);
  feed->read = true;
  rtop_window_destroy(&part);
  return moved;
}

static enum rtop_feed_state saved_state(struct rtop_feed *base)
{
  (void)base;
  return RTOP_FEED_REPLAY;
}

static int saved_wait_ms(const struct rtop_feed *base)
{
  (void)base;
  return 1000;
}

static void saved_close(struct rtop_feed *base)
{
  struct feed_saved *feed = (struct feed_saved *)base;
  rtop_window_destroy(&feed->window);
  free(feed->nodes);
  free(feed->threads);
  free(feed);
}

static const struct feed_ops saved_ops = { saved_state, saved_read, saved_wait_ms, NULL, saved_close };

static struct feed_saved *saved_make(uint32_t source)
{
  struct feed_saved *feed = calloc(1, sizeof *feed);
  if (!feed) return NULL;
  feed->base.ops = &saved_ops;
  feed->base.source = source;
  feed->base.state = RTOP_FEED_REPLAY;
  feed->base.info =
      (struct rtop_feed_info){ .command = feed->base.command, .ruby = feed->base.ruby, .folder = feed->base.folder };
  return feed;
}

struct rtop_feed *rtop_feed_open_saved(const char *path, struct rtop_profile *profile, uint32_t source,
                                       struct rtop_error *error)
{
  struct stat status;
  struct feed_saved *feed = saved_make(source);
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  json_t *saved = NULL;
  if (!feed) rtop_error_set(error, RTOP_ERROR_SYSTEM, ENOMEM, "out of memory");
  else if (fd < 0) rtop_error_set(error, RTOP_ERROR_SYSTEM, errno, "cannot open %s: %s", path, strerror(errno));
  else if (rtop_recording_become_owner(fd, path, error)) saved = saved_parse(fd, path, &status, error);
  if (fd >= 0) close(fd);
  bool fine = saved && saved_understand(feed, saved, profile, path, error);
  json_decref(saved);
  if (fine) {
    feed->base.info.owner = status.st_uid;
    feed->base.info.bytes = (uint64_t)status.st_size;
    return &feed->base;
  }
  if (feed) saved_close(&feed->base);
  return NULL;
}
