/* The writer's and the readers' own code on a memory that is as weak as C11 allows: loads give any old value
 * that no fence and no order forbids. x86 never does so, and hides a fence that is missing.
 *
 *   weak_memory [ROUNDS]
 *
 * ring.c, tables.c, thread_slots.c, outlet.c and reader_tables.c are compiled here with other atomics: each word keeps
 * all that was stored to it, and by what order (the machine of tests/model/memory.pml). The writer goes first, and in
 * some rounds nothing that it stores counts from some store on: it was killed. Then readers come at random
 * times of it. All is derived from the number of the round. Fails when a reader takes what no writer wrote,
 * finds an honest writer corrupt or says that is lost what is there; or when too little happened to prove anything.
 */
#define RTOP_SHM_ATOMICS_H /* these are the atomics */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARENA_BYTES = 1 << 15, WORDS = ARENA_BYTES / 8, STORES_MAX = 1 << 16 };

struct store {
  uint64_t value;
  uint32_t clock;  /* the writer's, which counts its stores */
  uint32_t view;   /* up to which store who reads this one may know all others */
  uint32_t before; /* of the same word */
};

static struct {
  uint64_t arena[WORDS]; /* only its addresses are used */
  struct store stores[STORES_MAX];
  uint32_t newest[WORDS];
  uint32_t clock, released, limit; /* what comes behind the limit was never stored */
  /* of the reader */
  bool reading;
  uint32_t known, pending;
  uint32_t passed[WORDS]; /* the clock of what it read there last */
  unsigned eagerness[2];  /* of 8 loads so many give the newest value; payloads apart */
  size_t payloads;        /* the word where they begin */
  uint64_t random;
} machine;

static uint64_t draw(void)
{
  uint64_t x = machine.random += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

static size_t word_of(const void *address)
{
  ptrdiff_t bytes = (const unsigned char *)address - (const unsigned char *)machine.arena;
  if (bytes < 0 || bytes >= ARENA_BYTES || bytes % 8) {
    puts("FAIL: an access outside the shared memory, or not to a word");
    exit(1);
  }
  return (size_t)bytes / 8;
}

static void machine_store(size_t word, uint64_t value, bool release)
{
  if (++machine.clock > machine.limit) return;
  if (machine.clock >= STORES_MAX) abort();
  machine.stores[machine.clock] = (struct store){ .value = value,
                                                  .clock = machine.clock,
                                                  .view = release ? machine.clock : machine.released,
                                                  .before = machine.newest[word] };
  machine.newest[word] = machine.clock;
}

/* The oldest that it may see, the newest, or any between. */
static uint64_t machine_load(size_t word, bool acquire)
{
  uint32_t least = machine.known > machine.passed[word] ? machine.known : machine.passed[word];
  const struct store *store = &machine.stores[machine.newest[word]];
  bool eager = !machine.reading || draw() % 8 < machine.eagerness[word >= machine.payloads];
  bool to_the_end = draw() % 16 != 0;
  while (!eager && store->clock > least && (to_the_end || draw() % 4)) store = &machine.stores[store->before];
  if (!machine.reading) return store->value;
  machine.passed[word] = store->clock;
  if (store->view > machine.pending) machine.pending = store->view;
  if (acquire && store->view > machine.known) machine.known = store->view;
  return store->value;
}

typedef uint64_t rtop_shared_word __attribute__((may_alias));

__attribute__((unused)) static uint64_t rtop_load_relaxed(const uint64_t *word)
{
  return machine_load(word_of(word), false);
}

__attribute__((unused)) static uint64_t rtop_load_acquire(const uint64_t *word)
{
  return machine_load(word_of(word), true);
}

/* Mutants of the code may want it. */
__attribute__((unused)) static void rtop_store_relaxed(uint64_t *word, uint64_t value)
{
  machine_store(word_of(word), value, false);
}

__attribute__((unused)) static void rtop_store_release(uint64_t *word, uint64_t value)
{
  machine_store(word_of(word), value, true);
}

__attribute__((unused)) static void rtop_fence_acquire(void)
{
  if (machine.pending > machine.known) machine.known = machine.pending;
}

__attribute__((unused)) static void rtop_fence_release(void)
{
  machine.released = machine.clock;
}

__attribute__((unused)) static void rtop_fence_full(void)
{
  rtop_fence_release();
}

static void rtop_copy_from_shared(void *private_copy, const void *shared, size_t bytes)
{
  for (size_t at = 0; at < bytes; at += 8) {
    uint64_t word = machine_load(word_of(shared) + at / 8, false);
    memcpy((unsigned char *)private_copy + at, &word, bytes - at < 8 ? bytes - at : 8);
  }
}

static void rtop_copy_to_shared(void *shared, const void *private_copy, size_t bytes)
{
  for (size_t at = 0; at < bytes; at += 8) {
    uint64_t word = 0;
    memcpy(&word, (const unsigned char *)private_copy + at, bytes - at < 8 ? bytes - at : 8);
    machine_store(word_of(shared) + at / 8, word, false);
  }
}

/* The kernel's copy keeps words whole, and promises nothing else. */
static ssize_t machine_pwrite(int fd, const void *bytes, size_t count, off_t offset)
{
  (void)fd;
  rtop_copy_to_shared((unsigned char *)machine.arena + offset, bytes, count);
  return (ssize_t)count;
}

static ssize_t machine_pread(int fd, void *bytes, size_t count, off_t offset)
{
  (void)fd;
  rtop_copy_from_shared(bytes, (unsigned char *)machine.arena + offset, count);
  return (ssize_t)count;
}

#define pwrite machine_pwrite
#define pread machine_pread
#include "shm/base/outlet.c"
#include "shm/base/ring.c"
#include "shm/channel/channel.c"
#include "shm/channel/tables.c"
#include "shm/channel/thread_slots.c"
#define tables_count tables_bound /* a function of that name stands in both */
#include "shm/channel/reader_tables.c"
#undef tables_count

enum {
  WINDOWS = 24,
  SLOTS = 4,
  CAPACITY = 4096,
  PAYLOAD_MAX = CAPACITY / 8,
  NODES = RTOP_NODE_FIRST_FREE + WINDOWS,
  THREADS = 2,
  ATTEMPTS = 40,
};

/* What the writer did, whatever became of its stores. */
struct truth {
  uint32_t begun, complete; /* publications */
  uint64_t position[WINDOWS + 1], bytes[WINDOWS + 1], end;
  uint32_t clock[WINDOWS + 2]; /* of the machine, when they were published */
};

struct tally {
  uint64_t accepted, old, lost, overtaken, threads, refused, nodes, failed;
};

static void layout(struct channel_parts *parts, struct outlet *outlet, bool by_pwrite)
{
  static const uint8_t instance[16] = { 1, 2, 3 };
  unsigned char *at = (unsigned char *)machine.arena;
  *parts = (struct channel_parts){ .counters = (struct rtop_counters *)(void *)at };
  at += RTOP_PAGE_BYTES;
  parts->strings = at, parts->string_bytes = 1024;
  parts->frames = (struct rtop_frame_entry *)(void *)(at += 1024), parts->frame_capacity = 8;
  parts->nodes = (struct rtop_node_entry *)(void *)(at += 1024), parts->node_capacity = NODES;
  parts->threads = (struct rtop_thread_entry *)(void *)(at += 1024), parts->thread_capacity = THREADS;
  parts->ring = (struct rtop_ring){ .counters = parts->counters,
                                    .slot_count = SLOTS,
                                    .capacity = CAPACITY,
                                    .slots = (struct rtop_slot *)(void *)(at += 1024),
                                    .instance_id = instance };
  parts->ring.bytes = at + 1024;
  if (by_pwrite) {
    outlet_init(outlet, 0, machine.arena);
    channel_parts_write(parts, outlet);
  }
}

static void payload_make(uint64_t sequence, uint64_t *words, uint64_t bytes)
{
  for (uint64_t i = 0; i < bytes / 8; i++) words[i] = sequence << 32 | i;
}

/* As writer_flush() and rtop_writer_publish() do. */
static void publish(struct channel_parts *parts, struct tables *tables, struct thread_slots *threads,
                    struct truth *truth)
{
  uint64_t words[PAYLOAD_MAX / 8], sequence = parts->ring.last_sequence + 1;
  struct rtop_node_entry node = { .depth = (uint32_t)tables->node_count, .line = (uint32_t)tables->node_count };
  struct rtop_counters counters = { 0 };
  uint32_t id;
  tables_add_node(tables, &node, &id);
  if (draw() % 2) { /* else its fences would stand in for others */
    thread_slots_native_id(threads, 1, 1, (uint32_t)sequence);
    thread_slots_name(threads, 1, 1, "abcdefghijklmnopqrstuvwxyz", sequence);
  }
  outlet_flush(parts->outlet);
  thread_slots_flush(threads);
  tables_count(tables, &counters);
  channel_publish_counters(parts, &counters);
  struct rtop_slot slot = { .start_mono_ns = (int64_t)sequence,
                            .end_mono_ns = (int64_t)sequence + 1,
                            .stored_bytes = (uint32_t)(draw() % (PAYLOAD_MAX / 8 + 1) * 8),
                            .node_count = tables->node_count };
  slot.raw_bytes = slot.stored_bytes;
  payload_make(sequence, words, slot.stored_bytes);
  uint32_t before = machine.clock;
  rtop_ring_publish(&parts->ring, &slot, words);
  if (before < machine.limit) {
    truth->begun = (uint32_t)sequence;
    truth->position[sequence] = slot.position;
    truth->bytes[sequence] = slot.stored_bytes;
    truth->end = parts->ring.next_position;
  }
  if (machine.clock <= machine.limit) truth->complete = (uint32_t)sequence;
  truth->clock[sequence] = machine.clock < machine.limit ? machine.clock : machine.limit;
}

static bool window_whole(const struct truth *truth, const struct rtop_slot *slot, uint64_t q, const uint64_t *words)
{
  uint64_t expected[PAYLOAD_MAX / 8];
  payload_make(q, expected, truth->bytes[q]);
  return slot->sequence == q && slot->position == truth->position[q] && slot->stored_bytes == truth->bytes[q] &&
         slot->start_mono_ns == (int64_t)q && memcmp(words, expected, truth->bytes[q]) == 0;
}

static bool is_there(const struct truth *truth, uint64_t q)
{
  return q <= truth->complete && truth->begun - q < SLOTS && truth->end - truth->position[q] <= CAPACITY;
}

static void fail(struct tally *tally, const char *what, uint64_t number)
{
  if (tally->failed++ < 5) printf("FAIL: %s (%" PRIu64 ")\n", what, number);
}

static void read_nodes(const struct reader_tables *tables, const struct rtop_slot *slot, struct tally *tally)
{
  struct rtop_node_entry node;
  uint64_t count = reader_tables_node_count(tables);
  if (count < slot->node_count) fail(tally, "a window names nodes that are not there", slot->sequence);
  for (uint64_t id = RTOP_NODE_FIRST_FREE; id < count; id++, tally->nodes++)
    if (!reader_tables_node(tables, (uint32_t)id, &node) || node.line != id || node.depth != id)
      fail(tally, "a node is not what was stored", id);
}

static void read_thread(const struct reader_tables *tables, struct tally *tally)
{
  struct rtop_thread_entry thread;
  if (!reader_tables_thread(tables, 1, 1, &thread)) tally->refused++;
  else if (thread.native_id && thread.name_bytes != thread.native_id)
    fail(tally, "a thread is half one and half another", thread.native_id);
  else tally->threads++;
}

static void read_window(const struct reader_tables *tables, const struct truth *truth, bool late, struct tally *tally)
{
  const struct rtop_ring *ring = &tables->parts->ring;
  uint64_t words[PAYLOAD_MAX / 8], q = 1 + draw() % (truth->begun + 1);
  struct rtop_slot slot, there;
  if (draw() % 2) q = truth->begun > 6 ? truth->begun - draw() % 6 : q;
  /* Half of the readers know that the window came, and little of what followed. */
  if (!late && truth->clock[q] && draw() % 2) machine.known = machine.pending = truth->clock[q];
  enum rtop_result looked = rtop_ring_read_slot(ring, q, &there);
  enum rtop_result result = rtop_ring_read(ring, q, &slot, words, sizeof words);
  if (result == RTOP_CORRUPT || looked == RTOP_CORRUPT) fail(tally, "an honest writer looks corrupt", q);
  else if (result == RTOP_OK && (q > truth->complete || !window_whole(truth, &slot, q, words)))
    fail(tally, "a window is torn", q);
  else if (late && is_there(truth, q) && result != RTOP_OK) fail(tally, "a window that is there is lost", q);
  tally->accepted += result == RTOP_OK;
  tally->old += result == RTOP_OK && q < truth->complete;
  tally->lost += result == RTOP_LOST;
  tally->overtaken += result == RTOP_LOST && looked == RTOP_OK;
  if (result == RTOP_OK) read_nodes(tables, &slot, tally);
}

static void read_all(const struct channel_parts *parts, const struct truth *truth, struct tally *tally)
{
  const struct reader_tables tables = { parts, (unsigned char *)machine.arena, ARENA_BYTES };
  uint32_t last = machine.clock < machine.limit ? machine.clock : machine.limit;
  machine.reading = true;
  machine.payloads = word_of(parts->ring.bytes);
  for (int i = 0; i < ATTEMPTS && truth->begun; i++) {
    bool late = draw() % 8 == 0;
    memset(machine.passed, 0, sizeof machine.passed);
    machine.known = late ? last : (uint32_t)(draw() % (last + 1));
    machine.pending = machine.known;
    for (int kind = 0; kind < 2; kind++) machine.eagerness[kind] = (unsigned)(draw() % 9);
    read_window(&tables, truth, late, tally);
    read_thread(&tables, tally);
  }
  machine.reading = false;
}

static void forget(uint64_t round)
{
  memset(machine.newest, 0, sizeof machine.newest);
  machine.clock = machine.released = 0;
  machine.random = round * UINT64_C(0x9e3779b97f4a7c15) + 1;
  machine.limit = UINT32_MAX;
}

static void one_round(uint64_t round, struct tally *tally)
{
  static struct outlet outlet;
  static uint64_t memory[128];
  struct channel_parts parts;
  struct tables tables;
  struct thread_slots threads;
  struct truth truth = { 0 };
  forget(round);
  memset(memory, 0, sizeof memory);
  memset(&outlet, 0, sizeof outlet);
  if (thread_slots_memory_bytes(THREADS) > sizeof memory) abort();
  layout(&parts, &outlet, round % 2);
  tables_init(&tables, &parts);
  thread_slots_init(&threads, &parts, memory);
  thread_slots_start(&threads, &(struct rtop_thread_entry){ .serial = 1 }, "", 0);
  if (round % 3 == 0) machine.limit = (uint32_t)(draw() % (WINDOWS * 80));
  for (int i = 0; i < WINDOWS; i++) publish(&parts, &tables, &threads, &truth);
  read_all(&parts, &truth, tally);
}

int main(int count_of_arguments, char **arguments)
{
  uint64_t rounds = count_of_arguments > 1 ? strtoull(arguments[1], NULL, 10) : 20000;
  struct tally tally = { 0 };
  sigbus_install();
  for (uint64_t round = 0; round < rounds; round++) one_round(round, &tally);
  printf("%" PRIu64 " rounds: %" PRIu64 " windows accepted, %" PRIu64 " of them not the newest, %" PRIu64
         " lost, %" PRIu64 " of those overwritten during the read; %" PRIu64 " nodes, %" PRIu64 " threads, %" PRIu64
         " refused\n",
         rounds, tally.accepted, tally.old, tally.lost, tally.overtaken, tally.nodes, tally.threads, tally.refused);
  if (!tally.accepted || !tally.old || !tally.lost || !tally.overtaken || !tally.nodes || !tally.threads ||
      !tally.refused)
    fail(&tally, "too little happened to prove anything", rounds);
  printf("%s\n", tally.failed ? "not ok the channel on a weak memory" : "ok the channel on a weak memory");
  return tally.failed != 0;
}
