/* SPDX-License-Identifier: MIT */
/* Optional mouse support: presses of the first button, and the wheel. While it is on, the terminal selects text
 * only with Shift.
 *
 * Curses switches the mouse off whenever it releases the terminal (end, suspend, editor); the crash handler gets the
 * sequences that switch it off.
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
/* Returns the event for a KEY_MOUSE; MOUSE_NOTHING for an event that is not supported. */
struct mouse_event mouse_take(void);

#endif
