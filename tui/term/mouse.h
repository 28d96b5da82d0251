/* SPDX-License-Identifier: MIT */
/* The mouse, for those who want it: presses of the first button and the wheel, nothing else. While it is
 * on, the terminal selects text only with Shift held down.
 *
 * Curses switches it off whenever it gives the terminal away (end, suspend, editor); for a crash the
 * sequences that do so are handed to the crash handler.
 *
 * Threads: one, while a screen is open.
 */
#ifndef RTOP_TUI_MOUSE_H
#define RTOP_TUI_MOUSE_H

#include <stdbool.h>

enum mouse_action { MOUSE_NOTHING, MOUSE_PRESS, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN };

struct mouse_event {
  enum mouse_action action;
  int y, x;
};

void mouse_use(bool on);
/* The event behind a KEY_MOUSE; MOUSE_NOTHING when it is none of ours. */
struct mouse_event mouse_take(void);

#endif
