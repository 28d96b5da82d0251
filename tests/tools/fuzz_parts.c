/* fuzz_parts FOLDER
 *
 * Windows with each part there is, and with all of them, where fuzzing begins: made by the encoder, and as a process that
 * parses for root would answer with them, and in a recording. Writes FOLDER/fuzz_NAME/part-…; the same in every run but for
 * the times in recordings. tests/fuzz/seeds makes what needs no encoder.
 */
#include "shm/base/error.h"
#include "shm/base/format.h"
#include "shm/window/window_lists.h"
#include "shm/window/window_parts.h"
#include "tui/feed/segment_port_impl.h"
#include "tui/recording/recording_write.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PARTS_NODES = 40, PARTS_BYTES = 1 << 16, PARTS_MANY = 300, PARTS_THREADS = 4 };

static const char *folder;
static int64_t begin_ns, end_ns; /* of the window at hand */

static void stop(const char *what)
{
  perror(what);
  exit(1);
}

static void seed(const char *target, const char *name, const void *bytes, size_t count)
{
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, target);
  mkdir(path, 0777);
  snprintf(path, sizeof path, "%s/%s/part-%s", folder, target, name);
  FILE *file = fopen(path, "w");
  if (!file || fwrite(bytes, 1, count, file) != count || fclose(file) != 0) stop(path);
}

/* ---- what each part holds ---------------------------------------------------------------------------- */

/* A value that the column's check allows, and that obeys the rules among the fields of a row: sums are large, everything
 * else is small. */
static uint64_t value_of(const struct window_column *column, uint64_t row)
{
  switch (column->check) {
  case WINDOW_NODE: return 4 + row * 3 % (PARTS_NODES - 4);
  case WINDOW_PAST:
  case WINDOW_SINCE: return (uint64_t)end_ns;
  case WINDOW_STRING:
  case WINDOW_SPAN: return row * 1000;
  case WINDOW_STATE: return row % RTOP_STATE_COUNT;
  case WINDOW_SLOT:
  case WINDOW_ROW: return row % PARTS_THREADS;
  case WINDOW_LABEL:
  case WINDOW_ANY: return row % 4;
  default: return 50 + row; /* of a sum */
  }
}

/* Adds rows of a list, or gives those that it has further columns; threads come first, since others refer to them. */
static void add_part(struct rtop_window *window, enum rtop_window_part kind)
{
  const struct window_part *part = &window_parts[kind];
  if (kind != RTOP_PART_THREADS && window->thread_count == 0) add_part(window, RTOP_PART_THREADS);
  for (unsigned list = kind; part->is_more && *window_count(window, part) == 0 && --list > 0;)
    if (!window_parts[list].is_more && window_parts[list].array == part->array) add_part(window, list);
  size_t before = *window_count(window, part), count = part->is_more ? before : before + PARTS_THREADS;
  if (!window_grow(window, part, count)) stop("memory");
  *window_count(window, part) = count;
  char *rows = window_rows(window, part);
  if (!part->is_more) memset(rows + before * part->row_bytes, 0, (count - before) * part->row_bytes);
  for (size_t i = part->is_more ? 0 : before; i < count; i++)
    for (const struct window_column *column = part->columns; column->bytes; column++)
      window_set_field(rows + i * part->row_bytes, column, value_of(column, i + 1));
}

static void add_counters(struct rtop_window *window)
{
  for (unsigned id = RTOP_COUNTER_SAMPLES; id <= RTOP_COUNTER_RAISES_UNTOLD; id++)
    rtop_window_set_counter(window, (enum rtop_counter_id)id, id * 3);
}

static void add_number(struct rtop_window *window, uint32_t node, uint32_t what, uint32_t key, uint64_t value)
{
  *rtop_window_add_exact(window) = (struct rtop_exact){ node, what, key, value };
}

static void add_exact(struct rtop_window *window)
{
  for (uint32_t what = RTOP_EXACT_STATE; what < RTOP_EXACT_WHAT_END; what++)
    add_number(window, 5, what, what == RTOP_EXACT_TOTAL_TIMES ? 90 : 0, what == RTOP_EXACT_STATE ? RTOP_TRACE_ON : 3);
  add_number(window, 0, RTOP_EXACT_STATE, 12345, RTOP_TRACE_WAITS);
  add_number(window, 6, RTOP_EXACT_CALLER, 0, 2);
  for (uint32_t what = RTOP_WORK_ENDED; what < RTOP_WORK_WHAT_END; what++)
    for (uint32_t cause = 0; cause < 3; cause++)
      add_number(window, 30, what, rtop_work_key(0, cause, what == RTOP_WORK_TIMES ? 900 : 0), 3);
}

static void add_slow(struct rtop_window *window)
{
  add_exact(window);
  for (uint32_t i = 0; i < 5; i++)
    *rtop_window_add_slow(window) =
        (struct rtop_slow){ end_ns - i, 1 + i % 2, 5,  10 + i, i % 2 ? RTOP_SLOW_RAISED : 0, 900 + i, 400, 30,
                            20,         0,         "", { 0 } };
}

/* Of some labels of a set, and of none; the last one of another writer's. */
static void add_block_rows(struct rtop_window *window)
{
  for (uint32_t i = 0; i < 4; i++) {
    const uint32_t own = i == 3 ? 0x8000 : i;
    struct rtop_slow *slow = rtop_window_add_slow(window);
    *slow = (struct rtop_slow){ .end_mono_ns = end_ns - i,
                                .serial = 1 + i % 2,
                                .node = 30,
                                .stack = 30,
                                .flags = RTOP_SLOW_BLOCK | own << RTOP_SLOW_LABELS_SHIFT,
                                .total_ns = 5000 + i };
    slow->work_ns[RTOP_WORK_RUNNING] = 1000;
    slow->work_ns[RTOP_WORK_GVL + i] = 4000 + i;
  }
}

static void add_blocks(struct rtop_window *window)
{
  add_slow(window);
  add_block_rows(window);
}

static void set_args(struct rtop_slow *slow, const char *args)
{
  slow->args_bytes = (uint32_t)strlen(args);
  memcpy(slow->args, args, slow->args_bytes);
}

/* Some without, one as long as can be, one that is no text. */
static void add_args(struct rtop_window *window)
{
  char longest[RTOP_ARGS_BYTES + 1];
  memset(longest, 'x', RTOP_ARGS_BYTES);
  longest[RTOP_ARGS_BYTES] = '\0';
  const char *const args[] = { "id: 7, filter: Hash(3)", "", longest, "a: \033[2J\xff\xe2\x80\xae", "…" };
  add_slow(window);
  for (size_t i = 0; i < sizeof args / sizeof args[0]; i++) set_args(&window->slow[i], args[i]);
}

static void add_whole(struct rtop_window *window)
{
  add_number(window, 0, RTOP_WHOLE_STATE, 1, RTOP_WHOLE_DONE);
  add_number(window, 0, RTOP_WHOLE_TRACED_NS, 0, 1000);
  add_number(window, 0, RTOP_WHOLE_OWN_NS, 0, 60);
  add_number(window, 0, RTOP_WHOLE_UNTIMED, 0, 2);
  add_number(window, 0, RTOP_WHOLE_UNNAMED, 0, 1);
  for (uint32_t node = 4; node < 20; node++) {
    add_number(window, node, RTOP_WHOLE_CALLS, 0, node);
    add_number(window, node, RTOP_WHOLE_TOTAL_NS, 0, 1000 - 40 * node);
    add_number(window, node, RTOP_WHOLE_SELF_NS, 0, 40);
  }
}

static void add_sites(struct rtop_window *window)
{
  add_number(window, 0, RTOP_SITES_STATE, 1, RTOP_SITES_DONE);
  for (uint32_t sum = 0; sum < RTOP_SITES_SUM_END; sum++) add_number(window, 0, RTOP_SITES_SUM, sum, 1000 - 90 * sum);
  for (uint32_t node = 32; node < 35; node++) {
    for (uint32_t what = RTOP_SITES_OBJECTS; what < RTOP_SITES_ALIVE; what++)
      add_number(window, node, what, 0, 7 * what);
    add_number(window, node, RTOP_SITES_OBJECTS, 1, 90);
    for (uint32_t key = 0; key <= RTOP_SITES_LIVE_BYTES; key++) add_number(window, node, RTOP_SITES_ALIVE, key, 50);
  }
  add_number(window, RTOP_NODE_FOLDED, RTOP_SITES_OBJECTS, 0, 3);
}

/* One waits for another in a circle, one for a queue. */
static void add_locks(struct rtop_window *window)
{
  add_part(window, RTOP_PART_THREADS);
  for (uint32_t i = 0; i < 3; i++) {
    window->threads[i].lock_kind = i == 1 ? RTOP_LOCK_MONITOR : RTOP_LOCK_MUTEX;
    window->threads[i].lock = i + 1;
    window->threads[i].lock_holder = (i + 1) % 3 + 1;
  }
  window->threads[3].lock_kind = RTOP_LOCK_QUEUE;
  window->threads[3].lock = 4;
}

/* More than fits into half of their bytes: folding. */
static void add_many(struct rtop_window *window)
{
  add_locks(window);
  for (uint32_t i = PARTS_MANY; i > 0; i--) {
    *rtop_window_add_begun(window) = (struct rtop_begun){ i % PARTS_NODES, i % 8, i };
    *rtop_window_add_fibers(window) = (struct rtop_fibers){ 1 + i % 4, i % 7, i % PARTS_NODES, 2, 1, i * 50000, i };
    add_number(window, i % PARTS_NODES, RTOP_EXACT_TOTAL_TIMES, i % 200, i);
    *rtop_window_add_slow(window) =
        (struct rtop_slow){ end_ns, i, i % PARTS_NODES, 3, 0, i * 7, i, 0, 0, 0, "", { 0 } };
    set_args(&window->slow[window->slow_count - 1], "id: 7, name: \"a customer\", filter: Hash(3)");
    *rtop_window_add_raised(window) = (struct rtop_raised){ begin_ns, end_ns, i, 35, i % PARTS_NODES, i % 9 };
    *rtop_window_add_pair(window) = (struct rtop_behind){ i % PARTS_NODES, i % 7, i % 4, 3, i, i * 5000 };
  }
}

static void add_all(struct rtop_window *window)
{
  add_counters(window);
  add_locks(window);
  add_args(window);
  add_block_rows(window);
  add_whole(window);
  add_sites(window);
#define LIST(kind, number, array, one, ...)                                                                            \
  if (window->one##_count == 0) add_part(window, RTOP_PART_##kind);
#include "shm/base/parts.def"
}

/* Each part of parts.def, then what only some values of these make. */
static const struct {
  const char *name;
  enum rtop_window_part kind; /* or 0 */
  void (*add)(struct rtop_window *window);
} parts[] = {
#define LIST(kind, ...) { #kind, RTOP_PART_##kind, NULL },
#define MORE LIST
#include "shm/base/parts.def"
  { "COUNTERS", 0, add_counters }, { "figures", 0, add_exact }, { "calls", 0, add_slow }, { "whole", 0, add_whole },
  { "sites", 0, add_sites },       { "circle", 0, add_locks },  { "texts", 0, add_args }, { "many", 0, add_many },
  { "blocks", 0, add_blocks },     { "all", 0, add_all },
};
enum { PARTS = sizeof parts / sizeof parts[0] };

static void make(struct rtop_window *window, size_t part, int64_t from_ns, int64_t to_ns)
{
  rtop_window_reset(window);
  window->start_mono_ns = begin_ns = from_ns;
  window->end_mono_ns = end_ns = to_ns;
  if (parts[part].kind) add_part(window, parts[part].kind);
  else parts[part].add(window);
}

static size_t encode(struct rtop_window *window, unsigned char *out)
{
  static unsigned char scratch[PARTS_BYTES];
  size_t bytes = rtop_window_encode(window, out, PARTS_BYTES, scratch);
  if (bytes == 0) stop("encode");
  return bytes;
}

/* ---- as the targets take them ------------------------------------------------------------------------ */

/* The codec, the size after it, when it starts; packed or not. */
static void seed_window(struct rtop_window *window, size_t part)
{
  unsigned char raw[PARTS_BYTES], out[4 + PARTS_BYTES];
  char name[32];
  make(window, part, 5000, 6000);
  size_t bytes = encode(window, raw);
  out[0] = RTOP_CODEC_RAW;
  out[1] = (unsigned char)(bytes >> 8);
  out[2] = (unsigned char)bytes;
  out[3] = 5;
  memcpy(out + 4, raw, bytes);
  seed("fuzz_window", parts[part].name, out, 4 + bytes);
  uint32_t codec;
  size_t stored = rtop_window_compress(raw, bytes, out + 4, PARTS_BYTES, &codec);
  out[0] = (unsigned char)codec;
  snprintf(name, sizeof name, "%s-packed", parts[part].name);
  seed("fuzz_window", name, out, 4 + stored);
}

/* How the report is made, then for each window its length and its bytes: this part twice, and one with everything. */
static void seed_report(struct rtop_window *window, size_t part)
{
  static unsigned char out[4 * PARTS_BYTES], raw[PARTS_BYTES];
  const size_t order[] = { part, part, PARTS - 1 };
  size_t used = 0;
  char name[32];
  for (unsigned how = 0; how < 4; how++) {
    used = 0;
    out[used++] = (unsigned char)(how * 0x55);
    out[used++] = (unsigned char)(how * 3);
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
      make(window, order[i], (int64_t)(i + 1) * 100000000, (int64_t)(i + 2) * 100000000);
      size_t bytes = encode(window, raw);
      out[used++] = (unsigned char)(bytes >> 8);
      out[used++] = (unsigned char)bytes;
      memcpy(out + used, raw, bytes);
      used += bytes;
    }
    snprintf(name, sizeof name, "%s-%u", parts[part].name, how);
    seed("fuzz_report", name, out, used);
  }
}

struct answer_bytes {
  unsigned char bytes[4 * PARTS_BYTES]; /* windows as they are in memory */
  size_t count;
};

static void put(struct answer_bytes *out, const void *from, size_t bytes)
{
  if (bytes) memcpy(out->bytes + out->count, from, bytes);
  out->count += bytes;
}

static void put_answer(struct answer_bytes *out, uint64_t first, uint64_t second)
{
  const struct port_answer answer = { .values = { first, second } };
  put(out, &answer, sizeof answer);
}

static void put_window(struct answer_bytes *out, const struct rtop_window *window)
{
  struct port_window head = { .counters_present = window->counters_present,
                              .start_mono_ns = window->start_mono_ns,
                              .end_mono_ns = window->end_mono_ns,
                              .published = { .string_bytes = 4096, .frame_count = 500, .node_count = 4000 } };
  memcpy(head.counters, window->counters, sizeof head.counters);
  for (enum rtop_window_lists at = 0; at < RTOP_LISTS; at++)
    head.counts[at] = (uint32_t)rtop_window_list(window, at).count;
  put(out, &head, sizeof head);
  for (enum rtop_window_lists at = 0; at < RTOP_LISTS; at++) {
    struct rtop_window_list list = rtop_window_list(window, at);
    put(out, list.rows, list.count * list.row_bytes);
  }
  for (size_t i = 0; i < window->thread_count; i++) {
    struct port_thread thread = { .right = 1, .entry = { .serial = i + 1, .name_bytes = 4, .name = "main" } };
    put(out, &thread, sizeof thread);
  }
}

/* What is asked for is in the first byte: a window, or counters and then a window. */
static void seed_port(struct rtop_window *window, size_t part, bool looks)
{
  static struct answer_bytes out;
  const struct rtop_counters counters = {
    .head_sequence = 3, .string_bytes = 4096, .frame_count = 500, .node_count = 4000
  };
  char name[40];
  out.count = 0;
  out.bytes[out.count++] = looks ? 9 : 1;
  make(window, part, 100, 200);
  put_answer(&out, looks ? 0 : 100, looks ? 0 : 200);
  if (looks) {
    put(&out, &counters, sizeof counters);
    put_answer(&out, 1, 3);
    put_answer(&out, 100, 200);
  }
  put_answer(&out, 3, 0);
  put_answer(&out, 0, 0);
  put_window(&out, window);
  snprintf(name, sizeof name, "%s%s", looks ? "look-" : "", parts[part].name);
  seed("fuzz_port", name, out.bytes, out.count);
  snprintf(name, sizeof name, "%s%s-short", looks ? "look-" : "", parts[part].name);
  seed("fuzz_port", name, out.bytes, out.count * 7 / 8);
}

/* ---- a recording -------------------------------------------------------------------------------------- */

static void make_nodes(struct rtop_symbols *symbols, uint32_t *nodes)
{
  static const char *const spaces[] = { "(labels)", RTOP_FIBERS_NAMESPACE, RTOP_OBJECTS_NAMESPACE,
                                        RTOP_RAISED_NAMESPACE };
  static const uint32_t from[] = { 30, 31, 32, 35, 38 };
  for (uint32_t i = 1; i < PARTS_NODES; i++) {
    char label[32];
    uint32_t frame, kind = 0, parent = i > 5 && i % 3 ? nodes[i - 1] : 0;
    while (kind < 4 && !(i >= from[kind] && i < from[kind + 1])) kind++;
    snprintf(label, sizeof label, kind == 0 ? "job=a,user=%u" : "Shop#m%u", i);
    const char *space = kind < 4 ? spaces[kind] : "";
    frame = rtop_symbols_frame(symbols, label, strlen(label), kind < 4 ? "" : "/app/a.rb", kind < 4 ? 0 : 9, space,
                               strlen(space), i, kind < 4 ? RTOP_SYMBOL_SPECIAL : RTOP_SYMBOL_RUBY);
    nodes[i] = rtop_symbols_node(symbols, kind == 2 ? nodes[9] : kind < 4 ? 0 : parent, frame, i);
  }
}

static void record(struct rtop_profile *profile, struct rtop_window *window, size_t part, int count)
{
  uint32_t nodes[PARTS_NODES] = { 0 }, threads[64];
  make_nodes(rtop_profile_symbols(profile), nodes);
  for (int i = 0; i < count; i++) {
    make(window, part, (i + 1) * INT64_C(100000000), (i + 2) * INT64_C(100000000));
    for (size_t at = 0; at < window->thread_count; at++) {
      const struct rtop_source_thread thread = { .serial = window->threads[at].serial,
                                                 .name = "worker",
                                                 .name_bytes = 6 };
      threads[at] = rtop_profile_thread(profile, 0, &thread);
    }
    rtop_profile_add(profile, 0, window, nodes, PARTS_NODES, threads);
  }
}

static void seed_recording(struct rtop_window *window, size_t part)
{
  static unsigned char out[4 + (1 << 20)];
  char path[512], name[40];
  struct rtop_error error;
  const struct rtop_feed_info info = {
    .pid = 4711, .command = "app", .ruby = "3.3", .folder = "/", .window_ns = 100000000
  };
  struct rtop_profile *profile = rtop_profile_create(1 << 24);
  snprintf(path, sizeof path, "%s/parts.rpt", folder);
  struct rtop_recorder *recorder = rtop_recorder_create(path, profile, 0, &error);
  if (!recorder) stop(path);
  rtop_recorder_source(recorder, 0, &info);
  record(profile, window, part, 3);
  if (!rtop_recorder_close(&recorder, &error)) stop(error.text);
  rtop_profile_destroy(&profile);
  FILE *file = fopen(path, "r");
  size_t bytes = file ? fread(out + 4, 1, sizeof out - 4, file) : 0;
  if (bytes == 0) stop(path);
  fclose(file);
  unlink(path);
  memset(out, 0, 4);
  out[0] = 3; /* whole, as it is */
  seed("fuzz_recording", parts[part].name, out, 4 + bytes);
  snprintf(name, sizeof name, "%s-cut", parts[part].name);
  seed("fuzz_recording", name, out, 4 + bytes * 2 / 3);
}

int main(int count, char **arguments)
{
  struct rtop_window window = { 0 };
  if (count != 2) {
    fprintf(stderr, "usage: fuzz_parts FOLDER\n");
    return 2;
  }
  folder = arguments[1];
  for (size_t part = 0; part < PARTS; part++) {
    seed_window(&window, part);
    seed_report(&window, part);
    seed_port(&window, part, false);
    seed_port(&window, part, true);
    seed_recording(&window, part);
  }
  rtop_window_destroy(&window);
  return 0;
}
