/* SPDX-License-Identifier: MIT */
/* A recording as a source. */
#include "feed_impl.h"

#include "shm/base/error.h"
#include "shm/segment/ending.h"
#include "tui/recording/recording_read.h"
#include "tui/text/clock_shift.h"
#include "tui/text/reserve.h"
#include <stdlib.h>
#include <string.h>

enum { FILE_LATE_BYTES_MIN = 1 << 18, FILE_LATE_CHUNK_BYTES = 1 << 13 }; /* what a chunk costs at least */

/* A recording file with one feed per process. The first feed reads for all; the last one to be closed closes the
 * file. */
struct feed_file {
  struct rtop_recording *recording;
  struct rtop_profile *profile;
  int64_t *last_ns; /* end of each source's last window, by source; 0: none */
  size_t source_count;
  int64_t *late_ns;    /* start of the earliest late record in each chunk or after it, by chunk */
  uint64_t late_bytes; /* limit for the content (bytes) that is read for late records reaching into a chunk */
  struct rtop_window window;
  uint32_t *threads;
  size_t thread_capacity;
  size_t next; /* chunk */
  int users;
  void (*progress)(void *context, double share);
  void *progress_context;
};

struct feed_recording {
  struct rtop_feed base;
  struct feed_file *file;
  char host[256];
};

void feed_recorded_thread(const struct rtop_recording *recording, uint32_t source, struct rtop_source_thread *thread)
{
  struct rtop_recording_thread about;
  if (!rtop_recording_thread(recording, source, thread->serial, &about)) return;
  thread->name = about.name;
  thread->name_bytes = about.name_bytes;
  thread->native_id = about.native_id;
  thread->is_main = about.is_main;
}

static bool file_threads(struct feed_file *file, uint32_t source)
{
  const struct rtop_window *window = &file->window;
  if (!rtop_reserve(&file->threads, &file->thread_capacity, window->thread_count + 1, sizeof *file->threads))
    return false;
  for (size_t i = 0; i < window->thread_count; i++) {
    struct rtop_source_thread thread = { .serial = window->threads[i].serial };
    feed_recorded_thread(file->recording, source, &thread);
    file->threads[i] = rtop_profile_thread(file->profile, source, &thread);
  }
  return true;
}

/* Adds a window that the index lists; details that the index lacks are read from the window. */
static size_t file_know(struct feed_file *file, const struct recording_known *known, uint64_t place)
{
  int64_t shift_ns = rtop_recording_shift_ns(file->recording, known->source);
  struct rtop_window window = {
    .start_mono_ns = rtop_clock_shifted(known->start_ns, shift_ns),
    .end_mono_ns = rtop_clock_shifted(known->end_ns, shift_ns),
    .counters_present = known->counters_present,
  };
  memcpy(window.counters, known->counters, sizeof window.counters);
  if (!known->gap && known->source < file->source_count && window.end_mono_ns > file->last_ns[known->source])
    file->last_ns[known->source] = window.end_mono_ns;
  if (!known->gap)
    return rtop_profile_add_known(file->profile, known->source, &window, known->wall_ns, known->thread_count, place);
  rtop_profile_add_gap(file->profile, known->source, window.start_mono_ns, window.end_mono_ns);
  return 0;
}

static size_t file_know_by_reading(struct feed_file *file, size_t chunk)
{
  size_t moved = 0;
  struct recording_known known;
  enum rtop_recording_row row;
  uint32_t source;
  /* The time of this chunk becomes a gap when the next window comes. */
  if (!rtop_recording_load(file->recording, chunk)) return 0;
  while ((row = rtop_recording_next(file->recording, &source, &file->window)) != RTOP_RECORDING_END &&
         rtop_budget_spend(rtop_recording_budget(file->recording), RTOP_BUDGET_MEMORY, sizeof known)) {
    memset(&known, 0, sizeof known);
    recording_known_fill(&known, source, &file->window);
    known.gap = row == RTOP_RECORDING_GAP;
    moved += file_know(file, &known, chunk + 1);
  }
  return moved;
}

static size_t file_know_chunk(struct feed_file *file, size_t at)
{
  const struct recording_index *index = rtop_recording_index(file->recording);
  const struct recording_chunk *chunk = &index->chunks[at];
  size_t moved = 0;
  if (rtop_recording_budget(file->recording)->over) return 0;
  if (chunk->known_count == 0 && chunk->head.windows_bytes) return file_know_by_reading(file, at);
  for (size_t i = 0; i < chunk->known_count; i++)
    moved += file_know(file, &index->known[chunk->known_start + i], at + 1);
  return moved;
}

static void file_load_chunk(struct feed_file *file, size_t chunk, uint64_t place)
{
  size_t node_count;
  const uint32_t *nodes = rtop_recording_nodes(file->recording, &node_count);
  enum rtop_recording_row row;
  uint32_t source;
  if (!rtop_recording_load(file->recording, chunk)) return;
  while ((row = rtop_recording_next(file->recording, &source, &file->window)) != RTOP_RECORDING_END) {
    bool wanted = row == RTOP_RECORDING_WINDOW && (chunk + 1 == place || file->window.late_count > 0);
    rtop_clock_shift_window(&file->window, rtop_recording_shift_ns(file->recording, source));
    if (wanted && file_threads(file, source))
      rtop_profile_load_window(file->profile, place, source, &file->window, nodes, node_count, file->threads);
  }
}

/* Loads the chunk, and later ones with late records that reach into it. With several clocks too many chunks may be
 * read; but if every chunk claims to reach into all others, only the nearest ones are read. */
static void file_load(void *context, uint64_t place)
{
  struct feed_file *file = context;
  const struct recording_index *index = rtop_recording_index(file->recording);
  size_t chunk = (size_t)place - 1;
  int64_t end_ns = index->chunks[chunk].head.end_ns;
  file_load_chunk(file, chunk, place);
  uint64_t left = file->late_bytes;
  for (size_t i = chunk + 1; i < index->chunk_count && file->late_ns[i] < end_ns && left > 0; i++) {
    uint64_t bytes = FILE_LATE_CHUNK_BYTES + (uint64_t)index->chunks[i].head.windows_raw_bytes;
    if (index->chunks[i].head.late_ns >= end_ns) continue;
    file_load_chunk(file, i, place);
    left -= bytes < left ? bytes : left;
  }
  if (file->progress) file->progress(file->progress_context, (double)place / (double)index->chunk_count);
}

/* Finds out from the recording whether a process ended its channel or vanished, and usually how. */
static void recording_note_end(struct rtop_feed *base)
{
  const struct feed_file *file = ((const struct feed_recording *)base)->file;
  const struct rtop_recording_source *about = rtop_recording_source(file->recording, base->source);
  if (base->has_end || !about || about->end_state == 0 || base->source >= file->source_count) return;
  struct rtop_ending ending = { .cause = about->end_state == 1 ? RTOP_ENDING_CLOSED : RTOP_ENDING_VANISHED };
  char text[sizeof base->end_text];
  bool words = about->pulses && rtop_ending_is_cause(about->pulse.cause) && *about->pulse.text;
  rtop_ending_text(&ending, text, sizeof text);
  feed_set_end(base, words ? about->pulse.cause : rtop_ending_cause_name(ending.cause),
               words ? about->pulse.text : text, file->last_ns[base->source]);
  base->has_end = file->last_ns[base->source] > 0;
}

static size_t recording_read(struct rtop_feed *base, struct rtop_profile *profile)
{
  struct feed_file *file = ((struct feed_recording *)base)->file;
  size_t moved = 0;
  (void)profile; /* the one that it was opened for */
  for (; base->source == 0 && file->next < rtop_recording_index(file->recording)->chunk_count; file->next++)
    moved += file_know_chunk(file, file->next);
  if (rtop_recording_budget(file->recording)->over && !*base->problem)
    feed_refuse(base, rtop_recording_budget(file->recording));
  recording_note_end(base);
  return moved;
}

static enum rtop_feed_state recording_state(struct rtop_feed *base)
{
  (void)base;
  return RTOP_FEED_REPLAY;
}

static int recording_wait_ms(const struct rtop_feed *base)
{
  (void)base;
  return 1000;
}

static void file_release(struct feed_file *file)
{
  if (--file->users > 0) return;
  rtop_profile_set_loader(file->profile, NULL);
  free(file->late_ns);
  free(file->last_ns);
  rtop_recording_close(&file->recording);
  rtop_window_destroy(&file->window);
  free(file->threads);
  free(file);
}

static void recording_close(struct rtop_feed *base)
{
  struct feed_recording *feed = (struct feed_recording *)base;
  file_release(feed->file);
  free(feed);
}

static const struct feed_ops recording_ops = { recording_state, recording_read, recording_wait_ms, NULL,
                                               recording_close };

void rtop_feed_tell_progress(struct rtop_feed *base, void (*tell)(void *context, double share), void *context)
{
  if (base->ops != &recording_ops) return;
  struct feed_file *file = ((struct feed_recording *)base)->file;
  file->progress = tell;
  file->progress_context = context;
}

static struct rtop_feed *file_make_feed(struct feed_file *file, uint32_t source)
{
  const struct rtop_recording_source *about = rtop_recording_source(file->recording, source);
  struct feed_recording *feed = calloc(1, sizeof *feed);
  if (!feed) return NULL;
  feed->file = file;
  file->users++;
  feed->base.ops = &recording_ops;
  feed->base.source = source;
  feed->base.state = RTOP_FEED_REPLAY;
  feed->base.info = (struct rtop_feed_info){
    .command = feed->base.command,
    .ruby = feed->base.ruby,
    .folder = feed->base.folder,
  };
  if (about) {
    memcpy(feed->base.command, about->command, sizeof feed->base.command);
    memcpy(feed->base.ruby, about->ruby, sizeof feed->base.ruby);
    memcpy(feed->base.folder, about->folder, sizeof feed->base.folder);
    memcpy(feed->host, about->host, sizeof feed->host);
    if (*feed->host) feed->base.info.host = feed->host;
    feed->base.info.pid = (pid_t)about->pid;
    feed->base.info.window_ns = about->window_ns;
    feed->base.info.clock_offset_ns = about->clock_offset_ns - rtop_recording_shift_ns(file->recording, source);
    feed->base.info.started_real_ns = about->started_real_ns;
  }
  feed->base.info.owner = rtop_recording_owner(file->recording);
  if (source == 0) feed->base.info.bytes = rtop_recording_budget(file->recording)->source_bytes;
  return &feed->base;
}

static void file_read_all_names(struct feed_file *file)
{
  size_t chunks = rtop_recording_index(file->recording)->chunk_count;
  for (size_t i = 0; i < chunks; i++) rtop_recording_read_names(file->recording, i, file->profile);
}

static bool file_prepare(struct feed_file *file)
{
  const struct recording_index *index = rtop_recording_index(file->recording);
  struct rtop_profile_loader loader = { .context = file, .load = file_load };
  int64_t late_ns = INT64_MAX;
  file->late_ns = calloc(index->chunk_count + 1, sizeof *file->late_ns);
  if (!file->late_ns) return false;
  for (size_t i = index->chunk_count; i-- > 0;) {
    late_ns = index->chunks[i].head.late_ns < late_ns ? index->chunks[i].head.late_ns : late_ns;
    file->late_ns[i] = late_ns;
    file->late_bytes += index->chunks[i].head.windows_raw_bytes;
  }
  /* Enough for 16 average chunks, and for all chunks of a short recording. */
  file->late_bytes = FILE_LATE_BYTES_MIN + (index->chunk_count ? 16 * file->late_bytes / index->chunk_count : 0);
  rtop_profile_set_loader(file->profile, &loader);
  file_read_all_names(file);
  file->source_count = rtop_recording_source_count(file->recording);
  file->last_ns = calloc(file->source_count + 1, sizeof *file->last_ns);
  return file->last_ns != NULL;
}

int rtop_feed_open_recording(const char *path, struct rtop_profile *profile, struct rtop_feed **feeds, int feeds_max,
                             struct rtop_error *error)
{
  struct feed_file *file = calloc(1, sizeof *file);
  int count = 0;
  if (!file) {
    rtop_error_set(error, RTOP_ERROR_SYSTEM, 0, "out of memory");
    return 0;
  }
  file->users = 1;
  file->profile = profile;
  file->recording = rtop_recording_open(path, error);
  if (file->recording && !file_prepare(file)) {
    rtop_error_set(error, RTOP_ERROR_SYSTEM, 0, "out of memory");
  } else if (file->recording) {
    int sources = (int)rtop_recording_source_count(file->recording);
    for (; count < sources && count < feeds_max; count++)
      if (!(feeds[count] = file_make_feed(file, (uint32_t)count))) break;
    if (count == 0) rtop_error_set(error, RTOP_ERROR_CORRUPT, 0, "%s holds no process that can be read", path);
  }
  file_release(file);
  return count;
}
