/* Hostile recordings, as files and as streams: any bytes, with a right beginning or without; and chunks and indexes whose seals and checksums are right, but not what
 * is in them. Everything that opens is asked for in several spans. */
#include "fuzz.h"
#include "shm/base/error.h"
#include "tui/feed/feed.h"
#include "tui/recording/recording_index.h"
#include "tui/recording/recording_stream.h"
#include "shm/window/window.h"
#include <string.h>

enum { FUZZ_FEEDS = 4 };

static void open_and_look(const void *data, size_t size)
{
  static struct rtop_window_summary windows[64];
  struct rtop_feed *feeds[FUZZ_FEEDS];
  struct rtop_error error;
  enum rtop_feed_state state;
  char path[64];
  int fd = fuzz_file(data, size, path);
  struct rtop_profile *profile = rtop_profile_create(size % 2 ? 1 << 20 : 1 << 13);
  int count = rtop_feed_open_recording(path, profile, feeds, FUZZ_FEEDS, &error);
  for (int i = 0; i < count; i++) rtop_feed_poll(feeds[i], profile, &state);
  struct rtop_span held = rtop_profile_bounds(profile);
  int64_t middle_ns = held.start_ns + (held.end_ns - held.start_ns) / 2;
  rtop_profile_windows(profile, held, windows, 64);
  fuzz_sum(profile, (struct rtop_span){ middle_ns, held.end_ns });
  fuzz_sum(profile, (struct rtop_span){ held.start_ns, middle_ns });
  fuzz_sum(profile, held);
  for (int i = 0; i < count; i++) rtop_feed_close(&feeds[i]);
  rtop_profile_destroy(&profile);
  close(fd);
}

/* The same as it comes through a pipe, in pieces of any size: what the parser makes of it may not hang on where they end. */
static uint64_t stream_in_pieces(const uint8_t *data, size_t size, size_t most)
{
  struct rtop_recording_stream *stream = rtop_recording_stream_open(0);
  struct rtop_profile *profile = rtop_profile_create(1 << 20);
  struct rtop_window window = { 0 };
  struct rtop_error error;
  enum rtop_recording_step step = RTOP_RECORDING_MORE;
  uint64_t rows = 0;
  uint32_t source;
  for (size_t at = 0; at < size && step == RTOP_RECORDING_MORE;) {
    size_t room_bytes, piece = size - at < most ? size - at : most;
    unsigned char *room = rtop_recording_stream_room(stream, &room_bytes);
    demand(room && room_bytes > 0);
    piece = piece < room_bytes ? piece : room_bytes;
    memcpy(room, data + at, piece);
    rtop_recording_stream_take(stream, piece);
    at += piece;
    while ((step = rtop_recording_stream_next(stream, profile, &error)) == RTOP_RECORDING_CHUNK)
      while (rtop_recording_next(rtop_recording_stream_content(stream), &source, &window) != RTOP_RECORDING_END) rows++;
  }
  demand(rtop_recording_stream_bytes(stream) <= size);
  rtop_window_destroy(&window);
  rtop_recording_stream_close(&stream);
  rtop_profile_destroy(&profile);
  return rows;
}

static void stream_and_look(const uint8_t *data, size_t size)
{
  struct rtop_feed *feeds[FUZZ_FEEDS] = { NULL };
  struct rtop_stream_look seen;
  struct rtop_error error;
  struct rtop_feed_end end;
  enum rtop_feed_state state;
  char path[64];
  int fd = fuzz_file(data, size, path), count = 0;
  demand(lseek(fd, 0, SEEK_SET) == 0);
  struct rtop_profile *profile = rtop_profile_create(size % 2 ? 1 << 20 : 1 << 13);
  feeds[0] = rtop_feed_open_stream(fd, profile, &error);
  while (count < FUZZ_FEEDS && feeds[count]) {
    rtop_feed_poll(feeds[count], profile, &state);
    rtop_feed_end(feeds[count], &end);
    if (++count < FUZZ_FEEDS) feeds[count] = rtop_feed_stream_next(feeds[0], (uint32_t)count);
  }
  if (count > 0) {
    demand(rtop_feed_stream_look(feeds[0], &seen) && seen.ended);
    fuzz_sum(profile, rtop_profile_bounds(profile));
  }
  for (int i = 0; i < count; i++) rtop_feed_close(&feeds[i]);
  rtop_profile_destroy(&profile);
  close(fd);
}

static void put_head(struct recording_bytes *out)
{
  struct recording_head head = { .byte_order = RECORDING_BYTE_ORDER, .version_major = RECORDING_VERSION_MAJOR };
  memcpy(head.magic, RECORDING_MAGIC, sizeof head.magic);
  recording_seal(&head, sizeof head, RECORDING_TAG_HEAD);
  recording_put(out, &head, sizeof head);
}

/* Sealed as it should be, whatever it is. */
static void put_chunk(struct recording_bytes *out, const uint8_t *data, size_t size, size_t cut, int64_t start_ns)
{
  struct recording_bytes names = { 0 }, windows = { 0 };
  struct recording_chunk_head head = {
    .number = 1, .window_count = 1, .start_ns = start_ns, .end_ns = start_ns + 1000000000, .late_ns = start_ns
  };
  recording_put(&names, data, cut);
  recording_put(&windows, data + cut, size - cut);
  recording_put_chunk(out, &head, &names, &windows);
  recording_bytes_destroy(&names);
  recording_bytes_destroy(&windows);
}

static void put_index(struct recording_bytes *out, const uint8_t *data, size_t size, uint32_t chunks)
{
  struct recording_index_head head = { .chunk_count = chunks,
                                       .stored_bytes = (uint32_t)size,
                                       .raw_bytes = (uint32_t)size };
  size_t start = out->count;
  recording_put(out, &head, sizeof head);
  recording_put(out, data, size);
  recording_seal(out->data + start, out->count - start, RECORDING_TAG_INDEX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct recording_bytes out = { 0 };
  if (size < 4 || size > 1000000) return 0;
  uint8_t kind = data[0] % 4, few = data[1];
  size_t cut = ((size_t)data[2] << 8 | data[3]) % (size - 3);
  data += 4;
  size -= 4;
  cut = cut < size ? cut : size;
  if (kind < 3) put_head(&out);
  if (kind == 0 || kind == 3) {
    recording_put(&out, data, size);
  } else if (kind == 1) {
    put_chunk(&out, data, cut, cut / 2, 1000000000);
    put_chunk(&out, data + cut, size - cut, (size - cut) / 2, 1500000000);
  } else {
    put_chunk(&out, data, cut, cut / 2, 1000000000);
    put_index(&out, data + cut, size - cut, few % 8);
  }
  if (!out.failed) {
    open_and_look(out.data, out.count);
    stream_and_look(out.data, out.count);
    size_t piece = 1 + few * 7u + out.count / 1000;
    demand(stream_in_pieces(out.data, out.count, piece) == stream_in_pieces(out.data, out.count, out.count));
  }
  recording_bytes_destroy(&out);
  return 0;
}
