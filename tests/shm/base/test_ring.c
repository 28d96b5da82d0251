#include "tests/shm/support.h"

#include "shm/base/ring.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 4096, SLOTS = 8, PAYLOAD_MAX = CAPACITY / 8 };

static _Alignas(64) struct rtop_counters counters;
static _Alignas(64) struct rtop_slot slots[SLOTS];
static _Alignas(64) unsigned char bytes[CAPACITY];
static const uint8_t instance_id[16] = "0123456789abcde";
static struct rtop_ring ring;

static int set_up(void **state)
{
  (void)state;
  memset(&counters, 0, sizeof counters);
  memset(slots, 0, sizeof slots);
  memset(bytes, 0, sizeof bytes);
  ring = (struct rtop_ring){
    .counters = &counters,
    .slots = slots,
    .bytes = bytes,
    .slot_count = SLOTS,
    .capacity = CAPACITY,
    .instance_id = instance_id,
  };
  return 0;
}

static void fill(unsigned char *payload, size_t count, uint64_t seed)
{
  for (size_t i = 0; i < count; i++) payload[i] = (unsigned char)(seed * 131 + i * 7 + 1);
}

static uint64_t publish(uint32_t stored_bytes)
{
  unsigned char payload[PAYLOAD_MAX + 64];
  uint64_t next = ring.last_sequence + 1;
  struct rtop_slot slot = {
    .start_mono_ns = (int64_t)(next & INT32_MAX),
    .end_mono_ns = (int64_t)(next & INT32_MAX) + 10,
    .stored_bytes = stored_bytes,
    .raw_bytes = stored_bytes,
    .codec = RTOP_CODEC_RAW,
  };
  fill(payload, stored_bytes, next);
  return rtop_ring_publish(&ring, &slot, payload);
}

static enum rtop_result read_back(uint64_t sequence, uint32_t *stored_bytes)
{
  unsigned char payload[PAYLOAD_MAX], expected[PAYLOAD_MAX];
  struct rtop_slot slot;
  enum rtop_result result = rtop_ring_read(&ring, sequence, &slot, payload, sizeof payload);
  if (result != RTOP_OK) return result;
  assert_true(slot.sequence == sequence);
  assert_int_equal(slot.start_mono_ns, sequence & INT32_MAX);
  fill(expected, slot.stored_bytes, sequence);
  assert_memory_equal(payload, expected, slot.stored_bytes);
  if (stored_bytes) *stored_bytes = slot.stored_bytes;
  return RTOP_OK;
}

static void test_empty(void **state)
{
  (void)state;
  assert_int_equal(rtop_ring_newest(&ring), 0);
  assert_int_equal(rtop_ring_oldest(&ring), 0);
  assert_int_equal(read_back(1, NULL), RTOP_NONE_YET);
  assert_int_equal(read_back(UINT64_MAX, NULL), RTOP_NONE_YET);
  assert_int_equal(read_back(0, NULL), RTOP_LOST);
}

static void test_one_window_word_by_word(void **state)
{
  (void)state;
  assert_int_equal(publish(10), 1);
  assert_int_equal(counters.intent_position, 64);
  assert_int_equal(counters.intent_sequence, 1);
  assert_int_equal(counters.head_sequence, 1);
  assert_int_equal(slots[1].sequence, 1);
  assert_int_equal(slots[1].position, 0);
  assert_int_equal(slots[1].stored_bytes, 10);
  assert_int_equal(slots[0].sequence, 0);
  assert_int_equal(bytes[10], 0);
  assert_int_equal(read_back(1, NULL), RTOP_OK);
  assert_int_equal(read_back(2, NULL), RTOP_NONE_YET);
}

static void test_payload_of_nothing_and_of_the_maximum(void **state)
{
  (void)state;
  uint32_t stored = 1;
  assert_int_equal(rtop_ring_payload_max(&ring), PAYLOAD_MAX);
  assert_int_equal(publish(0), 1);
  assert_int_equal(publish(PAYLOAD_MAX), 2);
  assert_int_equal(publish(0), 3);
  assert_int_equal(read_back(1, &stored), RTOP_OK);
  assert_int_equal(stored, 0);
  assert_int_equal(read_back(2, &stored), RTOP_OK);
  assert_int_equal(stored, PAYLOAD_MAX);
  assert_int_equal(read_back(3, &stored), RTOP_OK);
}

static void test_too_large_writes_nothing(void **state)
{
  (void)state;
  publish(64);
  struct rtop_counters before = counters;
  assert_int_equal(publish(PAYLOAD_MAX + 1), 0);
  assert_memory_equal(&counters, &before, sizeof before);
  assert_int_equal(publish(64), 2);
}

/* The end of the ring is met exactly, missed by one line, and by one byte. */
static void test_wrap(void **state)
{
  (void)state;
  static const uint32_t last[] = { PAYLOAD_MAX, PAYLOAD_MAX - 64, PAYLOAD_MAX - 1 };
  for (size_t i = 0; i < sizeof last / sizeof last[0]; i++) {
    set_up(NULL);
    for (int n = 0; n < 7; n++) publish(PAYLOAD_MAX);
    uint64_t eighth = publish(last[i]);
    uint64_t ninth = publish(PAYLOAD_MAX);
    assert_int_equal(slots[ninth % SLOTS].position, CAPACITY);
    assert_int_equal(read_back(eighth, NULL), RTOP_OK);
    assert_int_equal(read_back(ninth, NULL), RTOP_OK);
    assert_int_equal(read_back(2, NULL), RTOP_OK);
    assert_int_equal(read_back(1, NULL), RTOP_LOST);
  }
}

static void test_payload_never_wraps_around_the_end(void **state)
{
  (void)state;
  for (int n = 0; n < 500; n++) {
    publish((uint32_t)(n * 97 % (PAYLOAD_MAX + 1)));
    const struct rtop_slot *slot = &slots[ring.last_sequence % SLOTS];
    assert_int_equal(slot->position % RTOP_RECORD_ALIGN, 0);
    assert_true(slot->position % CAPACITY + slot->stored_bytes <= CAPACITY);
    assert_int_equal(read_back(ring.last_sequence, NULL), RTOP_OK);
  }
}

static void test_directory_wraps_before_the_ring(void **state)
{
  (void)state;
  for (uint64_t n = 1; n <= 3 * SLOTS; n++) {
    assert_int_equal(publish(8), n);
    assert_int_equal(rtop_ring_newest(&ring), n);
    uint64_t oldest = n > SLOTS ? n - SLOTS + 1 : 1;
    assert_int_equal(rtop_ring_oldest(&ring), oldest);
    for (uint64_t q = oldest; q <= n; q++) assert_int_equal(read_back(q, NULL), RTOP_OK);
    if (oldest > 1) assert_int_equal(read_back(oldest - 1, NULL), RTOP_LOST);
  }
}

/* The oldest that can be read is what a search one by one finds, too. */
static void test_oldest_when_the_ring_wraps_first(void **state)
{
  (void)state;
  for (int n = 1; n <= 200; n++) {
    publish((uint32_t)(n * 211 % PAYLOAD_MAX + (n % 3) * 100) % (PAYLOAD_MAX + 1));
    uint64_t newest = rtop_ring_newest(&ring), naive = newest;
    while (naive > 1 && read_back(naive - 1, NULL) == RTOP_OK) naive--;
    assert_int_equal(rtop_ring_oldest(&ring), naive);
  }
}

/* Numbers near 2^32, 2^63 and the end of 64 bits; positions are compared by difference only. */
static void test_large_numbers(void **state)
{
  (void)state;
  static const uint64_t starts[] = { UINT32_MAX - 5, UINT64_C(1) << 32, (UINT64_C(1) << 63) - 5, UINT64_MAX - 200 };
  for (size_t s = 0; s < sizeof starts / sizeof starts[0]; s++)
    for (size_t p = 0; p < sizeof starts / sizeof starts[0]; p++) {
      set_up(NULL);
      ring.last_sequence = starts[s];
      ring.next_position = starts[p] / RTOP_RECORD_ALIGN * RTOP_RECORD_ALIGN;
      for (uint64_t n = 1; n <= 50; n++) {
        assert_true(publish((uint32_t)(n * 53 % PAYLOAD_MAX)) == starts[s] + n);
        assert_int_equal(read_back(starts[s] + n, NULL), RTOP_OK);
        if (n > 1) assert_int_equal(read_back(starts[s] + n - 1, NULL), RTOP_OK);
        if (n > SLOTS) assert_int_equal(read_back(starts[s] + n - SLOTS, NULL), RTOP_LOST);
      }
    }
}

/* As a reader sees it while the writer is between W1 and W4. */
static void test_overwriting_in_progress(void **state)
{
  (void)state;
  for (int n = 0; n < SLOTS; n++) publish(64);
  assert_int_equal(read_back(1, NULL), RTOP_OK);
  counters.intent_sequence = SLOTS + 1;
  assert_int_equal(read_back(1, NULL), RTOP_LOST);
  assert_int_equal(read_back(2, NULL), RTOP_OK);
  counters.intent_position = CAPACITY + 64;
  assert_int_equal(read_back(2, NULL), RTOP_OK);
  counters.intent_position = CAPACITY + 65;
  assert_int_equal(read_back(2, NULL), RTOP_LOST);
  assert_int_equal(read_back(3, NULL), RTOP_OK);
}

/* Every field of a slot at its bounds. The CRC is put right each time: the bounds alone must hold. */
struct slot_case {
  const char *what;
  size_t offset, field_bytes;
  uint64_t value;
  enum rtop_result expected;
};

static void sign(struct rtop_slot *slot)
{
  slot->crc32c = 0;
  uint32_t crc = rtop_crc32c(rtop_crc32c(0, instance_id, 16), slot, sizeof *slot);
  uint64_t offset = slot->position & (CAPACITY - 1);
  uint32_t count = slot->stored_bytes <= CAPACITY - offset ? slot->stored_bytes : 0;
  slot->crc32c = rtop_crc32c(crc, bytes + offset, count);
}

#define FIELD(name) offsetof(struct rtop_slot, name), sizeof((struct rtop_slot *)0)->name

static void test_slot_boundaries(void **state)
{
  (void)state;
  static const struct slot_case cases[] = {
    { "sequence 0", FIELD(sequence), 0, RTOP_CORRUPT },
    { "sequence one less", FIELD(sequence), 1, RTOP_CORRUPT },
    { "sequence one more", FIELD(sequence), 3, RTOP_CORRUPT },
    { "sequence max", FIELD(sequence), UINT64_MAX, RTOP_CORRUPT },
    { "position 0", FIELD(position), 0, RTOP_OK },
    { "position off by one", FIELD(position), 129, RTOP_CORRUPT },
    { "position off by 32", FIELD(position), 160, RTOP_CORRUPT },
    { "position at the intent", FIELD(position), 192, RTOP_OK },
    { "position ahead", FIELD(position), 256, RTOP_LOST },
    { "position max aligned", FIELD(position), UINT64_MAX - 63, RTOP_OK },
    { "position max", FIELD(position), UINT64_MAX, RTOP_CORRUPT },
    { "position 2^63", FIELD(position), UINT64_C(1) << 63, RTOP_LOST },
    { "start negative", FIELD(start_mono_ns), UINT64_MAX, RTOP_CORRUPT },
    { "start after end", FIELD(start_mono_ns), 13, RTOP_CORRUPT },
    { "start at end", FIELD(start_mono_ns), 12, RTOP_OK },
    { "end before start", FIELD(end_mono_ns), 1, RTOP_CORRUPT },
    { "end max", FIELD(end_mono_ns), INT64_MAX, RTOP_OK },
    { "end negative", FIELD(end_mono_ns), UINT64_C(1) << 63, RTOP_CORRUPT },
    { "stored 0", FIELD(stored_bytes), 0, RTOP_CORRUPT },
    { "stored one more", FIELD(stored_bytes), 65, RTOP_CORRUPT },
    { "stored max", FIELD(stored_bytes), UINT32_MAX, RTOP_CORRUPT },
    { "raw 0", FIELD(raw_bytes), 0, RTOP_CORRUPT },
    { "raw one less", FIELD(raw_bytes), 63, RTOP_CORRUPT },
    { "raw one more", FIELD(raw_bytes), 65, RTOP_CORRUPT },
    { "raw max", FIELD(raw_bytes), UINT32_MAX, RTOP_CORRUPT },
    { "codec LZ4", FIELD(codec), RTOP_CODEC_LZ4, RTOP_OK },
    { "codec unknown", FIELD(codec), 2, RTOP_CORRUPT },
    { "codec max", FIELD(codec), UINT32_MAX, RTOP_CORRUPT },
    { "nodes max", FIELD(node_count), UINT64_MAX, RTOP_OK },
    { "frames max", FIELD(frame_count), UINT64_MAX, RTOP_OK },
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    unsigned char payload[PAYLOAD_MAX];
    struct rtop_slot copy;
    set_up(NULL);
    for (int n = 0; n < 3; n++) publish(64);
    memcpy((unsigned char *)&slots[2] + cases[i].offset, &cases[i].value, cases[i].field_bytes);
    sign(&slots[2]);
    enum rtop_result result = rtop_ring_read(&ring, 2, &copy, payload, sizeof payload);
    if (result != cases[i].expected) fail_msg("%s: %d instead of %d", cases[i].what, result, cases[i].expected);
  }
}

/* A compressed payload: the raw size has its own bound. */
static void test_compressed_bounds(void **state)
{
  (void)state;
  static const struct {
    uint32_t raw_bytes;
    enum rtop_result expected;
  } cases[] = {
    { 63, RTOP_CORRUPT },
    { 64, RTOP_OK },
    { 65, RTOP_OK },
    { RTOP_WINDOW_RAW_BYTES_MAX, RTOP_OK },
    { RTOP_WINDOW_RAW_BYTES_MAX + 1, RTOP_CORRUPT },
    { UINT32_MAX, RTOP_CORRUPT },
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct rtop_slot copy;
    unsigned char payload[64];
    set_up(NULL);
    publish(64);
    slots[1].codec = RTOP_CODEC_LZ4;
    slots[1].raw_bytes = cases[i].raw_bytes;
    sign(&slots[1]);
    assert_int_equal(rtop_ring_read(&ring, 1, &copy, payload, sizeof payload), cases[i].expected);
  }
}

static void test_stored_size_at_the_end_of_the_ring(void **state)
{
  (void)state;
  for (int n = 0; n < 7; n++) publish(PAYLOAD_MAX);
  publish(PAYLOAD_MAX - 64);
  struct rtop_slot *slot = &slots[0];
  slot->position += 128;
  counters.intent_position = CAPACITY + 64;
  sign(slot);
  struct rtop_slot copy;
  assert_int_equal(rtop_ring_read_slot(&ring, 8, &copy), RTOP_CORRUPT); /* before anything is copied */
  assert_int_equal(read_back(8, NULL), RTOP_CORRUPT);
}

static void test_stored_size_above_the_largest_payload(void **state)
{
  (void)state;
  struct rtop_slot copy;
  publish(PAYLOAD_MAX);
  slots[1].stored_bytes = slots[1].raw_bytes = PAYLOAD_MAX + 64;
  sign(&slots[1]);
  assert_int_equal(rtop_ring_read_slot(&ring, 1, &copy), RTOP_CORRUPT);
}

static void test_every_flipped_byte_is_noticed(void **state)
{
  (void)state;
  publish(100);
  for (size_t i = 0; i < 100; i++) {
    bytes[i] ^= 0x40;
    assert_int_equal(read_back(1, NULL), RTOP_CORRUPT);
    bytes[i] ^= 0x40;
  }
  for (size_t i = 0; i < sizeof slots[1]; i++) {
    ((unsigned char *)&slots[1])[i] ^= 0x01;
    assert_int_not_equal(read_back(1, NULL), RTOP_OK);
    ((unsigned char *)&slots[1])[i] ^= 0x01;
  }
  assert_int_equal(read_back(1, NULL), RTOP_OK);
}

/* The payload of another segment with the same sequence is not taken for ours. */
static void test_foreign_instance(void **state)
{
  (void)state;
  static const uint8_t other[16] = "other instance!";
  publish(20);
  ring.instance_id = other;
  assert_int_equal(read_back(1, NULL), RTOP_CORRUPT);
}

static void test_wild_counters_only_reject(void **state)
{
  (void)state;
  static const uint64_t wild[] = { 0, 1, 3, UINT32_MAX, UINT64_C(1) << 63, UINT64_MAX };
  for (int n = 0; n < 2; n++) publish(40);
  const struct rtop_counters right = counters;
  for (size_t h = 0; h < 6; h++)
    for (size_t i = 0; i < 6; i++)
      for (size_t p = 0; p < 6; p++) {
        counters = right;
        counters.head_sequence = wild[h];
        counters.intent_sequence = wild[i];
        counters.intent_position = wild[p];
        read_back(1, NULL);
        read_back(wild[h], NULL);
        uint64_t oldest = rtop_ring_oldest(&ring);
        assert_true(oldest <= wild[h]);
      }
}

static void test_small_buffer(void **state)
{
  (void)state;
  struct rtop_slot slot;
  unsigned char payload[32];
  publish(33);
  assert_int_equal(rtop_ring_read(&ring, 1, &slot, payload, sizeof payload), RTOP_CORRUPT);
}

static void test_largest_payload_is_bounded(void **state)
{
  (void)state;
  ring.capacity = UINT64_C(1) << 27;
  assert_int_equal(rtop_ring_payload_max(&ring), RTOP_WINDOW_RAW_BYTES_MAX);
}

/* Writer and reader as threads of one process, so that a race detector sees both. */
enum { THREAD_WINDOWS = 20000 };

static void *publish_many(void *argument)
{
  (void)argument;
  for (int n = 1; n <= THREAD_WINDOWS; n++) publish((uint32_t)n * 61 % (PAYLOAD_MAX + 1));
  return NULL;
}

static void test_while_another_thread_publishes(void **state)
{
  (void)state;
  pthread_t writer;
  uint64_t newest = 0, accepted = 0, corrupt = 0;
  assert_int_equal(pthread_create(&writer, NULL, publish_many, NULL), 0);
  while (newest < THREAD_WINDOWS) {
    newest = rtop_ring_newest(&ring);
    for (uint64_t q = rtop_ring_oldest(&ring); q <= newest && newest > 0; q++) {
      enum rtop_result result = read_back(q, NULL);
      accepted += result == RTOP_OK;
      corrupt += result == RTOP_CORRUPT;
    }
  }
  assert_int_equal(pthread_join(writer, NULL), 0);
  assert_true(accepted > 0);
  assert_int_equal(corrupt, 0);
}

#define RING_TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
  const struct CMUnitTest tests[] = {
    RING_TEST(test_empty),
    RING_TEST(test_one_window_word_by_word),
    RING_TEST(test_payload_of_nothing_and_of_the_maximum),
    RING_TEST(test_too_large_writes_nothing),
    RING_TEST(test_wrap),
    RING_TEST(test_payload_never_wraps_around_the_end),
    RING_TEST(test_directory_wraps_before_the_ring),
    RING_TEST(test_oldest_when_the_ring_wraps_first),
    RING_TEST(test_large_numbers),
    RING_TEST(test_overwriting_in_progress),
    RING_TEST(test_slot_boundaries),
    RING_TEST(test_compressed_bounds),
    RING_TEST(test_stored_size_at_the_end_of_the_ring),
    RING_TEST(test_stored_size_above_the_largest_payload),
    RING_TEST(test_every_flipped_byte_is_noticed),
    RING_TEST(test_foreign_instance),
    RING_TEST(test_wild_counters_only_reject),
    RING_TEST(test_small_buffer),
    RING_TEST(test_largest_payload_is_bounded),
    RING_TEST(test_while_another_thread_publishes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
