#include "tests/shm/support.h"

#include "shm/channel/thread_slots.h"
#include <stdlib.h>
#include <string.h>

/* KEPT: ended threads that are kept while there are slots that were never used. */
enum { SLOTS = 16, KEPT = SLOTS / 8 };
static _Alignas(64) struct rtop_thread_entry threads[SLOTS + 1];
static struct channel_parts parts;
static struct thread_slots slots;
static void *memory;

static int set_up(void **state)
{
  (void)state;
  memset(threads, 0, sizeof threads);
  memset(&threads[SLOTS], 0xee, sizeof threads[SLOTS]);
  parts = (struct channel_parts){ .threads = threads, .thread_capacity = SLOTS };
  memory = calloc(1, thread_slots_memory_bytes(SLOTS));
  thread_slots_init(&slots, &parts, memory);
  thread_slots_flush(&slots);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  free(memory);
  return threads[SLOTS].serial != 0xeeeeeeeeeeeeeeee;
}

static uint32_t start(uint64_t serial)
{
  struct rtop_thread_entry thread = { .serial = serial, .native_id = (uint32_t)serial + 1000, .start_mono_ns = 7 };
  uint32_t slot = thread_slots_start(&slots, &thread, "worker", 6);
  thread_slots_flush(&slots);
  return slot;
}

static void end(uint32_t slot, uint64_t serial, int64_t end_mono_ns)
{
  thread_slots_end(&slots, slot, serial, end_mono_ns);
  thread_slots_flush(&slots);
}

static void rename_thread(uint32_t slot, uint64_t serial, const char *name, size_t bytes)
{
  thread_slots_name(&slots, slot, serial, name, bytes);
  thread_slots_flush(&slots);
}

static void test_slot_of_the_others(void **state)
{
  (void)state;
  assert_int_equal(threads[0].flags, RTOP_THREAD_OTHERS);
  assert_memory_equal(threads[0].name, "(other threads)", threads[0].name_bytes);
  assert_int_equal(threads[0].name_bytes, 15);
  assert_int_equal(threads[0].version, 2);
  end(0, 0, 5);
  rename_thread(0, 0, "x", 1);
  assert_int_equal(threads[0].flags, RTOP_THREAD_OTHERS);
  assert_int_equal(threads[0].name_bytes, 15);
}

static void test_life_of_a_thread(void **state)
{
  (void)state;
  uint32_t slot = start(1);
  assert_int_equal(slot, 1);
  assert_int_equal(threads[1].serial, 1);
  assert_int_equal(threads[1].native_id, 1001);
  assert_int_equal(threads[1].start_mono_ns, 7);
  assert_memory_equal(threads[1].name, "worker", 7);
  rename_thread(slot, 1, "renamed", 7);
  assert_memory_equal(threads[1].name, "renamed", 8);
  end(slot, 1, 99);
  assert_int_equal(threads[1].end_mono_ns, 99);
  assert_int_equal(threads[1].flags, RTOP_THREAD_ENDED);
  assert_memory_equal(threads[1].name, "renamed", 8);
  assert_int_equal(threads[1].version, 6);
}

static void test_reused_in_the_order_of_ends(void **state)
{
  (void)state;
  for (uint64_t serial = 1; serial < SLOTS; serial++) assert_int_equal(start(serial), serial);
  assert_int_equal(start(21), 0);
  assert_int_equal(slots.overflowed, 1);
  end(2, 2, 10);
  end(3, 3, 11);
  end(1, 1, 12);
  assert_int_equal(start(22), 2);
  assert_int_equal(start(23), 3);
  end(2, 22, 13);
  assert_int_equal(start(24), 1);
  assert_int_equal(start(25), 2);
  assert_int_equal(start(26), 0);
  assert_int_equal(threads[2].serial, 25);
  assert_int_equal(threads[2].end_mono_ns, 0);
  assert_int_equal(threads[2].flags, 0);
  assert_int_equal(slots.serial_max, 26);
}

/* Threads that come and go take no slots from those that will stay, and the last ones that ended keep theirs. */
static void test_slots_never_used_are_spared(void **state)
{
  (void)state;
  for (uint64_t serial = 1; serial <= KEPT + 1; serial++) {
    assert_int_equal(start(serial), serial);
    end((uint32_t)serial, serial, (int64_t)serial);
  }
  assert_int_equal(start(20), 1);
  assert_int_equal(threads[KEPT + 1].serial, KEPT + 1);
  for (uint64_t serial = 21; serial < 21 + SLOTS - KEPT - 2; serial++)
    assert_int_equal(start(serial), KEPT + 2 + serial - 21);
  assert_int_equal(start(50), 2);
  assert_int_equal(slots.overflowed, 0);
}

static void test_only_the_living_owner_changes_a_slot(void **state)
{
  (void)state;
  struct rtop_thread_entry before;
  start(1);
  before = threads[1];
  end(1, 2, 5);
  rename_thread(1, 2, "x", 1);
  end(2, 1, 5);
  end(SLOTS, 1, 5);
  end(UINT32_MAX, 1, 5);
  assert_memory_equal(&threads[1], &before, sizeof before);
  end(1, 1, 5);
  end(1, 1, 6);
  rename_thread(1, 1, "x", 1);
  assert_int_equal(threads[1].end_mono_ns, 5);
  assert_int_equal(slots.ended_count, 1);
}

static void test_thousands_of_short_threads(void **state)
{
  (void)state;
  for (uint64_t serial = 1; serial <= 5000; serial++) {
    uint32_t slot = start(serial);
    assert_int_equal(slot, (serial - 1) % (KEPT + 1) + 1);
    assert_int_equal(threads[slot].serial, serial);
    assert_int_equal(threads[slot].version % 2, 0);
    end(slot, serial, 1);
  }
  assert_int_equal(slots.overflowed, 0);
}

static void test_long_name_is_cut_at_a_character(void **state)
{
  (void)state;
  char name[200];
  memset(name, 'n', sizeof name);
  memcpy(name + 79, "\xc3\xa4", 2);
  struct rtop_thread_entry thread = { .serial = 1 };
  uint32_t slot = thread_slots_start(&slots, &thread, name, sizeof name);
  thread_slots_flush(&slots);
  assert_int_equal(threads[slot].name_bytes, 79);
  assert_memory_equal(threads[slot].name, name, 79);
  assert_int_equal(threads[slot].name[79], 0);
  rename_thread(slot, 1, name, 0);
  assert_int_equal(threads[slot].name_bytes, 0);
  assert_int_equal(threads[slot].name[0], 0);
}

static void test_native_id_known_later(void **state)
{
  (void)state;
  uint32_t slot = start(1);
  thread_slots_native_id(&slots, slot, 1, 4711);
  thread_slots_flush(&slots);
  assert_int_equal(threads[slot].native_id, 4711);
  thread_slots_native_id(&slots, slot, 2, 5);
  thread_slots_flush(&slots);
  assert_int_equal(threads[slot].native_id, 4711);
  end(slot, 1, 9);
  thread_slots_native_id(&slots, slot, 1, 5);
  thread_slots_flush(&slots);
  assert_int_equal(threads[slot].native_id, 4711);
}

static void test_damaged_segment_is_not_believed(void **state)
{
  (void)state;
  start(1);
  memset(threads, 0xff, SLOTS * sizeof threads[0]);
  assert_int_equal(start(2), 2);
  end(1, 1, 4);
  assert_int_equal(threads[1].serial, 1);
  assert_int_equal(threads[1].version, 4);
}

static void test_many_changes_are_one_store(void **state)
{
  (void)state;
  uint32_t slot = start(1);
  for (char letter = 'a'; letter <= 'z'; letter++) thread_slots_name(&slots, slot, 1, &letter, 1);
  assert_memory_equal(threads[slot].name, "worker", 7);
  thread_slots_flush(&slots);
  assert_memory_equal(threads[slot].name, "z", 2);
  assert_int_equal(threads[slot].version, 4);
  thread_slots_flush(&slots);
  assert_int_equal(threads[slot].version, 4);
}

#define SLOT_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
    SLOT_TEST(test_slot_of_the_others),          SLOT_TEST(test_life_of_a_thread),
    SLOT_TEST(test_reused_in_the_order_of_ends), SLOT_TEST(test_only_the_living_owner_changes_a_slot),
    SLOT_TEST(test_thousands_of_short_threads),  SLOT_TEST(test_long_name_is_cut_at_a_character),
    SLOT_TEST(test_native_id_known_later),       SLOT_TEST(test_damaged_segment_is_not_believed),
    SLOT_TEST(test_many_changes_are_one_store),  SLOT_TEST(test_slots_never_used_are_spared),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
