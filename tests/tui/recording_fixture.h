/* A made-up life of one or two processes, the same in every run: windows, gaps, late records, marks,
 * threads that come and go, methods that are met later, labels that are completed. */
#ifndef RTOP_TESTS_RECORDING_FIXTURE_H
#define RTOP_TESTS_RECORDING_FIXTURE_H

#include "model_fixture.h"
#include "shm/base/error.h"
#include "tui/feed/feed.h"
#include "tui/recording/recording_write.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LIFE_WINDOW_NS = 100000000, LIFE_THREADS = 4, LIFE_NODES_MAX = 64 };

struct life {
  struct rtop_profile *profile;
  struct rtop_window window;
  uint64_t random;
  uint32_t nodes[LIFE_NODES_MAX];
  uint32_t node_count;
  uint32_t unsampled;
  uint32_t plain; /* a frame whose label is completed later */
  int64_t now_ns;
  int step;
};

FIXTURE uint32_t life_random(struct life *life, uint32_t below)
{
  life->random = life->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(life->random >> 33) % below;
}

FIXTURE void life_meet_method(struct life *life)
{
  struct rtop_symbols *symbols = rtop_profile_symbols(life->profile);
  char label[64], path[64];
  if (life->node_count == LIFE_NODES_MAX) return;
  snprintf(label, sizeof label, "Order%u#call%u", life->node_count % 7, life->node_count);
  snprintf(path, sizeof path, "/app/models/order%u.rb", life->node_count % 7);
  uint32_t parent = life->node_count ? life->nodes[life_random(life, life->node_count)] : 0;
  uint32_t frame = fixture_frame(symbols, label, path, life->node_count + 1);
  uint32_t node = rtop_symbols_node(symbols, parent, frame, life->node_count + 2);
  life->nodes[life->node_count++] = node;
}

FIXTURE void life_start(struct life *life, struct rtop_profile *profile)
{
  memset(life, 0, sizeof *life);
  life->profile = profile;
  life->random = 42;
  life->now_ns = 1000 * MS;
  struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  life->plain = fixture_frame(symbols, "sleep", "", 0);
  for (int i = 0; i < 5; i++) life_meet_method(life);
  life->unsampled = fixture_unsampled(symbols);
  life->nodes[life->node_count++] = rtop_symbols_node(symbols, life->nodes[2], life->plain, 0);
}

FIXTURE void life_cells(struct life *life, uint32_t thread, uint64_t left_ns)
{
  while (left_ns > 0) {
    uint64_t part_ns = 1 + life_random(life, 40000000);
    part_ns = part_ns < left_ns ? part_ns : left_ns;
    /* In this order with every compiler: the recordings that are kept have it. */
    uint32_t state = life_random(life, RTOP_STATES), node = life->nodes[life_random(life, life->node_count)];
    struct rtop_cell *cell = fixture_cell(&life->window, thread, node, state, part_ns);
    cell->cpu_ns = part_ns / 2;
    cell->allocations = life_random(life, 100);
    cell->blame_ns = life_random(life, 1000);
    left_ns -= part_ns;
  }
}

/* Thread 0 runs for three windows, and nobody sees what; what it does most of that time becomes known in the
 * fourth. */
FIXTURE void life_unsampled(struct life *life, uint32_t thread)
{
  struct rtop_window_thread *row = &life->window.threads[thread];
  if (life->step % 10 == 3) {
    struct rtop_late *late = fixture_late(&life->window, thread, life->nodes[4], RTOP_RUNNING,
                                          life->now_ns - 2 * LIFE_WINDOW_NS - 25 * MS, 2 * LIFE_WINDOW_NS + 25 * MS);
    late->cell.cpu_ns = late->cell.wall_ns;
    life_cells(life, thread, LIFE_WINDOW_NS);
    return;
  }
  row->state = RTOP_RUNNING;
  row->flags |= RTOP_WINDOW_THREAD_STALE;
  row->stack_age_ns = (uint64_t)(life->step % 10 + 1) * LIFE_WINDOW_NS;
  fixture_cell(&life->window, thread, life->unsampled, RTOP_RUNNING, LIFE_WINDOW_NS)->cpu_ns = LIFE_WINDOW_NS;
}

/* One window of one source. Now and then thread 1 is without a safepoint, as it was told before version 1.2 of the
 * channel: three windows later it is known what it did. */
FIXTURE void life_window(struct life *life, uint32_t source)
{
  struct rtop_window *window = &life->window;
  bool open = life->step % 10 >= 4 && life->step % 10 <= 6;
  fixture_window(window, life->now_ns, life->now_ns + LIFE_WINDOW_NS);
  for (uint64_t i = 0; i < LIFE_THREADS; i++) {
    uint64_t serial = i < 2 ? i + 1 : i + 1 + (uint64_t)(life->step / 25) * 2;
    bool provisional = open && i == 1;
    uint32_t node = life->nodes[life_random(life, life->node_count)];
    uint32_t thread = fixture_thread(window, serial, provisional ? RTOP_RUNNING : life_random(life, RTOP_STATES), node,
                                     provisional ? LIFE_WINDOW_NS : 0);
    window->threads[thread].state_age_ns = life_random(life, 1000000);
    if (i >= 2 && life->step % 25 == 24) window->threads[thread].flags |= RTOP_WINDOW_THREAD_ENDED;
    if (i == 0 && life->step % 10 < 4) life_unsampled(life, thread);
    else if (!provisional) life_cells(life, thread, LIFE_WINDOW_NS);
  }
  if (life->step % 10 == 7) {
    struct rtop_late *late =
        fixture_late(window, 1, life->nodes[3], RTOP_BLOCKED, life->now_ns - 3 * LIFE_WINDOW_NS, 3 * LIFE_WINDOW_NS);
    late->cell.cpu_ns = 12345;
    late->cell.samples = 7;
  }
  rtop_window_set_counter(window, RTOP_COUNTER_SAMPLES, life_random(life, 100));
  rtop_window_set_counter(window, RTOP_COUNTER_GC_MINOR, life_random(life, 3));
  rtop_window_set_counter(window, RTOP_COUNTER_RSS_BYTES, 1000000 + life_random(life, 1000));
  fixture_add(life->profile, source, window);
}

/* 100 ms of `sources` processes. */
FIXTURE void life_step(struct life *life, uint32_t sources)
{
  if (life->step % 7 == 3) life_meet_method(life);
  if (life->step == 30)
    rtop_symbols_relabel(rtop_profile_symbols(life->profile), life->plain, "Kernel#sleep", 12, "Kernel", 6);
  if (life->step % 20 == 11) rtop_profile_add_mark(life->profile, 0, life->now_ns + 5, "deploy", 6);
  for (uint32_t source = 0; source < sources; source++) life_window(life, source);
  life->now_ns += LIFE_WINDOW_NS;
  if (life->step % 40 == 38) {
    rtop_profile_add_gap(life->profile, 0, life->now_ns, life->now_ns + 3 * LIFE_WINDOW_NS);
    life->now_ns += 3 * LIFE_WINDOW_NS;
  }
  life->step++;
}

FIXTURE void life_end(struct life *life)
{
  rtop_window_destroy(&life->window);
  rtop_profile_destroy(&life->profile);
}

static const struct rtop_feed_info life_info[2] = {
  { .pid = 4711,
    .command = "puma 6.4 [app]",
    .ruby = "3.3.8",
    .folder = "/srv/app",
    .window_ns = LIFE_WINDOW_NS,
    .clock_offset_ns = INT64_C(1700000000000000000),
    .started_real_ns = INT64_C(1700000000500000000) },
  { .pid = 4712,
    .command = "puma: cluster worker 1",
    .ruby = "3.3.8",
    .window_ns = LIFE_WINDOW_NS,
    .clock_offset_ns = INT64_C(1700000000000000000),
    .started_real_ns = INT64_C(1700000000600000000) },
};

/* A recording of so many steps, made as it comes; the profile says what must be in it. */
FIXTURE struct life life_record(const char *path, int steps, uint32_t sources, uint64_t bytes_max)
{
  struct life life;
  struct rtop_error error = { 0 };
  life_start(&life, rtop_profile_create(256 << 20));
  struct rtop_recorder *recorder = rtop_recorder_create(path, life.profile, bytes_max, &error);
  if (!recorder) fail_msg("%s", error.text);
  for (uint32_t i = 0; i < sources; i++) rtop_recorder_source(recorder, i, &life_info[i]);
  for (int i = 0; i < steps; i++) life_step(&life, sources);
  rtop_recorder_ended(recorder, 0, RTOP_FEED_ENDED);
  if (!rtop_recorder_close(&recorder, &error)) fail_msg("%s", error.text);
  return life;
}

struct replayed {
  struct rtop_profile *profile;
  struct rtop_feed *feeds[8];
  int count;
};

/* False: it does not open; error says why. */
FIXTURE bool replay_open_within(struct replayed *replayed, const char *path, uint64_t memory_bytes,
                                struct rtop_error *error)
{
  enum rtop_feed_state state;
  replayed->profile = rtop_profile_create(memory_bytes);
  replayed->count = rtop_feed_open_recording(path, replayed->profile, replayed->feeds, 8, error);
  for (int i = 0; i < replayed->count; i++) rtop_feed_poll(replayed->feeds[i], replayed->profile, &state);
  return replayed->count > 0;
}

FIXTURE bool replay_open(struct replayed *replayed, const char *path, struct rtop_error *error)
{
  return replay_open_within(replayed, path, 256 << 20, error);
}

FIXTURE void replay_close(struct replayed *replayed)
{
  for (int i = 0; i < replayed->count; i++) rtop_feed_close(&replayed->feeds[i]);
  rtop_profile_destroy(&replayed->profile);
}

FIXTURE void replay_text(char *out, size_t bytes, const struct rtop_symbols *symbols, uint32_t node)
{
  size_t used = 0;
  out[0] = '\0';
  while (node != 0 && used < bytes) {
    const struct rtop_call_node *call = rtop_symbols_get_node(symbols, node);
    const struct rtop_symbol *symbol = rtop_symbols_get(symbols, call->frame);
    used += (size_t)snprintf(out + used, bytes - used, "%s(%s:%u:%d)@%u;", symbol->label, symbol->path, symbol->line,
                             (int)symbol->kind, call->line);
    node = call->parent;
  }
}

/* Everything that a sum says, in words: one line per cell and thread. Caller frees. */
FIXTURE int replay_compare_lines(const void *left, const void *right)
{
  return strcmp(*(char *const *)left, *(char *const *)right);
}

FIXTURE char *replay_print(const struct rtop_profile *profile, struct rtop_span span)
{
  struct rtop_sum sum = { 0 };
  char stack[2048], *text = NULL, **lines;
  size_t bytes = 0;
  const struct rtop_symbols *symbols = rtop_profile_symbols((struct rtop_profile *)profile);
  assert_true(rtop_profile_sum(profile, span, &sum));
  lines = calloc(sum.cell_count + sum.thread_count + 1, sizeof *lines);
  size_t count = 0;
  for (size_t i = 0; i < sum.cell_count; i++) {
    const struct rtop_sum_cell *cell = &sum.cells[i];
    const struct rtop_thread_row *thread = &sum.threads[cell->thread];
    replay_text(stack, sizeof stack, symbols, cell->node);
    assert_true(asprintf(&lines[count++], "cell %u/%llu %s %llu %llu %llu %llu %llu | %llu %llu %llu %llu\n",
                         thread->source, (unsigned long long)thread->serial, stack,
                         (unsigned long long)cell->cost.wall_ns[0], (unsigned long long)cell->cost.wall_ns[1],
                         (unsigned long long)cell->cost.wall_ns[2], (unsigned long long)cell->cost.wall_ns[3],
                         (unsigned long long)cell->cost.wall_ns[4], (unsigned long long)cell->cost.cpu_ns,
                         (unsigned long long)cell->cost.blame_ns, (unsigned long long)cell->cost.allocations,
                         (unsigned long long)cell->cost.samples) > 0);
  }
  for (size_t i = 0; i < sum.thread_count; i++) {
    const struct rtop_thread_row *thread = &sum.threads[i];
    replay_text(stack, sizeof stack, symbols, thread->node);
    assert_true(asprintf(&lines[count++], "thread %u/%llu %s %u %d %d %d %llu %d %s\n", thread->source,
                         (unsigned long long)thread->serial, thread->name, thread->native_id, thread->is_main,
                         thread->ended, (int)thread->state, (unsigned long long)thread->state_age_ns, thread->stale,
                         stack) > 0);
  }
  qsort(lines, count, sizeof *lines, replay_compare_lines);
  FILE *out = open_memstream(&text, &bytes);
  fprintf(out, "span %lld %lld length %llu windows %u gaps %u samples %llu gc %llu rss %llu\n",
          (long long)sum.span.start_ns, (long long)sum.span.end_ns, (unsigned long long)sum.length_ns, sum.window_count,
          sum.gap_count, (unsigned long long)sum.counters.samples, (unsigned long long)sum.counters.gc_minor,
          (unsigned long long)sum.counters.rss_bytes);
  for (size_t i = 0; i < count; i++) {
    fputs(lines[i], out);
    free(lines[i]);
  }
  fclose(out);
  free(lines);
  rtop_sum_destroy(&sum);
  return text;
}

FIXTURE void replay_assert_same(const struct rtop_profile *one, const struct rtop_profile *other, struct rtop_span span)
{
  char *left = replay_print(one, span), *right = replay_print(other, span);
  assert_string_equal(left, right);
  free(left);
  free(right);
}

/* A folder of the test's own; its files go with it. */
static char recording_folder[64];
FIXTURE int recording_folder_make(void **state)
{
  (void)state;
  strcpy(recording_folder, "/tmp/rtop-recording-XXXXXX");
  return mkdtemp(recording_folder) ? 0 : -1;
}

FIXTURE int recording_folder_remove(void **state)
{
  char command[96];
  (void)state;
  snprintf(command, sizeof command, "rm -rf '%s'", recording_folder);
  return system(command);
}

FIXTURE const char *recording_path(const char *name)
{
  static char path[128];
  assert_true(*recording_folder); /* made by the set-up of the group */
  snprintf(path, sizeof path, "%s/%s", recording_folder, name);
  return path;
}

FIXTURE unsigned char *recording_load_file(const char *path, size_t *bytes)
{
  struct stat status;
  FILE *in = fopen(path, "r");
  assert_non_null(in);
  assert_int_equal(fstat(fileno(in), &status), 0);
  unsigned char *content = malloc((size_t)status.st_size + 1);
  *bytes = fread(content, 1, (size_t)status.st_size, in);
  assert_int_equal(*bytes, status.st_size);
  fclose(in);
  return content;
}

FIXTURE void recording_save_file(const char *path, const void *content, size_t bytes)
{
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  assert_int_equal(fwrite(content, 1, bytes, out), bytes);
  assert_int_equal(fclose(out), 0);
}

#endif
