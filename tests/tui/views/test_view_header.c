/* Figures of the bars above the table keep to their room, however large they are. */
#include "tests/tui/screen_model.h"
#include "tui/term/screen.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ui ui;

static void test_collections_per_minute(void **state)
{
  static const struct {
    double minor, major;
    int columns;
    const char *text;
  } cases[] = {
    { 120, 2, 80, " 122/m" },
    { 9997, 2, 80, "9999/m" },
    { 9999, 2, 80, " 10k/m" },
    { 20614, 56, 80, " 21k/m" },
    { 20614, 56, 160, " 21k minor   56 major /min" },
    { 960000, 20000, 160, "960k minor  20k major /min" },
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const struct screen_case look = { .rows = cases[i].columns < 100 ? 24 : 50, .columns = cases[i].columns };
    struct rtop_profile *profile = model_profile();
    model_screen_open(&look, &ui, profile);
    ui.strip.minor_per_minute = cases[i].minor;
    ui.strip.major_per_minute = cases[i].major;
    ui_draw(&ui);
    assert_true(shows(cases[i].text));
    model_screen_close(&ui, &profile);
  }
}

/* Whose clock is days off: the age of what is frozen is by the stream's. */
static void test_streams(void **state)
{
  static const struct {
    struct ui_stream stream;
    enum rtop_feed_state process;
    int columns;
    const char *text;
  } cases[] = {
    { { .behind_tenths = 3 }, RTOP_FEED_LIVE, 80, "[STREAM 0.3 s behind]" },
    { { .behind_tenths = 123 }, RTOP_FEED_LIVE, 80, "[STREAM 12.3 s behind]" },
    { { .behind_tenths = 3 }, RTOP_FEED_LIVE, 50, "[STREAM]" },
    { { .behind_tenths = 50, .silent_seconds = 5 }, RTOP_FEED_STALLED, 80, "[STREAM stalled for 5 s]" },
    { { .behind_tenths = 50 }, RTOP_FEED_STALLED, 80, "[STREAM: stalled]" },
    { { .ended = true }, RTOP_FEED_ENDED, 80, "[STREAM ENDED]" },
    { { .ended = true, .broken = true }, RTOP_FEED_ENDED, 80, "[STREAM BROKEN OFF]" },
    { { .left_out = 1 }, RTOP_FEED_LIVE, 160, "stream lost 1 window " },
    { { .left_out = 12 }, RTOP_FEED_LIVE, 80, "stream lost 12 windows" },
    { { 0 }, RTOP_FEED_LIVE, 160, "@web7 " },
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const struct screen_case look = { .rows = 24, .columns = cases[i].columns };
    struct rtop_profile *profile = model_profile();
    model_screen_open(&look, &ui, profile);
    ui.source.stream = cases[i].stream;
    ui.source.stream.there = true;
    ui.source.main.state = ui.source.at[0].state = cases[i].process;
    strcpy(ui.source.main.host, "web7.example.org");
    strcpy(ui.source.at[0].host, "web7.example.org");
    ui_draw(&ui);
    if (!shows(cases[i].text)) fail_msg("%zu: %s", i, cases[i].text);
    assert_int_equal(ui_source_pid(&ui), 0);
    int64_t end_ns = rtop_profile_bounds(profile).end_ns;
    ui.source.stream.clock_ns = end_ns - ui.now_ns + INT64_C(4000000000);
    ui.now_real_ns -= INT64_C(1000000000000000);
    if (ui_lives(cases[i].process)) assert_int_equal(ui_time_age_ns(&ui, end_ns), INT64_C(4000000000));
    model_screen_close(&ui, &profile);
  }
}

static void test_fibers_stand_beside_the_threads(void **state)
{
  static const struct screen_case look = { .rows = 50, .columns = 160 };
  (void)state;
  for (uint64_t fibers = 0; fibers <= 1200; fibers += 400) {
    char text[32];
    struct rtop_profile *profile = model_profile();
    model_screen_open(&look, &ui, profile);
    ui.sum.counters.fibers_waiting = fibers;
    ui_draw(&ui);
    snprintf(text, sizeof text, " quiet  %u fibers", (unsigned)fibers);
    assert_int_equal(shows(text), fibers > 0);
    assert_int_equal(shows(" fibers"), fibers > 0);
    model_screen_close(&ui, &profile);
  }
}

/* A rate that the budget forbids is told beside the one that was asked for. */
static void test_lowered_rate(void **state)
{
  static const int columns[] = { 80, 160 };
  (void)state;
  for (size_t i = 0; i < 4; i++) {
    const struct screen_case look = { .rows = 24, .columns = columns[i / 2] };
    struct rtop_profile *profile = model_profile();
    model_screen_open(&look, &ui, profile);
    ui.sum.counters.rate_hz = i % 2 ? 250 : 1000;
    ui_draw(&ui);
    assert_int_equal(shows(" 250 of 1000 Hz: budget"), i % 2 == 1);
    assert_int_equal(shows("budget"), i % 2 == 1);
    model_screen_close(&ui, &profile);
  }
}

/* A core that is missing is told at every width that has bars; what limits the process is known of now alone. */
static void test_missing_cores(void **state)
{
  static const int columns[] = { 80, 100, 160 };
  (void)state;
  for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
    const struct screen_case look = { .rows = 30, .columns = columns[i] };
    struct rtop_profile *profile = model_profile();
    struct rtop_profile_cores reading = { .pid = 4711, .time_ns = MODEL_END_NS - 1000000000 };
    rtop_profile_add_cores(profile, &reading);
    reading.time_ns = MODEL_END_NS;
    model_screen_open(&look, &ui, profile);
    assert_false(shows(" cores"));
    reading.delayed_ns = 860000000;
    rtop_profile_add_cores(profile, &reading);
    ui.cores = (struct core_limits){ .load = 29, .cores = 2 };
    ui_draw(&ui);
    assert_true(shows("CPU") && shows(" 0.84 of 1.70 cores, load 29 on 2"));
    ui.frozen = true;
    ui_draw(&ui);
    assert_true(shows(" 0.84 of 1.70 cores ") && !shows("load 29"));
    model_screen_close(&ui, &profile);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_collections_per_minute),
    cmocka_unit_test(test_streams),
    cmocka_unit_test(test_lowered_rate),
    cmocka_unit_test(test_missing_cores),
    cmocka_unit_test(test_fibers_stand_beside_the_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
