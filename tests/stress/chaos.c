/* SIGKILLs a publishing process at a random moment, again and again; every window that survives must be
 * whole, in every tier.
 *
 *   chaos [KILLS]
 *
 * Exit status 0 when nothing torn was found, windows survived every kill, and some of the processes
 * were in the middle of a publication (else the moments were not random enough to prove anything).
 */
#include "shm/base/atomics.h"
#include "shm/channel/channel.h"
#include "shm/channel/reader.h"
#include "shm/channel/writer.h"
#include "shm/segment/registry.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CELLS_MAX = 300, WINDOW_NS = 100000000 };

struct tally {
  uint64_t kills, windows, merged, lost, torn, wrong_state, middle, empty;
};

static uint64_t mix(uint64_t x)
{
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

static uint64_t window_cells(uint64_t sequence)
{
  return mix(sequence) % CELLS_MAX;
}

static void window_make(struct rtop_window *window, uint64_t sequence)
{
  rtop_window_reset(window);
  window->start_mono_ns = (int64_t)sequence * WINDOW_NS;
  window->end_mono_ns = (int64_t)sequence * WINDOW_NS + WINDOW_NS;
  *rtop_window_add_thread(window) = (struct rtop_window_thread){ .slot = 1, .serial = 1 };
  for (uint32_t i = 0; i < window_cells(sequence); i++)
    *rtop_window_add_cell(window) =
        (struct rtop_cell){ .node = i + RTOP_NODE_FIRST_FREE, .wall_ns = mix(sequence + i) >> 32, .samples = 1 };
}

static bool window_whole(const struct rtop_window *window, uint64_t sequence)
{
  if (window->start_mono_ns != (int64_t)sequence * WINDOW_NS || window->cell_count != window_cells(sequence))
    return false;
  for (uint32_t i = 0; i < window->cell_count; i++)
    if (window->cells[i].node != i + RTOP_NODE_FIRST_FREE || window->cells[i].wall_ns != mix(sequence + i) >> 32)
      return false;
  return true;
}

/* Publishes as fast as it can, until it is killed. */
static void publish_for_ever(int ready)
{
  struct rtop_writer_options options = { .ring_bytes = 1 << 20, .identity = { .window_ns = WINDOW_NS } };
  struct rtop_error error;
  struct rtop_window window = { 0 };
  struct rtop_writer *writer = rtop_writer_create(&options, &error);
  if (!writer) {
    fprintf(stderr, "%s\n", error.text);
    _exit(1);
  }
  rtop_writer_thread_start(writer, 1, 1, 1, 0, "main", 4);
  for (uint32_t i = 0; i < CELLS_MAX; i++) {
    struct rtop_node_entry node = { .parent = RTOP_NODE_ROOT, .frame = 0, .depth = 1 };
    uint32_t id;
    rtop_writer_add_node(writer, &node, &id);
  }
  for (uint64_t sequence = 1;; sequence++) {
    window_make(&window, sequence);
    if (rtop_writer_publish(writer, &window) != sequence || (sequence == 1 && write(ready, "x", 1) != 1)) _exit(1);
  }
}

/* Whether the process died between the intent and the head. */
static bool died_in_the_middle(const char *path)
{
  struct rtop_segment segment;
  if (rtop_segment_open(&segment, path, (uid_t)-1, NULL) != 0) return false;
  const struct rtop_counters *counters = rtop_segment_counters(&segment);
  bool middle = rtop_load_relaxed(&counters->intent_sequence) != rtop_load_relaxed(&counters->head_sequence);
  rtop_segment_close(&segment, false);
  return middle;
}

/* A merged window is the sum of those that it covers, folded or not. */
static bool merged_whole(const struct rtop_window *window)
{
  uint64_t expected_ns = 0, told_ns = 0;
  if (window->start_mono_ns % WINDOW_NS || window->end_mono_ns % WINDOW_NS) return false;
  for (int64_t sequence = window->start_mono_ns / WINDOW_NS; sequence < window->end_mono_ns / WINDOW_NS; sequence++)
    for (uint32_t i = 0; i < window_cells((uint64_t)sequence); i++) expected_ns += mix((uint64_t)sequence + i) >> 32;
  for (size_t i = 0; i < window->cell_count; i++) told_ns += window->cells[i].wall_ns;
  return told_ns == expected_ns;
}

static void examine_merged(struct rtop_reader *reader, enum rtop_tier tier, struct tally *tally)
{
  struct rtop_window window = { 0 };
  uint64_t newest = rtop_reader_tier_newest(reader, tier);
  for (uint64_t q = rtop_reader_tier_oldest(reader, tier); newest && q <= newest; q++) {
    enum rtop_result result = rtop_reader_tier_window(reader, tier, q, &window);
    bool whole = result == RTOP_OK && merged_whole(&window);
    tally->merged += whole;
    tally->lost += result == RTOP_LOST;
    tally->torn += !whole && result != RTOP_LOST;
  }
  tally->torn += rtop_reader_tier_window(reader, tier, newest + 1, &window) != RTOP_DEAD;
  rtop_window_destroy(&window);
}

static void examine(const char *path, struct tally *tally)
{
  struct rtop_window window = { 0 };
  struct rtop_reader *reader = rtop_reader_open(path, (uid_t)-1, NULL);
  if (!reader) {
    tally->torn++;
    return;
  }
  tally->wrong_state += rtop_reader_state(reader, 0, NULL) != RTOP_CHANNEL_DEAD;
  uint64_t newest = rtop_reader_newest(reader), whole = 0;
  for (uint64_t q = rtop_reader_oldest(reader); q <= newest; q++) {
    enum rtop_result result = rtop_reader_window(reader, q, &window);
    whole += result == RTOP_OK && window_whole(&window, q);
    tally->torn += result != RTOP_OK && result != RTOP_LOST;
    tally->torn += result == RTOP_OK && !window_whole(&window, q);
    tally->lost += result == RTOP_LOST;
  }
  tally->torn += rtop_reader_window(reader, newest + 1, &window) != RTOP_DEAD;
  examine_merged(reader, RTOP_TIER_1S, tally);
  examine_merged(reader, RTOP_TIER_10S, tally);
  tally->windows += whole;
  tally->empty += whole == 0;
  tally->middle += died_in_the_middle(path);
  rtop_window_destroy(&window);
  rtop_reader_close(&reader);
}

static void kill_one(struct tally *tally)
{
  struct rtop_registry_entry entry;
  struct rtop_error error = { 0 };
  int ready[2];
  char byte;
  if (pipe(ready) != 0) exit(1);
  pid_t pid = fork();
  if (pid == 0) publish_for_ever(ready[1]);
  close(ready[1]);
  bool published = read(ready[0], &byte, 1) == 1;
  close(ready[0]);
  struct timespec moment = { .tv_nsec = (long)(mix((uint64_t)rand()) % 20000000) };
  nanosleep(&moment, NULL);
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  tally->kills++;
  if (!published || rtop_registry_find(pid, &entry, &error) != 0) {
    fprintf(stderr, "%s\n", published ? error.text : "the child did not publish");
    tally->torn++;
    return;
  }
  examine(entry.path, tally);
  unlink(entry.path);
  strcat(entry.path, ".ctl");
  unlink(entry.path);
}

int main(int count_of_arguments, char **arguments)
{
  uint64_t kills = count_of_arguments > 1 ? strtoull(arguments[1], NULL, 10) : 200;
  char directory[] = "/dev/shm/rtop-chaos.XXXXXX", elsewhere[] = "/tmp/rtop-chaos.XXXXXX";
  char *made = mkdtemp(directory) ? directory : mkdtemp(elsewhere);
  struct tally tally = { 0 };
  if (!made || setenv("RPERF_TOP_DIR", made, 1) != 0) return 1;
  srand((unsigned)getpid());
  while (tally.kills < kills) kill_one(&tally);
  rmdir(made);
  printf("%" PRIu64 " kills, %" PRIu64 " in the middle of a publication: %" PRIu64 " windows and %" PRIu64
         " merged ones whole, %" PRIu64 " lost, %" PRIu64 " torn\n",
         tally.kills, tally.middle, tally.windows, tally.merged, tally.lost, tally.torn);
  if (tally.torn || tally.wrong_state || tally.empty || (kills >= 100 && tally.merged == 0) ||
      (kills >= 100 && tally.middle == 0)) {
    printf("FAIL: torn %" PRIu64 ", wrong state %" PRIu64 ", without windows %" PRIu64 "\n", tally.torn,
           tally.wrong_state, tally.empty);
    return 1;
  }
  return 0;
}
