/* SPDX-License-Identifier: MIT */
/* The state of the screen between two keys: views draw from it, and keys change it. Parts of the state with a purpose
 * of their own have their own header; views see sums and rows here, never channels.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_UI_H
#define RTOP_TUI_UI_H

#include "ui_ask.h"
#include "ui_baseline.h"
#include "ui_calls.h"
#include "ui_hysteresis.h"
#include "ui_focus.h"
#include "ui_look.h"
#include "ui_processes.h"
#include "ui_rows.h"
#include "ui_stalls.h"
#include "ui_time.h"
#include "ui_traces.h"
#include "ui_verdict.h"
#include "ui_view.h"
#include "ui_way.h"
#include "ui_list.h"
#include "tui/methods/live.h"
#include "tui/methods/methods.h"
#include "tui/tables/strip.h"
#include "tui/term/keys.h"
#include "tui/term/layout.h"
#include "tui/text/hysteresis.h"
#include "tui/verdict/core_limits.h"
#include "tui/trees/tree.h"

struct rtop_options;
struct ui;

/* Where things were drawn, for the mouse. */
enum { UI_FOOTER_KEYS = 24 };
struct ui_drawn {
  struct {
    int x, columns;
  } tab[VIEW_DATA_COUNT];
  struct {
    int x, columns, key;
  } footer_key[UI_FOOTER_KEYS];
  int footer_keys;
  struct {
    int y, x;
    int64_t at_ns;
  } pressed; /* last click in the table: a second one at the same position is a double click */
};

/* Requests to the main loop, which resets them when done. */
struct ui_wish {
  struct {
    bool wanted;
    uint32_t line;
    uid_t owner; /* of the channel that named it */
    char path[1400];
  } edit;                     /* open the editor */
  char command[PROMPT_BYTES]; /* run it (command.h); empty: none */
  struct {
    bool toggle;     /* start or stop recording */
    char path[1024]; /* save the span as this recording; "": no */
  } record;
  char trace[200]; /* begin or end tracing this method; "": none */
  bool sites;      /* begin or end sampling of new objects */
  struct ui_calls_wish calls;
  pid_t chosen;      /* pid of the process to watch; 0: none was chosen yet */
  bool leave_target; /* back to the list */
  bool quit, suspend, repaint;
};

struct ui {
  const struct view_ops *view, *back; /* back: where help and output return to */
  enum view_id first_view;            /* of a target */
  void *data[VIEW_COUNT];             /* the views' own */

  struct ui_look look;
  struct ui_ask ask;
  struct ui_drawn drawn;
  struct ui_wish wish;
  struct ui_list list;

  struct ui_source source;
  bool source_opened_output;    /* opened automatically, because there was nothing else to show */
  struct rtop_profile *profile; /* NULL: nothing is watched yet */
  int64_t now_ns;               /* CLOCK_MONOTONIC of the last event */
  int64_t now_real_ns;

  struct rtop_methods_options wanted; /* sort, filter, mode; strings point into this struct */
  char filter[PROMPT_BYTES], search[PROMPT_BYTES];
  const char *filter_error;   /* why the expression typed last is invalid */
  struct rtop_lens_look lens; /* what is hidden and merged */
  struct ui_focus focus;
  int64_t length_ns; /* of the span; <= 0: everything */
  double delay_seconds;
  bool frozen; /* the display is stopped at time.cursor_ns; data are still collected */
  struct ui_time time;
  struct ui_stalls stalls;
  struct ui_verdict verdict;
  struct ui_raised raised;
  struct rests rests;       /* of the threads of the sum */
  struct core_limits cores; /* limits of the process while it lives; updated by the loop */
  struct ui_baseline baseline;
  struct ui_traces traces;
  struct ui_calls calls;
  int64_t sites_begin_ns; /* allocation sites from before this time are not shown */
  int apart;              /* how processes are shown: 0 merged, 1 separately, from 2 on only source apart - 2 */
  bool follow;

  bool exact;                         /* figures are shown as they are */
  struct rtop_hysteresis *hysteresis; /* shapes that swing (ui_hysteresis.h) */
  uint32_t selected;                  /* frame under the cursor, shared by all views; 0: none */
  uint32_t chosen;                    /* frame last selected by a key or click */
  struct ui_way way;                  /* the call of it that is meant */

  struct rtop_span span;  /* what is shown */
  struct rtop_live *live; /* sum and methods of the profile, kept between updates */
  struct rtop_sum sum;
  struct rtop_methods methods;
  struct rtop_tree tree; /* of views that want it */
  bool fold;             /* recursion in the tree */
  struct strip strip;
  bool stale;   /* the model must be rebuilt before drawing */
  bool touched; /* by the user, since it was rebuilt */
  bool dirty;   /* the screen must be drawn */
  bool more;    /* update again soon: slow parts are computed in steps */

  struct layout layout;
  size_t match_count, match_at; /* match_at: number of the match under the cursor,
                                   as in "3/17"; 0: the cursor is on no match */
  char message[512];
  int64_t message_until_ns;

  const struct rtop_options *options; /* of the command line */
};

/* Handles keys with the same meaning in every view of data: sort, window, units, copy (ui_figures.c). Views notice a
 * new order by comparing wanted.sort and wanted.reverse. */
bool ui_figures_request(struct ui *ui, enum request request);

/* Format: a share of the span (1: one thread all the time); a cost in the chosen units, at most 6 columns.
 * ui_matches(): does the search match this method? ui_why_empty(): why is there nothing to show? */
double ui_share(const struct ui *ui, uint64_t ns);
void ui_cost_text(const struct ui *ui, char *out, size_t bytes, const struct rtop_cost *cost);
void ui_figure_text(const struct ui *ui, char *out, size_t bytes, uint64_t ns, uint64_t samples);
bool ui_matches(const struct ui *ui, uint32_t frame);
const char *ui_why_empty(const struct ui *ui);
/* Draws such a reason into the rows of a table below its heading, wrapped. */
void ui_draw_empty(struct rect table, const char *why);

/* Returns as much of a label as fits, dropping outer namespaces first, since the end is more informative. */
const char *ui_label_that_fits(const char *label, int columns);
/* So many calls of which each only makes the next are shown as one: a row of the tree, a cell of the icicle. */
enum { UI_CHAINS_FROM = 4 };
/* Writes "chain of 25: Middleware::Chain#invoke > StuckJob#perform"; where there is no room for both names the last one
 * alone, as `alone`. Returns the columns, perhaps more than there are. */
int ui_chain_text(unsigned chain, const char *first, const char *last, const char *alone, char *out, size_t bytes,
                  int columns);
/* Writes a frame's place: "/app/models/order.rb:7", "<C>", or "". */
void ui_place(char *out, size_t bytes, const struct rtop_symbol *symbol);

/* Returns a command line without the directory of its program: "/opt/ruby/bin/ruby app.rb" becomes "ruby app.rb". */
const char *ui_short_command(const char *command);

/* Shows a message above the footer until the next key, or for some seconds depending on its length. */
void ui_say(struct ui *ui, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool ui_has_message(const struct ui *ui);

/* Copies text to the clipboard, cut to its limit; if the clipboard is disabled in the settings, only shows a message. */
void ui_copy(struct ui *ui, const char *text);

/* Uses an expression as typed; a leading '!' inverts it; ui->filter_error has the reason if it is invalid. */
void ui_take_filter(struct ui *ui, const char *text);
void ui_freeze(struct ui *ui, bool frozen);

#endif
