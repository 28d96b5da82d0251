/* What is told of hostile windows without a screen: traced methods and their slow calls, all calls, allocation sites,
 * exceptions, locks, fibers. Windows are bytes for the decoder, names are hostile, memory may be so little that windows are
 * put together, go and are carried. Sums stay what came in; text holds no control character, JSON is JSON, and all calls can
 * be exported in every format that says so. */
#include "fuzz.h"
#include "shm/base/latency.h"
#include "shm/window/window.h"
#include "tui/export/export.h"
#include "tui/history/profile_lists.h"
#include "tui/methods/whole_sum.h"
#include "tui/report/json.h"
#include "tui/report/report.h"
#include "tui/report/sites_table.h"
#include "tui/tables/thread_locks.h"
#include <jansson.h>
#include <math.h>
#include <string.h>

enum { REPORT_NODES = 48, REPORT_THREADS = 64, REPORT_WINDOWS = 48, REPORT_NAME = 24, REPORT_SOURCES = 2 };

/* What a profile was told, as it believes it. */
struct told {
  unsigned __int128 raised, exact;
};

struct input {
  const uint8_t *next, *end;
  uint8_t how, sort;
  struct told told;
};

static uint64_t at_most(uint64_t value, uint64_t most)
{
  return value < most ? value : most;
}

/* ---- names ------------------------------------------------------------------------------------------- */

/* Kinds of names by their places; in between methods in Ruby and in C, in chains, some with names of the input's. */
static uint32_t report_frame(struct rtop_symbols *symbols, const struct input *input, uint32_t i)
{
  static const char *const spaces[] = { "(labels)", RTOP_FIBERS_NAMESPACE, RTOP_OBJECTS_NAMESPACE,
                                        RTOP_RAISED_NAMESPACE };
  static const char *const locks[] = { "Thread::Mutex#lock", "Monitor#synchronize", "Thread::ConditionVariable#wait" };
  static const uint32_t from[] = { 30, 31, 32, 35, 38 };
  size_t left = (size_t)(input->end - input->next), bytes = left < REPORT_NAME ? left : REPORT_NAME;
  char label[REPORT_NAME + 16];
  uint32_t kind = 0;
  while (kind < 4 && !(i >= from[kind] && i < from[kind + 1])) kind++;
  const char *space = kind < 4 ? spaces[kind] : "";
  if (kind == 0) return rtop_symbols_frame(symbols, "job=a,user=\x1b[1m", 15, "", 0, space, 8, 0, RTOP_SYMBOL_SPECIAL);
  if (i >= 38 && i < 41)
    return rtop_symbols_frame(symbols, locks[i - 38], strlen(locks[i - 38]), "", 0, "", 0, 0, RTOP_SYMBOL_C);
  label[0] = (char)('A' + i % 26);
  label[1] = '#';
  if (bytes && i % 2) memcpy(label + 2, input->end - bytes, bytes);
  size_t length = bytes && i % 2 ? 2 + bytes : (size_t)snprintf(label, sizeof label, "Shop#m%u\x1b]0;%u\a", i % 11, i);
  bool code = kind == 4 && i % 7;
  return rtop_symbols_frame(symbols, label, length, code ? "/app/a\x1b.rb" : "", code ? 10 : 0, space, strlen(space),
                            i % 13,
                            kind < 4 ? RTOP_SYMBOL_SPECIAL
                            : code   ? RTOP_SYMBOL_RUBY
                                     : RTOP_SYMBOL_C);
}

static void report_nodes(struct rtop_symbols *symbols, const struct input *input, uint32_t *nodes)
{
  static const char *const specials[] = { "", "(folded)", "(not sampled)", "(no Ruby frames)" };
  nodes[0] = 0;
  for (uint32_t i = 1; i < 4; i++)
    nodes[i] = rtop_symbols_node(
        symbols, 0, rtop_symbols_frame(symbols, specials[i], strlen(specials[i]), "", 0, "", 0, 0, RTOP_SYMBOL_SPECIAL),
        0);
  for (uint32_t i = 4; i < REPORT_NODES; i++) {
    bool below = (i > 5 && i < 30 && i % 3) || (i >= 32 && i < 35) || i >= 39;
    nodes[i] = rtop_symbols_node(symbols, below ? nodes[i == 32 || i % 5 == 0 ? 9 : i - 1] : 0,
                                 report_frame(symbols, input, i), i);
  }
}

/* ---- windows ----------------------------------------------------------------------------------------- */

static void report_tell(struct told *told, const struct rtop_window *window)
{
  for (size_t i = 0; i < window->raised_count; i++) told->raised += at_most(window->raised[i].count, UINT64_C(1) << 42);
  for (size_t i = 0; i < window->exact_count; i++)
    if (window->exact[i].what == RTOP_EXACT_CALLS) told->exact += at_most(window->exact[i].value, UINT64_C(1) << 56);
}

static void report_add(struct input *input, struct rtop_profile *profile, struct rtop_window *window,
                       const uint32_t *nodes)
{
  uint32_t threads[REPORT_THREADS],
      source = (uint32_t)(window->start_mono_ns / 100000000) % (input->how & 1 ? REPORT_SOURCES : 1);
  for (size_t i = 0; i < window->thread_count; i++) {
    const struct rtop_source_thread thread = {
      .serial = window->threads[i].serial % 8, .name = "w\x1b[7m\n", .name_bytes = 7, .native_id = (uint32_t)i
    };
    threads[i] = rtop_profile_thread(profile, source, &thread);
  }
  if (rtop_profile_add(profile, source, window, nodes, REPORT_NODES, threads)) report_tell(&input->told, window);
}

/* Each: two bytes of length, and its bytes. */
static void report_windows(struct input *input, struct rtop_profile *profile, const uint32_t *nodes)
{
  static struct rtop_window window;
  const struct rtop_window_limits limits = { .node_count = REPORT_NODES, .thread_slots = 64, .string_bytes = 65536 };
  for (int at = 1; at <= REPORT_WINDOWS && input->end - input->next > 2; at++) {
    size_t bytes = (size_t)input->next[0] << 8 | input->next[1], left = (size_t)(input->end - input->next) - 2;
    if (bytes > left) bytes = left;
    window.start_mono_ns = at * INT64_C(100000000);
    window.end_mono_ns = window.start_mono_ns + 100000000;
    if (rtop_window_decode(&window, input->next + 2, bytes, &limits) && window.thread_count <= REPORT_THREADS)
      report_add(input, profile, &window, nodes);
    input->next += 2 + bytes;
  }
}

/* ---- what is made of them ---------------------------------------------------------------------------- */

static void sum_raised(void *context, uint32_t source, const struct rtop_raised_count *raised)
{
  (void)source;
  demand(raised->first_ns <= raised->last_ns);
  ((struct told *)context)->raised += raised->count;
}

static void sum_exact(void *context, uint32_t source, const struct rtop_exact_number *number)
{
  (void)source;
  if (number->what == RTOP_EXACT_CALLS) ((struct told *)context)->exact += number->value;
}

/* Nothing is told twice, nothing is lost, unless a sum stopped at its end. */
static void check_told(const struct input *input, const struct rtop_profile *profile)
{
  struct told found = { 0 };
  rtop_profile_each_raised(profile, rtop_profile_bounds(profile), sum_raised, &found);
  rtop_profile_each_exact(profile, rtop_profile_bounds(profile), sum_exact, &found);
  if (input->told.raised <= INT64_MAX) demand(found.raised == input->told.raised);
  if (input->told.exact <= INT64_MAX) demand(found.exact == input->told.exact);
}

static void replay_window(void *context, uint32_t source, const struct rtop_window *window, const uint32_t *nodes,
                          size_t node_count)
{
  (void)source;
  demand(nodes == NULL && node_count == 0 && window->start_mono_ns < window->end_mono_ns);
  report_tell(context, window);
}

static void replay_gap(void *context, uint32_t source, int64_t start_ns, int64_t end_ns)
{
  (void)context;
  (void)source;
  demand(start_ns < end_ns);
}

/* Handed out again, as a recording gets it: the same. Of what memory cannot hold nothing is. */
static void check_replay(const struct input *input, struct rtop_profile *profile)
{
  struct told found = { 0 };
  const struct rtop_profile_tap tap = { .context = &found, .window = replay_window, .gap = replay_gap };
  demand(rtop_profile_replay(profile, rtop_profile_bounds(profile), &tap));
  if (input->how & 64 || input->told.raised > UINT64_C(1) << 42 || input->told.exact > UINT64_C(1) << 56) return;
  demand(found.raised == input->told.raised && found.exact == input->told.exact);
}

static void check_tables(const struct rtop_report *report)
{
  const struct whole_table *whole = &report->whole;
  uint64_t tree_ns = 0, methods_ns = 0, rows = report->raised.rest;
  for (size_t i = 0; i < whole->tree_count; i++) {
    demand(whole->tree[i].parent < (int)i && whole->tree[i].depth >= 0);
    tree_ns += whole->tree[i].figures.self_ns;
  }
  for (size_t i = 0; i < whole->method_count; i++) methods_ns += whole->methods[i].figures.self_ns;
  demand(tree_ns == methods_ns);
  for (size_t i = 0; i < report->raised.count; i++) rows += report->raised.rows[i].count;
  demand(rows == report->raised.all);
  for (size_t i = 0; i < report->sites.count; i++) {
    const struct sites_row *row = &report->sites.rows[i];
    demand(row->objects >= 0 && row->bytes >= 0 && row->error >= 0 && row->live >= 0 && row->live_bytes >= 0);
    demand(row->objects < 1e19 && row->bytes < 1e19 && row->error < 1e19 && row->live < 1e19 && row->live_bytes < 1e19);
  }
  demand(report->slow.count <= SLOW_LIST_MAX && report->exact.count <= EXACT_ROWS_MAX);
}

static void check_locks(struct rtop_report *report)
{
  struct rtop_sum *sum = &report->sum;
  char words[700];
  struct rtop_lock_chain chain;
  thread_locks_note(sum, report->symbols);
  for (size_t row = 0; row < sum->thread_count; row++) {
    rtop_lock_chain(&chain, sum, report->symbols, row);
    demand(chain.count >= 1 && chain.count <= RTOP_LOCK_CHAIN_MAX && (!chain.circle || chain.closes < chain.count));
    thread_lock_words(words, sizeof words, sum, report->symbols, row);
    demand(strlen(words) < sizeof words);
  }
  if (rtop_lock_deadlock(&chain, sum, report->symbols))
    thread_deadlock_words(words, sizeof words, sum, report->symbols, &chain);
}

static void take_report(struct rtop_report *report, struct rtop_profile *profile,
                        const struct rtop_methods_options *options)
{
  static const char *const names[] = { "Shop#m5", "Nobody#knows" };
  struct rtop_span span = rtop_profile_bounds(profile);
  const struct label_table_options sets = { .sort = RTOP_SORT_SELF, .mode = options->mode };
  report->symbols = rtop_profile_symbols(profile);
  report->options = options;
  demand(rtop_profile_sum(profile, span, &report->sum) &&
         rtop_methods_build(&report->methods, &report->sum, report->symbols, options));
  rtop_profile_open_blame(profile, &report->sum);
  demand(rtop_report_judge(report, profile) && rtop_profile_sum_sets(profile, span, &report->sets_sum) &&
         label_table_build(&report->labels, profile, &report->sets_sum, &sets) &&
         fiber_table_build(&report->fibers, profile, &report->sum));
  demand(exact_table_build(&report->exact, profile, span, names, 2) && slow_list_build(&report->slow, profile, span) &&
         whole_table_build(&report->whole, profile, span) &&
         sites_table_build(&report->sites, profile, span, report->sites_order) &&
         raised_list_build(&report->raised, profile, span));
  exact_table_tell(&report->exact, report->symbols, &report->methods);
}

static void check_text(const struct rtop_report *report, int columns)
{
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  rtop_report_write_text(report, out, columns);
  fclose(out);
  for (size_t i = 0; i < bytes; i++) demand(((unsigned char)text[i] >= ' ' && text[i] != 127) || text[i] == '\n');
  free(text);
}

static void check_json(const struct rtop_report *report)
{
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  demand(rtop_json_write(report, out));
  fclose(out);
  json_t *json = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, NULL);
  demand(json != NULL);
  json_t *sites = json_object_get(json_object_get(json, "allocation_sites"), "sites"), *site;
  size_t i;
  json_array_foreach(sites, i, site) demand(json_integer_value(json_object_get(site, "objects")) >= 0 &&
                                            json_is_number(json_object_get(site, "error")));
  json_decref(json);
  free(text);
}

static void check_exports(struct rtop_profile *profile, const struct rtop_report *report)
{
  struct rtop_sum sum = { 0 };
  const pid_t pid = 4711;
  demand(whole_sum_build(&sum, &report->whole.numbers, profile, report->sum.span, WHOLE_ALL_SOURCES));
  const struct rtop_export given = { .profile = profile,
                                     .sum = &sum,
                                     .calls = &report->whole.numbers.head,
                                     .options = report->options,
                                     .command = "app",
                                     .ruby = "3.3",
                                     .pids = &pid,
                                     .pid_count = 1 };
  for (int format = 0; format < RTOP_FILE_FORMATS; format++) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    rtop_export_write(&given, (struct rtop_file_kind){ (enum rtop_file_format)format, false }, out);
    fclose(out);
    free(text);
  }
  rtop_sum_destroy(&sum);
}

static void check_all(struct rtop_profile *profile, const struct input *input)
{
  static struct rtop_report report;
  struct rtop_methods_options options = { .sort = (enum rtop_sort_key)(RTOP_SORT_SELF + input->sort % 3),
                                          .mode = input->how & 4 ? RTOP_MODE_CPU : RTOP_MODE_WALL };
  memset(&report, 0, sizeof report);
  report.state = RTOP_FEED_LIVE;
  report.clock_offset_ns = INT64_C(1700000000123456789);
  report.command = report.ruby = "app";
  report.source_count = REPORT_SOURCES;
  report.slower_us = input->how & 8 ? 1000 : 0;
  report.sites_order = input->how & 16 ? SITES_BY_BYTES : SITES_BY_OBJECTS;
  for (int i = 0; i < REPORT_SOURCES; i++) {
    report.source_pids[i] = 4711 + i;
    report.processes[i] = (struct rtop_report_process){ .pid = 4711 + i, .command = "app", .ruby = "3.3" };
  }
  take_report(&report, profile, &options);
  check_tables(&report);
  check_locks(&report);
  check_text(&report, input->how & 2 ? 200 : 40);
  check_json(&report);
  if (input->how & 32) check_exports(profile, &report);
  rtop_report_destroy(&report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  uint32_t nodes[REPORT_NODES];
  if (size < 4 || size > 200000) return 0;
  struct input input = { .next = data + 2, .end = data + size, .how = data[0], .sort = data[1] };
  struct rtop_profile *profile = rtop_profile_create(input.how & 64 ? 1 << 14 : 32 << 20);
  rtop_profile_keep_sums(profile);
  report_nodes(rtop_profile_symbols(profile), &input, nodes);
  report_windows(&input, profile, nodes);
  const struct rtop_lens_look lens = { .merge = (enum rtop_merge)(input.sort / 3 % RTOP_MERGES) };
  rtop_lens_set(rtop_profile_lens(profile), &lens);
  rtop_profile_add_source_bytes(profile, size);
  check_told(&input, profile);
  check_replay(&input, profile);
  check_all(profile, &input);
  rtop_profile_destroy(&profile);
  return 0;
}
