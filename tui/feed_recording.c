#include "feed_impl.h"

#include "recording_read.h"
#include "reserve.h"
#include "shm/error.h"
#include <stdlib.h>
#include <string.h>

/* One file, one feed per process in it. The first feed reads for all; the last one to be closed closes. */
struct feed_file {
  struct rtop_recording *recording;
  struct rtop_window window;
  uint32_t *threads;
  size_t thread_capacity;
  size_t next;                         /* chunk */
  int users;
};

struct feed_recording {
  struct rtop_feed base;
  struct feed_file *file;
};

static bool file_threads(struct feed_file *file, struct rtop_profile *profile, uint32_t source)
{
  const struct rtop_window *window = &file->window;
  if (!rtop_reserve(&file->threads, &file->thread_capacity, window->thread_count + 1, sizeof *file->threads))
    return false;
  for (size_t i = 0; i < window->thread_count; i++) {
    struct rtop_recording_thread about;
    struct rtop_source_thread thread = {.serial = window->threads[i].serial};
    if (rtop_recording_thread(file->recording, source, thread.serial, &about)) {
      thread.name = about.name;
      thread.name_bytes = about.name_bytes;
      thread.native_id = about.native_id;
      thread.is_main = about.is_main;
    }
    file->threads[i] = rtop_profile_thread(profile, source, &thread);
  }
  return true;
}

static size_t file_take(struct feed_file *file, struct rtop_profile *profile, uint32_t source)
{
  size_t node_count;
  const uint32_t *nodes = rtop_recording_nodes(file->recording, &node_count);
  if (!file_threads(file, profile, source))
    return 0;
  return rtop_profile_add(profile, source, &file->window, nodes, node_count, file->threads);
}

static size_t file_read_chunk(struct feed_file *file, size_t chunk, struct rtop_profile *profile)
{
  uint32_t source;
  size_t moved = 0;
  if (!rtop_recording_load(file->recording, chunk))
    return 0;                          /* the hole in time becomes a gap with the next window */
  for (;;)
    switch (rtop_recording_next(file->recording, &source, &file->window)) {
    case RTOP_RECORDING_WINDOW:
      moved += file_take(file, profile, source);
      break;
    case RTOP_RECORDING_GAP:
      rtop_profile_add_gap(profile, source, file->window.start_mono_ns, file->window.end_mono_ns);
      break;
    case RTOP_RECORDING_END:
      return moved;
    }
}

static size_t recording_read(struct rtop_feed *base, struct rtop_profile *profile)
{
  struct feed_file *file = ((struct feed_recording *)base)->file;
  size_t moved = 0;
  if (base->source != 0)
    return 0;
  for (; file->next < rtop_recording_index(file->recording)->chunk_count; file->next++)
    moved += file_read_chunk(file, file->next, profile);
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
  if (--file->users > 0)
    return;
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

static const struct feed_ops recording_ops = {recording_state, recording_read, recording_wait_ms, recording_close};

static struct rtop_feed *file_make_feed(struct feed_file *file, uint32_t source)
{
  const struct rtop_recording_source *about = rtop_recording_source(file->recording, source);
  struct feed_recording *feed = calloc(1, sizeof *feed);
  if (!feed)
    return NULL;
  feed->file = file;
  file->users++;
  feed->base.ops = &recording_ops;
  feed->base.source = source;
  feed->base.state = RTOP_FEED_REPLAY;
  feed->base.info = (struct rtop_feed_info){.command = feed->base.command, .ruby = feed->base.ruby};
  if (about) {
    memcpy(feed->base.command, about->command, sizeof feed->base.command);
    memcpy(feed->base.ruby, about->ruby, sizeof feed->base.ruby);
    feed->base.info.pid = (pid_t)about->pid;
    feed->base.info.window_ns = about->window_ns;
    feed->base.info.clock_offset_ns = about->clock_offset_ns;
    feed->base.info.started_real_ns = about->started_real_ns;
  }
  return &feed->base;
}

static void file_read_all_names(struct feed_file *file, struct rtop_profile *profile)
{
  size_t chunks = rtop_recording_index(file->recording)->chunk_count;
  for (size_t i = 0; i < chunks; i++)
    rtop_recording_read_names(file->recording, i, profile);
}

int rtop_feed_open_recording(const char *path, struct rtop_profile *profile, struct rtop_feed **feeds,
                             int feeds_max, struct rtop_error *error)
{
  struct feed_file *file = calloc(1, sizeof *file);
  int count = 0;
  if (!file) {
    rtop_error_set(error, RTOP_ERROR_SYSTEM, 0, "out of memory");
    return 0;
  }
  file->users = 1;
  file->recording = rtop_recording_open(path, error);
  if (file->recording) {
    file_read_all_names(file, profile);
    int sources = (int)rtop_recording_source_count(file->recording);
    for (; count < sources && count < feeds_max; count++)
      if (!(feeds[count] = file_make_feed(file, (uint32_t)count)))
        break;
    if (count == 0)
      rtop_error_set(error, RTOP_ERROR_CORRUPT, 0, "%s holds no process that can be read", path);
  }
  file_release(file);
  return count;
}
