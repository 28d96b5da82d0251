/* SPDX-License-Identifier: MIT */
/* Switches the mouse on and off, and reads its events. */
#include "mouse.h"
#include "tui/text/signals.h"
#include <ncurses.h>
#include <string.h>

void mouse_use(bool on)
{
  static const char off[] = "\033[?1006l\033[?1000l";
  static bool told;
  if (on && !told) {
    signals_crash_bytes(off, strlen(off));
    told = true;
  }
  mousemask(on ? BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0, NULL);
  mouseinterval(0); /* no waiting for a second click */
}

struct mouse_event mouse_take(void)
{
  MEVENT event;
  struct mouse_event taken = { MOUSE_NOTHING, 0, 0 };
  if (getmouse(&event) != OK) return taken;
  taken.y = event.y;
  taken.x = event.x;
  if ((event.bstate & BUTTON1_PRESSED) != 0) taken.action = MOUSE_PRESS;
  else if ((event.bstate & BUTTON4_PRESSED) != 0) taken.action = MOUSE_WHEEL_UP;
  else if ((event.bstate & BUTTON5_PRESSED) != 0) taken.action = MOUSE_WHEEL_DOWN;
  return taken;
}
