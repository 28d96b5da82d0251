/* What an export writes, as text: of the two windows of report_fixture.h, or of random ones. */
#ifndef RTOP_TESTS_EXPORT_FIXTURE_H
#define RTOP_TESTS_EXPORT_FIXTURE_H

#include "report_fixture.h"
#include "tui/export/export.h"
#include <jansson.h>
#include <stdlib.h>

struct export_text {
  char *bytes;
  size_t count;
};

FIXTURE struct rtop_export export_fixture_given(struct report_fixture *fixture)
{
  struct rtop_report *report = &fixture->report;
  return (struct rtop_export){
    .profile = fixture->profile,
    .sum = &report->sum,
    .options = &fixture->options,
    .clock_offset_ns = report->clock_offset_ns,
    .command = report->command,
    .ruby = report->ruby,
    .pids = report->source_pids,
    .pid_count = report->source_count,
  };
}

FIXTURE struct export_text export_fixture_take(const struct rtop_export *given, enum rtop_file_format format, bool gzip)
{
  struct export_text text = { 0 };
  FILE *out = open_memstream(&text.bytes, &text.count);
  assert_true(rtop_export_write(given, (struct rtop_file_kind){ format, gzip }, out));
  assert_int_equal(fclose(out), 0);
  return text;
}

/* To be freed. */
FIXTURE char *export_fixture_text(struct report_fixture *fixture, enum rtop_file_format format)
{
  struct rtop_export given = export_fixture_given(fixture);
  return export_fixture_take(&given, format, false).bytes;
}

/* The text as JSON, in which no key stands twice. */
FIXTURE json_t *export_fixture_json(const char *text)
{
  json_error_t error;
  json_t *file = json_loads(text, JSON_REJECT_DUPLICATES, &error);
  if (!file) fail_msg("line %d: %s", error.line, error.text);
  return file;
}

/* The two windows compared with the first of them, as text to be freed. */
FIXTURE char *export_fixture_difference(enum rtop_file_format format)
{
  struct report_fixture fixture;
  struct rtop_sum before = { 0 };
  report_fixture_setup(&fixture);
  assert_true(rtop_profile_sum(fixture.profile, fixture_span(1000 * MS, 1100 * MS), &before));
  struct rtop_export given = export_fixture_given(&fixture);
  given.baseline = &before;
  char *text = export_fixture_take(&given, format, false).bytes;
  rtop_sum_destroy(&before);
  report_fixture_destroy(&fixture);
  return text;
}

/* Names with everything in them that some format takes for its own. */
static const char *const export_fixture_names[] = {
  "Object#fib",
  "a;b c",
  "=1+1",
  "\"quoted\", and more",
  "<script>&amp;</script>",
  "back\\slash \\u0041",
  "new\nline\rand\ttab",
  "\xff\xfe not UTF-8",
  "K\xc3\xb6nig#\xe6\x97\xa5\xe6\x9c\xac",
  "",
  "-@",
  "]]>--",
  "'",
  "%s%n",
};
enum { EXPORT_FIXTURE_NAMES = sizeof export_fixture_names / sizeof export_fixture_names[0] };

/* 7 ms below a label set, and 2 ms with no other frame than that. */
FIXTURE void export_fixture_labels(struct report_fixture *fixture, const char *labels)
{
  struct rtop_symbols *symbols = rtop_profile_symbols(fixture->profile);
  uint32_t frame = rtop_symbols_frame(symbols, labels, strlen(labels), "", 0, "(labels)", 8, 0, RTOP_SYMBOL_SPECIAL);
  uint32_t set = rtop_symbols_node(symbols, 0, frame, 0);
  uint32_t node = rtop_symbols_node(symbols, set, fixture_frame(symbols, "serve", "/s.rb", 2), 3);
  fixture_window(&fixture->window, 1200 * MS, 1300 * MS);
  uint32_t thread = fixture_thread(&fixture->window, 1, RTOP_RUNNING, node, 0);
  fixture_cell(&fixture->window, thread, node, RTOP_RUNNING, 7 * MS);
  fixture_cell(&fixture->window, thread, set, RTOP_RUNNING, 2 * MS);
  assert_true(fixture_add(fixture->profile, 0, &fixture->window));
  report_fixture_take(fixture);
}

FIXTURE uint32_t export_fixture_dice(uint64_t *seed, uint32_t sides)
{
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(*seed >> 33) % sides;
}

FIXTURE uint32_t export_fixture_node(struct rtop_symbols *symbols, uint64_t *seed)
{
  uint32_t count = rtop_symbols_node_count(symbols);
  uint32_t parent = export_fixture_dice(seed, 3) ? export_fixture_dice(seed, count) : 0;
  uint32_t name = export_fixture_dice(seed, EXPORT_FIXTURE_NAMES);
  const char *path = export_fixture_dice(seed, 3) ? export_fixture_names[(name + 3) % EXPORT_FIXTURE_NAMES] : "";
  uint32_t frame = fixture_frame(symbols, export_fixture_names[name], path, export_fixture_dice(seed, 5));
  return rtop_symbols_node(symbols, parent, frame, export_fixture_dice(seed, 4));
}

/* Adds windows of random threads, stacks and costs, and takes the sum again. */
FIXTURE void export_fixture_random(struct report_fixture *fixture, uint64_t seed, int windows, int cells)
{
  struct rtop_symbols *symbols = rtop_profile_symbols(fixture->profile);
  for (int i = 0; i < windows; i++) {
    struct rtop_window *window = &fixture->window;
    fixture_window(window, (20 + i) * 100 * MS, (21 + i) * 100 * MS);
    uint32_t threads = 1 + export_fixture_dice(&seed, 8);
    for (uint32_t k = 0; k < threads; k++)
      fixture_thread(window, k + 1, export_fixture_dice(&seed, RTOP_STATES), export_fixture_node(symbols, &seed), 0);
    for (int k = 0; k < cells; k++) {
      struct rtop_cell *cell =
          fixture_cell(window, export_fixture_dice(&seed, threads), export_fixture_node(symbols, &seed),
                       export_fixture_dice(&seed, RTOP_STATES),
                       export_fixture_dice(&seed, 3) ? export_fixture_dice(&seed, 100000000) : 0);
      cell->cpu_ns = export_fixture_dice(&seed, 50000000);
      cell->allocations = export_fixture_dice(&seed, 1000);
      cell->blame_ns = export_fixture_dice(&seed, 1000000);
      cell->samples = export_fixture_dice(&seed, 100);
    }
    assert_true(fixture_add(fixture->profile, 0, window));
  }
  report_fixture_take(fixture);
}

/* Twenty different ones, of three windows. */
FIXTURE void export_fixture_each_random(void (*check)(struct report_fixture *fixture, uint64_t seed))
{
  for (uint64_t seed = 1; seed <= 20; seed++) {
    struct report_fixture fixture;
    report_fixture_setup(&fixture);
    export_fixture_random(&fixture, seed, 3, 200);
    check(&fixture, seed);
    report_fixture_destroy(&fixture);
  }
}

#endif
