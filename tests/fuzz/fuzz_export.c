/* Exports of hostile data: names, threads, times and stacks from whatever bytes, in every format. What was written
 * stays below the limit for a source of that size, JSON is JSON, and no control character gets out. */
#include "shm/window/window.h"
#include "tui/export/export.h"
#include "tui/text/budget.h"
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

enum { EXPORT_NODES_MAX = 4096, EXPORT_THREADS = 4 };

static char folder[] = "/dev/shm/rtop-fuzz.XXXXXX";

static void clean_up(void)
{
  rmdir(folder);
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
  (void)count;
  (void)arguments;
  atexit(clean_up);
  return mkdtemp(folder) ? 0 : 1;
}

struct bytes {
  const uint8_t *next, *end;
};

static void demand(bool right)
{
  if (!right) abort();
}

static uint32_t take(struct bytes *bytes)
{
  return bytes->next < bytes->end ? *bytes->next++ : 0;
}

/* So many bytes as they are. */
static const char *take_text(struct bytes *bytes, size_t *length)
{
  size_t left = (size_t)(bytes->end - bytes->next), wanted = take(bytes) * 4;
  left -= left > 0;
  *length = wanted < left ? wanted : left;
  const char *text = (const char *)bytes->next;
  bytes->next += *length;
  return text;
}

/* Labels too (RperfTop.label), groups of a lens, frames without a path. */
static uint32_t take_frame(struct bytes *bytes, struct rtop_symbols *symbols)
{
  size_t lengths[3];
  const char *texts[3];
  for (int i = 0; i < 3; i++) texts[i] = take_text(bytes, &lengths[i]);
  uint32_t line = take(bytes);
  enum rtop_symbol_kind kind = (enum rtop_symbol_kind)(take(bytes) % (RTOP_SYMBOL_GROUP + 1));
  return rtop_symbols_frame(symbols, texts[0], lengths[0], texts[1], lengths[1], texts[2], lengths[2], line, kind);
}

static uint32_t take_nodes(struct bytes *bytes, struct rtop_symbols *symbols, uint32_t *nodes)
{
  uint32_t frames[16], count = 1;
  for (int i = 0; i < 16; i++) frames[i] = take_frame(bytes, symbols);
  nodes[0] = 0;
  while (count < EXPORT_NODES_MAX && bytes->next < bytes->end) {
    uint32_t what = take(bytes), back = what & 128 ? take(bytes) : 0;
    for (uint32_t i = 0; i < 1 + what % 64 && count < EXPORT_NODES_MAX; i++, count++) {
      uint32_t parent = nodes[count - 1 - (back < count ? back : 0)];
      nodes[count] = rtop_symbols_node(symbols, parent, frames[what % 16], count);
      back = 0;
    }
  }
  return count;
}

static void add_window(struct bytes *bytes, struct rtop_profile *profile, int64_t start_ns, const uint32_t *nodes,
                       uint32_t node_count)
{
  struct rtop_window window = { .start_mono_ns = start_ns, .end_mono_ns = start_ns + 100000000 };
  uint32_t threads[EXPORT_THREADS];
  for (uint32_t i = 0; i < EXPORT_THREADS; i++) {
    struct rtop_source_thread thread = { .serial = i + 1, .native_id = i };
    thread.name = take_text(bytes, &thread.name_bytes);
    threads[i] = rtop_profile_thread(profile, 0, &thread);
    *rtop_window_add_thread(&window) = (struct rtop_window_thread){ .slot = i, .serial = i + 1 };
  }
  for (uint32_t i = 0; i < node_count; i++)
    *rtop_window_add_cell(&window) = (struct rtop_cell){
      .node = i,
      .thread = (i + take(bytes)) % EXPORT_THREADS,
      .state = (uint32_t)(start_ns / 100000000) % 5,
      .wall_ns = 1000 + take(bytes),
      .cpu_ns = 10,
      .samples = 1,
      .allocations = 3,
    };
  size_t length;
  const char *mark = take_text(bytes, &length);
  rtop_profile_add_mark(profile, 0, start_ns, mark, length);
  rtop_profile_add(profile, 0, &window, nodes, node_count, threads);
  rtop_window_destroy(&window);
}

static void check_text(enum rtop_file_format format, const char *text, size_t bytes)
{
  if (format == RTOP_FILE_PPROF) return;
  for (size_t i = 0; i < bytes; i++)
    demand((unsigned char)text[i] >= ' ' || text[i] == '\n' || (text[i] == '\r' && format == RTOP_FILE_CSV));
  if (format != RTOP_FILE_RPERF && format != RTOP_FILE_SPEEDSCOPE && format != RTOP_FILE_TRACE) return;
  json_t *json = json_loadb(text, bytes, JSON_ALLOW_NUL, NULL);
  demand(json != NULL);
  json_decref(json);
}

static void write_all(const struct rtop_export *given)
{
  uint64_t most = rtop_budget_max(RTOP_BUDGET_OUTPUT, rtop_profile_source_bytes(given->profile));
  for (int format = 0; format < RTOP_FILE_FORMATS; format++) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    bool fine = rtop_export_write(given, (struct rtop_file_kind){ (enum rtop_file_format)format, false }, out);
    int problem = errno;
    fclose(out);
    demand(bytes <= most && (fine || problem == EOVERFLOW));
    if (fine && bytes < 1 << 22) check_text((enum rtop_file_format)format, text, bytes);
    free(text);
  }
}

/* To a file, packed or not, as its name says: all or nothing. */
static void save(const struct rtop_export *given)
{
  static const char *const endings[] = { "json.gz", "txt", "pb.gz", "svg", "csv" };
  char path[96];
  for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
    snprintf(path, sizeof path, "%s/a.%s", folder, endings[i]);
    bool fine = rtop_export_save(given, path);
    demand(fine || rtop_export_problem(errno, given->profile)[0] != '\0');
    demand((access(path, F_OK) == 0) == fine);
    unlink(path);
  }
}

/* The baseline is of another recording, whose names are its own. */
static void write_beside_another(const struct rtop_export *given, struct bytes *bytes)
{
  static uint32_t nodes[EXPORT_NODES_MAX];
  struct rtop_profile *other = rtop_profile_create(8 << 20);
  struct rtop_export both = *given;
  struct rtop_sum sum = { 0 };
  uint32_t count = take_nodes(bytes, rtop_profile_symbols(other), nodes);
  add_window(bytes, other, 100000000, nodes, count);
  demand(rtop_profile_sum(other, rtop_profile_bounds(other), &sum));
  both.baseline = &sum;
  both.baseline_symbols = rtop_profile_symbols(other);
  write_all(&both);
  rtop_sum_destroy(&sum);
  rtop_profile_destroy(&other);
}

/* What cannot be written is said, and leaves nothing behind. */
static void save_in_vain(const struct rtop_export *given)
{
  static const char *const names[] = { "no/folder/a.json", "a.nothing" };
  char path[96];
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    demand(!rtop_export_save(given, path) && errno != 0);
    demand(rtop_export_problem(errno, given->profile)[0] != '\0' && access(path, F_OK) != 0);
  }
  FILE *full = fopen("/dev/full", "w");
  demand(full != NULL);
  bool fine = rtop_export_write(given, (struct rtop_file_kind){ RTOP_FILE_CSV, true }, full);
  fine = fflush(full) == 0 && fine;
  demand(!fine);
  fclose(full);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static uint32_t nodes[EXPORT_NODES_MAX];
  struct bytes bytes = { data, data + size };
  if (size < 8) return 0;
  uint32_t how = take(&bytes);
  struct rtop_methods_options options = { .mode = how & 1 ? RTOP_MODE_CPU : RTOP_MODE_WALL };
  options.filter = how & 2 ? "[a-m]" : NULL;
  options.filter_invert = how & 4;
  options.min_percent = how & 8 ? 5 : 0;
  bool compares = take(&bytes) & 1, saves = how & 128;
  struct rtop_profile *profile = rtop_profile_create(32 << 20);
  uint32_t count = take_nodes(&bytes, rtop_profile_symbols(profile), nodes);
  bytes.next = data + size / 2;
  add_window(&bytes, profile, 100000000, nodes, count);
  add_window(&bytes, profile, 200000000, nodes, count / 2);
  struct rtop_lens_look lens = { .merge = (enum rtop_merge)((how >> 4) % RTOP_MERGES), .labels = how & 8 };
  rtop_lens_set(rtop_profile_lens(profile), &lens);
  rtop_profile_add_source_bytes(profile, size);
  struct rtop_sum sum = { 0 }, before = { 0 };
  struct rtop_span held = rtop_profile_bounds(profile);
  demand(rtop_profile_sum(profile, held, &sum));
  demand(rtop_profile_sum(profile, (struct rtop_span){ held.start_ns, held.start_ns + 100000000 }, &before));
  const pid_t pid = 4711;
  struct rtop_export given = { .profile = profile,
                               .sum = &sum,
                               .baseline = compares ? &before : NULL,
                               .options = &options,
                               .command = "ruby app.rb",
                               .ruby = "3.3.8",
                               .pids = &pid,
                               .pid_count = 1 };
  write_all(&given);
  if (saves) save(&given);
  if (saves && how & 1) save_in_vain(&given);
  if (compares && saves) write_beside_another(&given, &bytes);
  rtop_sum_destroy(&sum);
  rtop_sum_destroy(&before);
  rtop_profile_destroy(&profile);
  return 0;
}
