/* SPDX-License-Identifier: MIT */
/* Collects chunks and writes them, from windows as they arrive or from a span of a profile. */
#include "recording_impl.h"

#include "shm/base/clock.h"
#include "shm/base/version.h"
#include "tui/text/reserve.h"
#include "tui/text/temporary.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WRITE_SECOND_NS = 1000000000, WRITE_STREAM_NS = 450000000, WRITE_GROUP_CHUNKS = 60, WRITE_GROUPS_MIN = 16 };

static void write_failed(struct rtop_error *error, const char *path, int problem)
{
  rtop_error_set(error, RTOP_ERROR_SYSTEM, problem, "cannot write %s: %s", path, strerror(problem));
}

void recorder_fail(struct rtop_recorder *recorder, int problem)
{
  if (recorder_failed(recorder)) return;
  write_failed(&recorder->problem, recorder->path, problem);
  /* Half a chunk at the end would be harmless but useless, so it is cut off. */
  if (recorder->fd >= 0 && !recorder->outlet.streams && ftruncate(recorder->fd, (off_t)recorder->bytes) != 0) return;
}

bool recorder_write_head(struct rtop_recorder *recorder)
{
  struct recording_head head = {
    .byte_order = RECORDING_BYTE_ORDER,
    .version_major = RECORDING_VERSION_MAJOR,
    .version_minor = RECORDING_VERSION_MINOR,
    .created_real_ns = clock_real_ns(),
    .tool_version = RPERF_TOP_VERSION,
  };
  memcpy(head.magic, RECORDING_MAGIC, sizeof head.magic);
  recording_seal(&head, sizeof head, RECORDING_TAG_HEAD);
  recorder->bytes = recorder->group_start = sizeof head;
  if (recorder->outlet.streams) return recorder_queue(recorder, &head, sizeof head);
  return recording_file_write(recorder->fd, &head, sizeof head, 0);
}

void recorder_free(struct rtop_recorder *recorder)
{
  if (recorder->fd >= 0 && !recorder->outlet.streams) close(recorder->fd);
  recording_bytes_destroy(&recorder->outlet.queue);
  rtop_temporary_drop(&recorder->temporary);
  recording_names_destroy(&recorder->names);
  recording_index_destroy(&recorder->index);
  recording_bytes_destroy(&recorder->window_rows);
  recording_bytes_destroy(&recorder->raw);
  recording_bytes_destroy(&recorder->out);
  recording_bytes_destroy(&recorder->packed);
  rtop_window_destroy(&recorder->window);
  free(recorder->groups);
  free(recorder->sort);
  free(recorder->path);
  free(recorder);
}

struct rtop_recorder *recorder_make(const char *path, struct rtop_profile *profile, uint64_t bytes_max,
                                    struct rtop_error *error)
{
  struct rtop_recorder *recorder = calloc(1, sizeof *recorder);
  if (!recorder || !(recorder->path = strdup(path))) {
    free(recorder);
    write_failed(error, path, ENOMEM);
    return NULL;
  }
  recorder->fd = -1;
  recorder->profile = profile;
  recorder->bytes_max = bytes_max && bytes_max < RTOP_RECORDING_BYTES_MIN ? RTOP_RECORDING_BYTES_MIN : bytes_max;
  recorder->flushed_ns = clock_now_ns();
  recording_names_open(&recorder->names, profile, bytes_max == 0);
  return recorder;
}

static struct rtop_recorder *write_open(const char *path, struct rtop_profile *profile, uint64_t bytes_max,
                                        struct rtop_error *error)
{
  struct rtop_recorder *recorder = recorder_make(path, profile, bytes_max, error);
  if (!recorder) return NULL;
  recorder->fd = rtop_temporary_create(path, &recorder->temporary);
  if (recorder->fd >= 0 && recorder_write_head(recorder)) return recorder;
  write_failed(error, path, errno);
  recorder_free(recorder);
  return NULL;
}

static void tap_window(void *context, uint32_t source, const struct rtop_window *window, const uint32_t *nodes,
                       size_t node_count)
{
  recorder_add_window(context, source, window, nodes, node_count);
}

static void tap_gap(void *context, uint32_t source, int64_t start_ns, int64_t end_ns)
{
  recorder_add_gap(context, source, start_ns, end_ns);
}

static void tap_mark(void *context, uint32_t source, int64_t time_ns, const char *name, size_t name_bytes)
{
  recorder_add_mark(context, source, time_ns, name, name_bytes);
}

void recorder_tap(struct rtop_recorder *recorder)
{
  struct rtop_profile_tap tap = { .context = recorder, .window = tap_window, .gap = tap_gap, .mark = tap_mark };
  rtop_profile_set_tap(recorder->profile, &tap);
  recorder->tapped = true;
}

struct rtop_recorder *rtop_recorder_create(const char *path, struct rtop_profile *profile, uint64_t bytes_max,
                                           struct rtop_error *error)
{
  struct rtop_recorder *recorder = write_open(path, profile, bytes_max, error);
  if (!recorder) return NULL;
  if (!rtop_temporary_keep(recorder->fd, &recorder->temporary, path)) {
    write_failed(error, path, errno);
    recorder_free(recorder);
    return NULL;
  }
  recorder_tap(recorder);
  return recorder;
}

uint32_t recorder_number(const struct rtop_recorder *recorder, uint32_t source)
{
  uint32_t number = 0;
  while (number < recorder->source_count && recorder->sources[number] != source) number++;
  return number < recorder->source_count ? number : RECORDING_SOURCES_MAX;
}

bool rtop_recorder_source(struct rtop_recorder *recorder, uint32_t source, const struct rtop_feed_info *info)
{
  uint32_t number = recorder_number(recorder, source);
  if (number == RECORDING_SOURCES_MAX && recorder->source_count < RECORDING_SOURCES_MAX) {
    number = recorder->source_count++;
    recorder->sources[number] = source;
  }
  if (number < RECORDING_SOURCES_MAX) recording_names_source(&recorder->names, number, info);
  return number < RECORDING_SOURCES_MAX;
}

void rtop_recorder_renumber(struct rtop_recorder *recorder, uint32_t source, uint32_t to)
{
  uint32_t number = recorder_number(recorder, source);
  if (number < RECORDING_SOURCES_MAX) recorder->sources[number] = to;
}

void rtop_recorder_ended(struct rtop_recorder *recorder, uint32_t source, enum rtop_feed_state state)
{
  uint32_t number = recorder_number(recorder, source);
  if (number < RECORDING_SOURCES_MAX && (state == RTOP_FEED_ENDED || state == RTOP_FEED_DEAD))
    recording_names_state(&recorder->names, number, state == RTOP_FEED_ENDED ? 1 : 2);
}

/* Makes the chunk in recorder->packed. False: nothing to write, or an error. */
static bool write_make_chunk(struct rtop_recorder *recorder)
{
  recorder->raw.count = recorder->packed.count = 0;
  recorder->chunk.number = recorder->names.chunk;
  if (recorder->chunk.window_count == 0 && recording_names_bytes(&recorder->names) == 0) return false;
  bool fine = recording_names_take(&recorder->names, &recorder->raw) &&
              recording_put_chunk(&recorder->packed, &recorder->chunk, &recorder->raw, &recorder->window_rows);
  recorder->window_rows.count = 0;
  if (!fine) recorder_fail(recorder, ENOMEM);
  else if (recorder->raw.count > RECORDING_RAW_BYTES_MAX || recorder->chunk.windows_raw_bytes > RECORDING_RAW_BYTES_MAX)
    recorder_fail(recorder, EFBIG);
  return !recorder_failed(recorder);
}

static void write_bytes(struct rtop_recorder *recorder, const struct recording_bytes *bytes)
{
  bool fine = recorder->outlet.streams ? recorder_queue(recorder, bytes->data, bytes->count)
                                       : recording_file_write(recorder->fd, bytes->data, bytes->count, recorder->bytes);
  if (fine) recorder->bytes += bytes->count;
  else recorder_fail(recorder, errno);
}

void recorder_flush(struct rtop_recorder *recorder)
{
  recorder->flushed_ns = clock_now_ns();
  if (recorder_failed(recorder) || !write_make_chunk(recorder)) return;
  uint64_t full = recorder->bytes_max - recorder->bytes_max / 16; /* the index needs room, too */
  if (recorder->bytes_max && recorder->bytes + recorder->packed.count > full)
    recorder_drop_oldest(recorder, recorder->packed.count);
  struct recording_chunk *chunk = recorder_failed(recorder) ? NULL : recording_index_add_chunk(&recorder->index);
  if (!chunk) {
    recorder_fail(recorder, ENOMEM);
    return;
  }
  chunk->position = recorder->bytes;
  chunk->head = recorder->chunk;
  chunk->known_count = chunk->head.window_count;
  chunk->known_start -= chunk->known_count;
  memset(&recorder->chunk, 0, sizeof recorder->chunk);
  write_bytes(recorder, &recorder->packed);
  uint64_t group_bytes = recorder->bytes - recorder->group_start;
  if (recorder->index.chunk_count >= WRITE_GROUP_CHUNKS ||
      (recorder->bytes_max && group_bytes > recorder->bytes_max / WRITE_GROUPS_MIN))
    recorder_write_index(recorder);
}

/* Updates the summaries of windows from the profile, since late records have corrected windows after they arrived. */
static void write_refine(struct rtop_recorder *recorder)
{
  for (size_t i = 0; i < recorder->index.known_count; i++) {
    struct recording_known *known = &recorder->index.known[i];
    if (!known->gap)
      rtop_profile_window_wall(recorder->profile, recorder->sources[known->source], known->start_ns, known->end_ns,
                               known->wall_ns);
  }
}

void recorder_write_index(struct rtop_recorder *recorder)
{
  if (recorder->index.chunk_count == 0 || recorder_failed(recorder)) return;
  struct recorder_group group = {
    .start = recorder->group_start,
    .index = recorder->bytes,
    .first_chunk = recorder->index.chunks[0].head.number,
  };
  write_refine(recorder);
  recorder->out.count = 0;
  if (!recording_index_encode(&recorder->index, recorder->bytes, &recorder->out) ||
      !rtop_reserve(&recorder->groups, &recorder->group_capacity, recorder->group_count + 1,
                    sizeof *recorder->groups)) {
    recorder_fail(recorder, ENOMEM);
    return;
  }
  write_bytes(recorder, &recorder->out);
  group.end = recorder->group_start = recorder->bytes;
  recorder->groups[recorder->group_count++] = group;
  recording_index_written(&recorder->index);
}

void rtop_recorder_tick(struct rtop_recorder *recorder)
{
  int64_t step_ns = recorder->outlet.streams ? WRITE_STREAM_NS : WRITE_SECOND_NS;
  if (clock_now_ns() - recorder->flushed_ns >= step_ns) recorder_flush(recorder);
}

static void write_end(struct rtop_recorder *recorder)
{
  struct recording_end_head head = { .index_count = (uint32_t)recorder->group_count };
  struct recording_bytes *out = &recorder->out;
  out->count = 0;
  recording_put(out, &head, sizeof head);
  for (size_t i = 0; i < recorder->group_count; i++)
    recording_put(out, &recorder->groups[i].index, sizeof recorder->groups[i].index);
  struct recording_end_foot foot = { .bytes = (uint32_t)(out->count + sizeof foot) };
  memcpy(foot.tag, RECORDING_TAG_END, sizeof foot.tag);
  recording_put(out, &foot, sizeof foot);
  if (out->failed) {
    recorder_fail(recorder, ENOMEM);
    return;
  }
  recording_seal(out->data, out->count, RECORDING_TAG_END);
  write_bytes(recorder, &recorder->out);
}

void rtop_recorder_finish(struct rtop_recorder *recorder)
{
  if (recorder->finished) return;
  recorder->finished = true;
  if (recorder->tapped) rtop_profile_set_tap(recorder->profile, NULL);
  recorder_flush(recorder);
  recorder_write_index(recorder);
  if (!recorder_failed(recorder)) write_end(recorder);
}

bool rtop_recorder_close(struct rtop_recorder **handle, struct rtop_error *error)
{
  struct rtop_recorder *recorder = *handle;
  *handle = NULL;
  if (!recorder) return true;
  rtop_recorder_finish(recorder);
  if (recorder->temporary && !recorder_failed(recorder) &&
      !rtop_temporary_keep(recorder->fd, &recorder->temporary, recorder->path))
    recorder_fail(recorder, errno);
  int fd = recorder->fd;
  recorder->fd = -1;
  if (!recorder->outlet.streams && close(fd) != 0 && !recorder_failed(recorder)) recorder_fail(recorder, errno);
  bool fine = !recorder_failed(recorder);
  if (!fine && error) *error = recorder->problem;
  recorder_free(recorder);
  return fine;
}

void rtop_recorder_discard(struct rtop_recorder **handle)
{
  struct rtop_recorder *recorder = *handle;
  *handle = NULL;
  if (!recorder) return;
  if (recorder->tapped) rtop_profile_set_tap(recorder->profile, NULL);
  if (!recorder->temporary) unlink(recorder->path);
  recorder_free(recorder);
}

const char *rtop_recorder_path(const struct rtop_recorder *recorder)
{
  return recorder->path;
}

uint64_t rtop_recorder_bytes(const struct rtop_recorder *recorder)
{
  return recorder->bytes;
}

uint64_t rtop_recorder_windows(const struct rtop_recorder *recorder)
{
  return recorder->windows;
}

const char *rtop_recorder_problem(const struct rtop_recorder *recorder)
{
  return recorder_failed(recorder) ? recorder->problem.text : NULL;
}

bool rtop_recording_save_span(struct rtop_profile *profile, struct rtop_span span,
                              const struct rtop_feed_info *const *infos, uint32_t count, const char *path,
                              struct rtop_error *error)
{
  struct rtop_recorder *recorder = write_open(path, profile, 0, error);
  if (!recorder) return false;
  for (uint32_t source = 0; source < count; source++) rtop_recorder_source(recorder, source, infos[source]);
  struct rtop_profile_tap to = { .context = recorder, .window = tap_window, .gap = tap_gap, .mark = tap_mark };
  if (!rtop_profile_replay(profile, span, &to)) recorder_fail(recorder, ENOMEM);
  return rtop_recorder_close(&recorder, error);
}
