/* One writer and some readers of each tier, every one a process, rings so small that the readers are lapped all
 * the time. First the writer stores as a process that is observed does, with pwrite; then, for half of the
 * time, into a mapping of its own, which laps the readers far more often. The readers always map.
 *
 *   ring_stress [SECONDS [VIEWERS [WINDOWS]]]
 *
 * VIEWERS is the number of readers (3, one for each tier). With WINDOWS it goes on until so many are published, in
 * all tiers and both ways together, however long that takes.
 *
 * Every payload is derived from its sequence, so that a reader can tell whether what it was given is
 * whole. Readers stay near the oldest edge, where the writer overwrites. Passes when nothing torn was
 * accepted, at least half of the attempts were lost and some were accepted; prints the counts.
 *
 * Built with RING_STRESS_NO_CHECK the readers leave out the checks of the protocol (R2, R4, CRC): then
 * torn reads must be seen, which proves that the test can see them. Exit status 1 then, too.
 */
#include "shm/base/atomics.h"
#include "shm/base/outlet.h"
#include "shm/channel/channel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { READERS_MAX = 1000, PAYLOAD_MAX = 2048, AGE_MAX = 1 << 20 };

struct tally {
  uint64_t attempts, accepted, lost, none, corrupt, torn;
  uint64_t overtaken; /* still there when looked up, overwritten while it was copied */
};

/* Shared between the processes: what each has counted, and whether to go on. */
struct board {
  uint64_t stop;
  struct tally readers[READERS_MAX];
};

static struct {
  double seconds;
  int readers;
  uint64_t windows; /* 0: as many as there is time for */
} wanted = { 5, RTOP_TIERS, 0 };

static uint64_t mix(uint64_t x)
{
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

static uint32_t payload_bytes(uint64_t sequence)
{
  return (uint32_t)(mix(sequence) % (PAYLOAD_MAX / 8 + 1)) * 8;
}

static void payload_make(uint64_t sequence, uint64_t *words)
{
  for (uint32_t i = 0; i < payload_bytes(sequence) / 8; i++) words[i] = mix(sequence * 1000 + i);
}

static bool payload_whole(const struct rtop_slot *slot, uint64_t sequence, const uint64_t *words)
{
  if (slot->sequence != sequence || slot->stored_bytes != payload_bytes(sequence) ||
      slot->start_mono_ns != (int64_t)(sequence * 10))
    return false;
  for (uint32_t i = 0; i < slot->stored_bytes / 8; i++)
    if (words[i] != mix(sequence * 1000 + i)) return false;
  return true;
}

static void publish(struct rtop_ring *ring)
{
  uint64_t words[PAYLOAD_MAX / 8];
  uint64_t sequence = ring->last_sequence + 1;
  payload_make(sequence, words);
  struct rtop_slot slot = {
    .start_mono_ns = (int64_t)(sequence * 10),
    .end_mono_ns = (int64_t)(sequence * 10 + 10),
    .stored_bytes = payload_bytes(sequence),
    .raw_bytes = payload_bytes(sequence),
  };
  rtop_ring_publish(ring, &slot, words);
}

/* Round by round into every tier, as a merged window follows on the one that completes it. */
static void publish_until_stopped(struct channel_parts *parts, struct board *board)
{
  uint64_t windows = 0;
  while (wanted.windows ? windows < wanted.windows / 2 : !rtop_load_relaxed(&board->stop)) {
    publish(&parts->ring);
    for (size_t i = 0; i < RTOP_MERGED_TIERS; i++) publish(&parts->tiers[i]);
    windows += RTOP_TIERS;
  }
  rtop_store_relaxed(&board->stop, 1);
}

#ifdef RING_STRESS_NO_CHECK
/* A reader that believes whatever it finds; only what keeps it inside its own memory is left. */
static enum rtop_result read_window(const struct rtop_ring *ring, uint64_t sequence, struct rtop_slot *slot,
                                    uint64_t *words)
{
  uint64_t head = rtop_load_acquire(&ring->counters->head_sequence);
  if (sequence > head) return RTOP_NONE_YET;
  if (head - sequence >= ring->slot_count) return RTOP_LOST;
  rtop_copy_from_shared(slot, &ring->slots[sequence & (ring->slot_count - 1)], sizeof *slot);
  uint64_t offset = slot->position & (ring->capacity - 1);
  if (slot->stored_bytes > PAYLOAD_MAX || slot->stored_bytes > ring->capacity - offset) return RTOP_CORRUPT;
  rtop_copy_from_shared(words, ring->bytes + (offset & ~(uint64_t)7), slot->stored_bytes);
  return RTOP_OK;
}
#else
static enum rtop_result read_window(const struct rtop_ring *ring, uint64_t sequence, struct rtop_slot *slot,
                                    uint64_t *words)
{
  return rtop_ring_read(ring, sequence, slot, words, PAYLOAD_MAX);
}
#endif

static void count(struct tally *tally, enum rtop_result result, bool whole)
{
  tally->attempts++;
  tally->accepted += result == RTOP_OK && whole;
  tally->torn += result == RTOP_OK && !whole;
  tally->lost += result == RTOP_LOST;
  tally->none += result == RTOP_NONE_YET;
  tally->corrupt += result == RTOP_CORRUPT;
}

static uint64_t next_age(uint64_t age, const struct tally *tally)
{
  uint64_t step = age / 8 + 1;
  if (tally->lost * 4 < tally->attempts * 3) return age < AGE_MAX ? age + step : age;
  return age > step ? age - step : 1;
}

/* More viewers than there are cores for would leave none to the writer. */
static void rest(uint64_t round)
{
  const struct timespec length = { .tv_nsec = wanted.readers * 100000L % 1000000000L };
  if (wanted.readers > RTOP_TIERS && round % 32 == 0) nanosleep(&length, NULL);
}

/* Aims at the oldest windows, and knows them only from a while ago: the longer, the more are overwritten
 * before or under the read. The while adapts itself to the machine until three reads in four are lost. */
static void read_until_stopped(const struct rtop_ring *ring, struct board *board, struct tally *tally, uint64_t seed)
{
  uint64_t words[PAYLOAD_MAX / 8];
  uint64_t oldest = 1, age = 0, age_max = 1;
  for (uint64_t round = 0; !rtop_load_relaxed(&board->stop); round++) {
    rest(round);
    if (++age >= age_max) {
      oldest = rtop_ring_oldest(ring);
      age = 0;
      age_max = next_age(age_max, tally);
    }
    uint64_t sequence = oldest + mix(seed + round) % 4;
    struct rtop_slot slot;
    bool there = rtop_ring_read_slot(ring, sequence, &slot) == RTOP_OK;
    enum rtop_result result = read_window(ring, sequence, &slot, words);
    tally->overtaken += there && result == RTOP_LOST;
    count(tally, result, result == RTOP_OK && payload_whole(&slot, sequence, words));
  }
}

static pid_t start(void (*work)(struct board *board, int number), struct board *board, int number)
{
  pid_t pid = fork();
  if (pid == 0) {
    work(board, number);
    _exit(0);
  }
  return pid;
}

/* Readers open the file themselves: the writer's mapping does not follow a fork. */
static void reader_work(struct board *board, int number)
{
  struct rtop_segment segment;
  struct channel_parts parts;
  struct rtop_error error;
  const char *path = (const char *)(const void *)(board + 1);
  if (rtop_segment_open(&segment, path, (uid_t)-1, &error) != 0) {
    fprintf(stderr, "%s\n", error.text);
    _exit(1);
  }
  channel_parts_of(&segment, &parts);
  int tier = number % RTOP_TIERS;
  const struct rtop_ring *ring = tier == RTOP_TIER_FINE ? &parts.ring : &parts.tiers[tier - 1];
  read_until_stopped(ring, board, &board->readers[number], (uint64_t)number << 40);
}

static int judge(const struct board *board, uint64_t published, double seconds)
{
  struct tally sum = { 0 };
  for (int i = 0; i < wanted.readers; i++) {
    const struct tally *tally = &board->readers[i];
    sum.attempts += tally->attempts;
    sum.accepted += tally->accepted;
    sum.lost += tally->lost;
    sum.none += tally->none;
    sum.corrupt += tally->corrupt;
    sum.torn += tally->torn;
    sum.overtaken += tally->overtaken;
  }
  printf("%" PRIu64 " published (%.0f a second) to %d viewers; %" PRIu64 " reads: %" PRIu64 " accepted, %" PRIu64
         " lost (%.0f %%), %" PRIu64 " of them overwritten during the read, %" PRIu64 " not yet there, %" PRIu64
         " corrupt, %" PRIu64 " torn\n",
         published, (double)published / seconds, wanted.readers, sum.attempts, sum.accepted, sum.lost,
         100.0 * (double)sum.lost / (double)(sum.attempts + 1), sum.overtaken, sum.none, sum.corrupt, sum.torn);
  if (sum.torn > 0 || sum.corrupt > 0) puts("FAIL: a reader was given what no writer wrote");
  else if (sum.lost * 2 < sum.attempts) puts("FAIL: too few reads were lapped to prove anything");
  else if (sum.accepted == 0 || sum.overtaken == 0) puts("FAIL: no read was accepted, or none was overtaken");
  else return 0;
  return 1;
}

/* How the writer reaches its segment: through the outlet, or (no process that is observed does) by stores into
 * a mapping in the place of its view. */
static bool choose_way(struct rtop_segment *segment, struct channel_parts *parts, struct outlet *outlet, bool by_stores)
{
  channel_parts_of(segment, parts);
  outlet_init(outlet, segment->fd, segment->base);
  if (!by_stores) channel_parts_write(parts, outlet);
  return !by_stores || mmap(segment->base, segment->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, segment->fd,
                            0) == segment->base;
}

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static pid_t start_clock(struct board *board, double seconds)
{
  pid_t pid = fork();
  if (pid == 0) {
    struct timespec length = { .tv_sec = (time_t)seconds,
                               .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9) };
    nanosleep(&length, NULL);
    rtop_store_relaxed(&board->stop, 1);
    _exit(0);
  }
  return pid;
}

static int race(bool by_stores)
{
  const char *directory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  struct rtop_segment_sizes sizes = {
    .ring_bytes = 16384,
    .directory_slots = 64,
    .string_bytes = 4096,
    .frame_capacity = 64,
    .node_capacity = 64,
    .thread_capacity = 8,
    .tiers = { { 16384, 64 }, { 16384, 64 } },
  };
  struct rtop_segment_identity identity = { .window_ns = 1 };
  struct rtop_segment segment;
  struct channel_parts parts;
  struct rtop_error error;
  if (rtop_segment_create(&segment, directory, &sizes, &identity, &error) != 0) {
    fprintf(stderr, "%s\n", error.text);
    return 1;
  }
  static struct outlet outlet;
  size_t board_bytes = sizeof(struct board) + sizeof segment.path;
  struct board *board = mmap(NULL, board_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (board == MAP_FAILED || !choose_way(&segment, &parts, &outlet, by_stores)) return 1;
  strcpy((char *)(board + 1), segment.path);
  double begin = now();
  pid_t readers[READERS_MAX], clock = wanted.windows ? -1 : start_clock(board, wanted.seconds / 2);
  for (int i = 0; i < wanted.readers; i++) readers[i] = start(reader_work, board, i);
  publish_until_stopped(&parts, board);
  double seconds = now() - begin;
  int failed = 0, status;
  for (int i = 0; i < wanted.readers; i++) failed |= waitpid(readers[i], &status, 0) != readers[i] || status != 0;
  if (clock > 0) waitpid(clock, &status, 0);
  if (outlet_failed(&outlet)) {
    puts("FAIL: the segment could not be written");
    failed = 1;
  }
  rtop_segment_close(&segment, true);
  if (failed) puts("FAIL: a reader did not end well");
  printf("%s: ", by_stores ? "stores" : "pwrite");
  return judge(board, parts.ring.last_sequence * RTOP_TIERS, seconds) | failed;
}

int main(int count_of_arguments, char **arguments)
{
  if (count_of_arguments > 1) wanted.seconds = strtod(arguments[1], NULL);
  if (count_of_arguments > 2) wanted.readers = atoi(arguments[2]);
  if (count_of_arguments > 3) wanted.windows = strtoull(arguments[3], NULL, 10);
  if (wanted.readers < RTOP_TIERS || wanted.readers > READERS_MAX) {
    fprintf(stderr, "ring_stress: between %d and %d viewers\n", RTOP_TIERS, READERS_MAX);
    return 2;
  }
  int failed = race(false);
  return race(true) | failed;
}
