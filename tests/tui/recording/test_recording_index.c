#include "tests/tui/model_fixture.h"
#include "tui/recording/recording_index.h"
#include <stdlib.h>

enum { INDEX_CHUNKS = 5, INDEX_WINDOWS = 3 };
static const uint64_t index_at = 100000;

static void fill(struct recording_index *index)
{
  for (uint32_t i = 0; i < INDEX_CHUNKS; i++) {
    for (uint32_t k = 0; k < INDEX_WINDOWS; k++) {
      struct recording_known *known = recording_index_add_known(index);
      *known = (struct recording_known){
        .source = k,
        .gap = k == 2,
        .start_ns = (i * 10 + k) * 100 * MS,
        .end_ns = (i * 10 + k + 1) * 100 * MS,
      };
      if (known->gap) continue;
      known->thread_count = 7 + i;
      known->wall_ns[RTOP_STATE_BLOCKED] = 12345678 + i;
      known->counters_present = UINT64_C(1) << RTOP_COUNTER_SAMPLES | UINT64_C(1) << 63;
      known->counters[RTOP_COUNTER_SAMPLES] = 99;
      known->counters[63] = UINT64_MAX;
    }
    struct recording_chunk *chunk = recording_index_add_chunk(index);
    chunk->position = 64 + i * 1000;
    chunk->known_start -= INDEX_WINDOWS;
    chunk->known_count = INDEX_WINDOWS;
    chunk->head = (struct recording_chunk_head){
      .number = i + 1,
      .window_count = INDEX_WINDOWS,
      .names_bytes = i,
      .names_raw_bytes = i * 3,
      .windows_bytes = 900,
      .windows_raw_bytes = 1500,
      .start_ns = i * 1000 * MS,
      .end_ns = (i + 1) * 1000 * MS,
      .late_ns = i == 3 ? 5 : INT64_MAX,
    };
  }
}

static void test_there_and_back(void **state)
{
  (void)state;
  struct recording_index index = { 0 }, back = { 0 };
  struct recording_bytes out = { 0 };
  fill(&index);
  recording_put(&out, "before", 6);
  assert_true(recording_index_encode(&index, index_at, &out));
  assert_true(recording_index_decode(&back, out.data + 6, out.count - 6, index_at));
  assert_int_equal(back.chunk_count, INDEX_CHUNKS);
  assert_int_equal(back.known_count, INDEX_CHUNKS * INDEX_WINDOWS);
  assert_memory_equal(back.known, index.known, back.known_count * sizeof *back.known);
  for (size_t i = 0; i < INDEX_CHUNKS; i++)
    assert_memory_equal(&back.chunks[i], &index.chunks[i], sizeof back.chunks[i]);
  /* Somewhere else in a file it tells of chunks that stand as far before it. */
  assert_true(recording_index_decode(&back, out.data + 6, out.count - 6, index_at + 500));
  assert_int_equal(back.chunks[INDEX_CHUNKS].position, 564);
  assert_int_equal(back.chunks[INDEX_CHUNKS].known_start, INDEX_CHUNKS * INDEX_WINDOWS);
  recording_index_destroy(&index);
  recording_index_destroy(&back);
  recording_bytes_destroy(&out);
}

/* What does not make sense leaves nothing behind. */
static void test_damage(void **state)
{
  (void)state;
  struct recording_index index = { 0 }, back = { 0 };
  struct recording_bytes out = { 0 };
  fill(&index);
  assert_true(recording_index_encode(&index, index_at, &out));
  assert_false(recording_index_decode(&back, out.data, out.count, 10)); /* chunks before the file */
  assert_false(recording_index_decode(&back, out.data, out.count - 1, index_at));
  for (size_t at = 0; at < out.count; at++) {
    out.data[at] ^= 1;
    assert_false(recording_index_decode(&back, out.data, out.count, index_at));
    recording_seal(out.data, out.count, RECORDING_TAG_INDEX); /* as an enemy would */
    size_t chunks = back.chunk_count;
    if (!recording_index_decode(&back, out.data, out.count, index_at)) assert_int_equal(back.chunk_count, chunks);
    out.data[at] ^= 1;
    recording_seal(out.data, out.count, RECORDING_TAG_INDEX);
  }
  recording_index_destroy(&index);
  recording_index_destroy(&back);
  recording_bytes_destroy(&out);
}

static void test_windows_without_a_chunk_stay(void **state)
{
  (void)state;
  struct recording_index index = { 0 };
  recording_index_written(&index);
  fill(&index);
  recording_index_add_known(&index)->source = 42;
  recording_index_written(&index);
  assert_int_equal(index.chunk_count, 0);
  assert_int_equal(index.known_count, 1);
  assert_int_equal(index.known[0].source, 42);
  recording_index_destroy(&index);
}

static void test_what_a_window_says(void **state)
{
  (void)state;
  struct rtop_window window = { 0 };
  struct recording_known known = { 0 };
  fixture_window(&window, 100 * MS, 200 * MS);
  uint32_t one = fixture_thread(&window, 1, RTOP_RUNNING, 1, 30 * MS);
  uint32_t two = fixture_thread(&window, 2, RTOP_BLOCKED, 1, 0);
  window.threads[two].flags |= RTOP_WINDOW_THREAD_ENDED;
  fixture_cell(&window, one, 1, RTOP_RUNNING, 70 * MS);
  fixture_cell(&window, two, 1, RTOP_BLOCKED, 100 * MS);
  rtop_window_set_counter(&window, RTOP_COUNTER_GC_MAJOR, 2);
  recording_known_fill(&known, 3, &window);
  assert_int_equal(known.source, 3);
  assert_int_equal(known.thread_count, 1);
  assert_int_equal(known.wall_ns[RTOP_STATE_RUNNING], 100 * MS);
  assert_int_equal(known.wall_ns[RTOP_STATE_BLOCKED], 100 * MS);
  assert_int_equal(known.counters[RTOP_COUNTER_GC_MAJOR], 2);
  assert_int_equal(known.end_ns, 200 * MS);
  rtop_window_destroy(&window);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_there_and_back),
    cmocka_unit_test(test_damage),
    cmocka_unit_test(test_windows_without_a_chunk_stay),
    cmocka_unit_test(test_what_a_window_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
