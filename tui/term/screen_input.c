/* SPDX-License-Identifier: MIT */
/* Waits for keys, and separates them from answers of the terminal. */
#include "screen_input.h"
#include "escape.h"
#include "keys.h"
#include "screen.h"
#include "shm/base/clock.h"
#include "tui/text/signals.h"
#include <ncurses.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>

/* Time-outs: for an answer; for a pause within a sequence while an answer is expected, and otherwise; for the wait at
 * leaving. */
enum { ANSWER_MS = 3000, PAUSE_MS = 100, PART_MS = 1000, AWAIT_MS = 500, HELD_KEYS = 64 };

static struct {
  int fd;
  struct escape escape;
  int64_t escape_at_ms; /* its last part came */
  int held[HELD_KEYS];  /* keys that were read and not returned yet, oldest first */
  int held_count;
  bool expected;
  int64_t expected_at_ms;
  int row, column; /* of the answer; 0: none */
} state;

void screen_input_open(int fd)
{
  memset(&state, 0, sizeof state);
  state.fd = fd;
}

/* Has the terminal hung up? Such a terminal is always readable without data; looping on it would use a whole core. */
static bool input_is_gone(void)
{
  struct pollfd input = { .fd = state.fd, .events = POLLIN };
  int waiting = 0;
  if (poll(&input, 1, 0) <= 0) return false;
  if ((input.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) return true;
  return (input.revents & POLLIN) != 0 && (ioctl(state.fd, FIONREAD, &waiting) != 0 || waiting == 0);
}

static bool input_within(int64_t ms)
{
  struct pollfd input = { .fd = state.fd, .events = POLLIN };
  return poll(&input, 1, ms > 0 ? (int)ms : 0) > 0;
}

static int read_key(void)
{
  wint_t character;
  if (state.held_count > 0) {
    int key = state.held[0];
    memmove(state.held, state.held + 1, (size_t)--state.held_count * sizeof state.held[0]);
    return key;
  }
  switch (get_wch(&character)) {
  case OK: return (int)character;
  case KEY_CODE_YES: return (int)character | KEY_FUNCTION;
  default: return SCREEN_KEY_NONE;
  }
}

/* Puts a key back, so that it is returned next. */
static void give_back(int key)
{
  if (state.held_count < HELD_KEYS) {
    memmove(state.held + 1, state.held, (size_t)state.held_count++ * sizeof state.held[0]);
    state.held[0] = key;
  }
}

static bool is_under_way(void)
{
  return state.expected && clock_now_ms() - state.expected_at_ms < ANSWER_MS;
}

static void take_sequence(void)
{
  if (escape_position(&state.escape, &state.row, &state.column)) state.expected = false;
  else state.row = state.column = 0;
}

/* May more of a sequence come? Esc is a key of its own if nothing follows. */
static bool waits_for_more(bool begun)
{
  return begun && is_under_way() && input_within(PAUSE_MS) && !input_is_gone();
}

static int next_key(void)
{
  for (;;) {
    int key = read_key();
    bool begun = state.escape.state == ESCAPE_BEGUN;
    if (key == SCREEN_KEY_NONE && waits_for_more(begun)) continue;
    if (key == SCREEN_KEY_NONE) {
      state.escape.state = begun ? ESCAPE_NONE : state.escape.state;
      return begun ? ESCAPE_KEY : SCREEN_KEY_NONE;
    }
    if (clock_now_ms() - state.escape_at_ms > PART_MS) state.escape.state = ESCAPE_NONE;
    switch (escape_take(&state.escape, key)) {
    case ESCAPE_MORE: state.escape_at_ms = clock_now_ms(); break;
    case ESCAPE_DONE: take_sequence(); break;
    case ESCAPE_NOT:
      if (!begun) return key;
      give_back(key);
      return ESCAPE_KEY;
    }
  }
}

int screen_input_key(void)
{
  return state.held_count == 0 && input_is_gone() ? SCREEN_KEY_GONE : next_key();
}

bool screen_input_holds(void)
{
  return state.held_count > 0;
}

void screen_input_expect(void)
{
  state.expected = true;
  state.expected_at_ms = clock_now_ms();
}

bool screen_input_answer(int *row, int *column)
{
  bool answered = state.row > 0;
  *row = state.row;
  *column = state.column;
  state.row = state.column = 0;
  return answered;
}

void screen_input_await(void)
{
  int keys[HELD_KEYS], count = 0;
  int64_t until_ms = state.expected_at_ms + AWAIT_MS;
  while (state.expected && signals_in_foreground(state.fd) && input_within(until_ms - clock_now_ms()) &&
         !input_is_gone()) {
    for (int key = next_key(); key != SCREEN_KEY_NONE; key = next_key()) {
      keys[count] = key;
      count += count + 1 < HELD_KEYS;
    }
  }
  while (count > 0) give_back(keys[--count]);
}
