/* channel_bytes PATH
 *
 * How many bytes a segment's history is, and how many it would be if windows were longer: all windows that can
 * be read are put together to longer ones and encoded again, as the writer does. Prints one JSON object: the
 * seconds covered, the bytes of the tables (strings, frames, nodes) and per length in windows the number of
 * windows, their bytes before and after compression.
 *
 * Exit status: 0, 1 when there is no channel or no window, 2 usage.
 */
#include "shm/channel/reader.h"
#include "shm/window/window_merge.h"
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

enum { LENGTHS = 6 };
static const unsigned lengths[LENGTHS] = { 1, 2, 5, 10, 20, 50 };

struct sum {
  struct window_merge merge;
  unsigned parts;
  uint64_t count, raw_bytes, stored_bytes;
};

static void init(struct sum *sums)
{
  void *scratch = malloc(window_merge_scratch_bytes());
  if (!scratch) abort();
  for (int i = 0; i < LENGTHS; i++) {
    void *memory = calloc(1, window_merge_memory_bytes());
    if (!memory) abort();
    window_merge_init(&sums[i].merge, memory, scratch);
  }
}

static void finish(struct sum *sum)
{
  static unsigned char raw[RTOP_WINDOW_RAW_BYTES_MAX], stored[RTOP_WINDOW_RAW_BYTES_MAX];
  uint32_t codec;
  size_t bytes = rtop_window_encode(&sum->merge.window, raw, sizeof raw, sum->merge.scratch);
  sum->count++;
  sum->raw_bytes += bytes;
  sum->stored_bytes += rtop_window_compress(raw, bytes, stored, sizeof stored, &codec);
  sum->parts = 0;
  window_merge_clear(&sum->merge);
}

static json_t *rows(struct sum *sums)
{
  json_t *list = json_array();
  for (int i = 0; i < LENGTHS; i++) {
    if (sums[i].parts) finish(&sums[i]);
    json_array_append_new(list, json_pack("{s:i s:I s:I s:I}", "length", (int)lengths[i], "windows",
                                          (json_int_t)sums[i].count, "raw_bytes", (json_int_t)sums[i].raw_bytes,
                                          "stored_bytes", (json_int_t)sums[i].stored_bytes));
  }
  return list;
}

static int64_t read_all(struct rtop_reader *reader, struct sum *sums)
{
  struct rtop_window window = { 0 };
  int64_t covered_ns = 0;
  uint64_t newest = rtop_reader_newest(reader);
  for (uint64_t sequence = rtop_reader_oldest(reader); sequence && sequence <= newest; sequence++) {
    if (rtop_reader_window(reader, sequence, &window) != RTOP_OK) continue;
    covered_ns += window.end_mono_ns - window.start_mono_ns;
    for (int i = 0; i < LENGTHS; i++) {
      window_merge_add(&sums[i].merge, &window);
      if (++sums[i].parts == lengths[i]) finish(&sums[i]);
    }
  }
  rtop_window_destroy(&window);
  return covered_ns;
}

int main(int argc, char **argv)
{
  struct rtop_error error = { 0 };
  static struct sum sums[LENGTHS];
  struct rtop_counters counters;
  if (argc != 2) {
    fputs("usage: channel_bytes PATH\n", stderr);
    return 2;
  }
  struct rtop_reader *reader = rtop_reader_open(argv[1], (uid_t)-1, &error);
  if (!reader) {
    fprintf(stderr, "channel_bytes: %s\n", error.text);
    return 1;
  }
  init(sums);
  int64_t covered_ns = read_all(reader, sums);
  rtop_reader_counters(reader, &counters);
  uint64_t tables = counters.string_bytes + counters.frame_count * sizeof(struct rtop_frame_entry) +
                    counters.node_count * sizeof(struct rtop_node_entry);
  json_t *all = json_pack("{s:f s:I s:I s:I s:o}", "seconds", (double)covered_ns / 1e9, "table_bytes",
                          (json_int_t)tables, "nodes", (json_int_t)counters.node_count, "frames",
                          (json_int_t)counters.frame_count, "lengths", rows(sums));
  json_dumpf(all, stdout, JSON_COMPACT);
  putchar('\n');
  json_decref(all);
  rtop_reader_close(&reader);
  return covered_ns > 0 ? 0 : 1;
}
