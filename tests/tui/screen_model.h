/* A small web server as the screen tests see it: hand-made windows of the last 75 seconds, the same in
 * every run, and one screen of any kind drawn from them.
 */
#ifndef RTOP_TESTS_TUI_SCREEN_MODEL_H
#define RTOP_TESTS_TUI_SCREEN_MODEL_H

#include "tui/views/viewer.h"
#include <stdbool.h>
#include <stdio.h>

#define MODEL_END_NS INT64_C(5000050000000) /* CLOCK_MONOTONIC of the end of the last window */
#define MODEL_OFFSET_NS (INT64_C(1790000000000000000) - MODEL_END_NS)

struct screen_case {
  const char *name; /* of the golden file; NULL: only for looking at */
  int rows, columns;
  bool ascii, mono;
  bool c_locale;
  bool attributes; /* the golden holds attributes too */
  bool header;     /* the golden shows header, tabs and footer: one of each size does */
  bool dead;       /* the process was killed */
  int *keys;       /* pressed one after the other, ends with 0; NULL: none */
};

struct rtop_profile *model_profile(void);
/* The same, while OrdersController#index was traced. */
struct rtop_profile *model_traced_profile(bool arguments); /* of slow calls */
/* One more window at the end, in which `frame_label` alone has run. */
void model_add_window(struct rtop_profile *profile, int64_t start_ns, const char *frame_label);

/* One more window, in which all calls were traced (enum rtop_whole_state). */
void model_add_calls(struct rtop_profile *profile, int64_t start_ns, int state, uint32_t serial);
/* The server for five seconds more, while all its calls were traced. */
struct rtop_profile *model_calls_profile(void);

/* ui of a watched process over model_profile(), time standing still at the end of the last window. */
void model_ui(struct ui *ui, struct rtop_profile *profile);
void model_ui_end(struct ui *ui, struct rtop_profile *profile);

/* Opens a headless screen as the case says, draws, presses its keys (drawing after each). */
void model_screen_open(const struct screen_case *screen_case, struct ui *ui, struct rtop_profile *profile);
void model_redraw(struct ui *ui);
void model_press(struct ui *ui, int key);
void model_type(struct ui *ui, const char *text);
/* Blanks what stands around every view (header, tabs, footer; the tag of the title stays), so that the golden screen
 * of a view changes with that view only. */
void model_crop_header(const struct ui *ui);
/* What stands on the screen; free() it. */
char *model_screen_text(void);
/* Whether this text stands on it; lines end in \n. */
bool shows(const char *text);
/* What stands on the screen is what drawing it from nothing gives: nothing is left over, and nothing is missing. */
void check_drawn_afresh(struct ui *ui);
void model_screen_close(struct ui *ui, struct rtop_profile **profile);

/* Compares text with tests/tui/screens/NAME.screen; with UPDATE_GOLDEN=1 writes it. */
void golden_check(const char *name, const char *text);

#endif
