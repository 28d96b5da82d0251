/* Methods and what is known of them exactly: of tests of traced methods and of all calls. */
#ifndef RTOP_TESTS_EXACT_FIXTURE_H
#define RTOP_TESTS_EXACT_FIXTURE_H

#include "model_fixture.h"
#include "tui/methods/whole_sum.h"

FIXTURE uint32_t exact_node(struct rtop_symbols *symbols, uint32_t parent, const char *label)
{
  return rtop_symbols_node(symbols, parent, fixture_frame(symbols, label, "/app/a.rb", 3), 0);
}

FIXTURE struct rtop_profile *exact_profile(struct rtop_symbols **symbols)
{
  struct rtop_profile *profile = rtop_profile_create(64 << 20);
  assert_non_null(profile);
  *symbols = rtop_profile_symbols(profile);
  return profile;
}

/* Work#top calls Work#rest and Work#do, which calls itself and then Work#rest. */
struct exact_calls {
  uint32_t top, rest, work, deep, again;
};

FIXTURE struct exact_calls exact_calls(struct rtop_symbols *symbols)
{
  struct exact_calls calls = { .top = exact_node(symbols, 0, "Work#top") };
  calls.rest = exact_node(symbols, calls.top, "Work#rest");
  calls.work = exact_node(symbols, calls.top, "Work#do");
  calls.deep = exact_node(symbols, calls.work, "Work#do");
  calls.again = exact_node(symbols, calls.deep, "Work#rest");
  return calls;
}

FIXTURE void exact_add_call(struct rtop_window *window, uint32_t at, uint64_t calls, uint64_t total_ns,
                            uint64_t self_ns)
{
  *rtop_window_add_exact(window) = (struct rtop_exact){ at, RTOP_WHOLE_CALLS, 0, calls };
  *rtop_window_add_exact(window) = (struct rtop_exact){ at, RTOP_WHOLE_TOTAL_NS, 0, total_ns };
  *rtop_window_add_exact(window) = (struct rtop_exact){ at, RTOP_WHOLE_SELF_NS, 0, self_ns };
}

FIXTURE void exact_add_state(struct rtop_window *window, enum rtop_whole_state state)
{
  *rtop_window_add_exact(window) = (struct rtop_exact){ 0, RTOP_WHOLE_STATE, 1, state };
  *rtop_window_add_exact(window) = (struct rtop_exact){ 0, RTOP_WHOLE_TRACED_NS, 0, 100 * MS };
  *rtop_window_add_exact(window) = (struct rtop_exact){ 0, RTOP_WHOLE_OWN_NS, 0, 3000 };
}

/* The window with this number, of 100 ms, with 20 calls. */
FIXTURE void exact_add_window(struct rtop_profile *profile, const struct exact_calls *calls, uint32_t source,
                              int64_t number, enum rtop_whole_state state)
{
  struct rtop_window window = { .start_mono_ns = number * 100 * MS, .end_mono_ns = (number + 1) * 100 * MS };
  exact_add_state(&window, state);
  *rtop_window_add_exact(&window) = (struct rtop_exact){ 0, RTOP_WHOLE_UNTIMED, 0, 2 };
  *rtop_window_add_exact(&window) = (struct rtop_exact){ 0, RTOP_WHOLE_UNNAMED, 0, 5 };
  exact_add_call(&window, calls->top, 1, 80 * MS, 10 * MS);
  exact_add_call(&window, calls->rest, 4, 10 * MS, 10 * MS);
  exact_add_call(&window, calls->work, 2, 60 * MS, 20 * MS);
  exact_add_call(&window, calls->deep, 6, 40 * MS, 35 * MS);
  exact_add_call(&window, calls->again, 7, 5 * MS, 5 * MS);
  *rtop_window_add_exact(&window) = (struct rtop_exact){ calls->work, 4711, 12, 99 }; /* of a later version */
  assert_true(fixture_add(profile, source, &window));
  rtop_window_destroy(&window);
}

/* All calls of a profile, and their sum. */
struct exact_world {
  struct rtop_profile *profile;
  struct rtop_symbols *symbols;
  struct exact_calls calls;
  struct whole_numbers numbers;
  struct rtop_sum sum;
};

FIXTURE void exact_world_begin(struct exact_world *world)
{
  *world = (struct exact_world){ 0 };
  world->profile = exact_profile(&world->symbols);
  world->calls = exact_calls(world->symbols);
}

FIXTURE void exact_world_add(struct exact_world *world, uint32_t source, int64_t number, enum rtop_whole_state state)
{
  exact_add_window(world->profile, &world->calls, source, number, state);
}

FIXTURE void exact_world_sum(struct exact_world *world, uint32_t source)
{
  struct rtop_span span = rtop_profile_bounds(world->profile);
  assert_true(whole_numbers_build(&world->numbers, world->profile, span));
  assert_true(whole_sum_build(&world->sum, &world->numbers, world->profile, span, source));
}

FIXTURE void exact_world_end(struct exact_world *world)
{
  whole_numbers_destroy(&world->numbers);
  rtop_sum_destroy(&world->sum);
  rtop_profile_destroy(&world->profile);
}

#endif
