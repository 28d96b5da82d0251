/* Hostile profiles that a program is said to have saved: any text, with a right beginning or without, and large ones
 * that are a few bytes often repeated. What is opened is shown; its sums are what stands in it. */
#include "fuzz.h"
#include "shm/base/error.h"
#include "tui/feed/feed.h"
#include <string.h>

enum { SAVED_TEXT_MAX = 2 << 20, SAVED_HEAD = 4 };
static char text[SAVED_TEXT_MAX + 32];
static size_t text_bytes;

static void put(const char *bytes, size_t count)
{
  size_t room = SAVED_TEXT_MAX - text_bytes;
  memcpy(text + text_bytes, bytes, count < room ? count : room);
  text_bytes += count < room ? count : room;
}

static void put_begin(void)
{
  static const char begin[] = "{\"format\":\"rperf_top profile ";
  put(begin, sizeof begin - 1);
}

/* Where a byte is 1, the number of the repetition; 2: the one after. */
static void put_once(const char *piece, size_t count, size_t number)
{
  char digits[24];
  for (size_t i = 0; i < count; i++)
    if (piece[i] != 1 && piece[i] != 2) put(piece + i, 1);
    else put(digits, (size_t)snprintf(digits, sizeof digits, "%zu", number + (size_t)(piece[i] == 2)));
}

/* Pieces: how often (a number and a power of two), how long (two bytes), and their bytes. */
static void put_pieces(const uint8_t *data, size_t size)
{
  while (size > SAVED_HEAD) {
    size_t often = (size_t)data[0] << data[1] % 16, count = (size_t)data[2] << 8 | data[3];
    data += SAVED_HEAD;
    size -= SAVED_HEAD;
    count = count < size ? count : size;
    for (size_t i = 0; i < often && count > 0 && text_bytes < SAVED_TEXT_MAX; i++)
      put_once((const char *)data, count, i);
    data += count;
    size -= count;
  }
}

static void look(struct rtop_feed *feed, struct rtop_profile *profile)
{
  static struct rtop_window_summary windows[64];
  enum rtop_feed_state state;
  const struct rtop_feed_info *info = rtop_feed_info(feed);
  rtop_feed_poll(feed, profile, &state);
  demand(state == RTOP_FEED_REPLAY);
  demand(rtop_feed_poll(feed, profile, &state) == 0); /* all of it is there at once */
  for (const char *at = info->command; *at; at++) demand((unsigned char)*at >= 32 && *at != 127);
  struct rtop_span held = rtop_profile_bounds(profile);
  int64_t middle_ns = held.start_ns + (held.end_ns - held.start_ns) / 2;
  rtop_profile_windows(profile, held, windows, 64);
  fuzz_sum(profile, held);
  fuzz_sum(profile, (struct rtop_span){ middle_ns, held.end_ns });
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct rtop_error error = { 0 };
  char path[64];
  if (size < 1 || size > 1000000) return 0;
  text_bytes = 0;
  if (data[0] % 4 == 1) put_begin();
  if (data[0] % 4 < 2) put((const char *)data + 1, size - 1);
  else put_pieces(data + 1, size - 1);
  int fd = fuzz_file(text, text_bytes, path);
  struct rtop_profile *profile = rtop_profile_create(size % 2 ? 1 << 20 : 64 << 20);
  bool is = rtop_feed_is_saved(path);
  struct rtop_feed *feed = rtop_feed_open_saved(path, profile, 0, &error);
  demand((feed == NULL) == (error.text[0] != '\0'));
  demand(is || !feed || text_bytes > 0);
  if (feed) {
    look(feed, profile);
    rtop_feed_close(&feed);
  }
  rtop_profile_destroy(&profile);
  close(fd);
  return 0;
}
