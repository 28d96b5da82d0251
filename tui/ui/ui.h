/* SPDX-License-Identifier: MIT */
/* The state of the screen between two keys: what the views draw from and what keys change. Parts with an idea of their
 * own have their own header; views see sums and rows here, never channels.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_UI_H
#define RTOP_TUI_UI_H

#include "ui_ask.h"
#include "ui_baseline.h"
#include "ui_calls.h"
#include "ui_calm.h"
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
#include "tui/text/calm.h"
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
  } pressed; /* last, in the table: a second time makes a double click */
};

/* What the loop is to do; it takes back what it has done. */
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
  pid_t chosen;      /* watch this process; 0: none was chosen yet */
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
  bool source_opened_output;    /* by itself, for there was nothing else to see */
  struct rtop_profile *profile; /* NULL: nothing is watched yet */
  int64_t now_ns;               /* CLOCK_MONOTONIC of the last event */
  int64_t now_real_ns;

  struct rtop_methods_options wanted; /* sort, filter, mode; strings point into this struct */
  char filter[PROMPT_BYTES], search[PROMPT_BYTES];
  const char *filter_error;   /* why the expression typed last does not work */
  struct rtop_lens_look lens; /* what is hidden and merged */
  struct ui_focus focus;
  int64_t length_ns; /* of the span; <= 0: everything */
  double delay_seconds;
  bool frozen; /* at time.cursor_ns; data go on being collected */
  struct ui_time time;
  struct ui_stalls stalls;
  struct ui_verdict verdict;
  struct ui_raised raised;
  struct rests rests; /* of the threads of the sum */
  struct core_limits cores; /* of the process, while it lives; kept by the loop */
  struct ui_baseline baseline;
  struct ui_traces traces;
  struct ui_calls calls;
  int64_t sites_begin_ns; /* allocation sites of what came before are not shown */
  int apart;              /* processes: 0 merged, 1 apart, from 2 on only source apart - 2 */
  bool follow;

  bool exact;             /* figures are shown as they are */
  struct rtop_calm *calm; /* shapes that swing (ui_calm.h) */
  uint32_t selected;      /* frame under the cursor, the same in all views; 0: none */
  uint32_t chosen;        /* the last one that a key or a click has selected */
  struct ui_way way;      /* the call of it that is meant */

  struct rtop_span span;  /* what is shown */
  struct rtop_live *live; /* sum and methods of the profile, kept from update to update */
  struct rtop_sum sum;
  struct rtop_methods methods;
  struct rtop_tree tree; /* of views that want it */
  bool fold;             /* recursion in the tree */
  struct strip strip;
  bool stale;   /* the model must be rebuilt before drawing */
  bool touched; /* by the user, since it was rebuilt */
  bool dirty;   /* the screen must be drawn */
  bool more;    /* update again soon: slow parts are done bit by bit */

  struct layout layout;
  size_t match_count, match_at; /* of the search: "3/17", at 0: the cursor is on no match */
  char message[512];
  int64_t message_until_ns;

  const struct rtop_options *options; /* of the command line */
};

/* Keys that mean the same in every view of the data: sort, window, units, copy (ui_figures.c). Views see a
 * new order when they compare wanted.sort and wanted.reverse with what they know. */
bool ui_figures_request(struct ui *ui, enum request request);

/* A share of the span (1: one thread all the time); a cost in the units that the user chose, at most 6
 * columns; does the search find this method? Why there is nothing to show. */
double ui_share(const struct ui *ui, uint64_t ns);
void ui_cost_text(const struct ui *ui, char *out, size_t bytes, const struct rtop_cost *cost);
void ui_figure_text(const struct ui *ui, char *out, size_t bytes, uint64_t ns, uint64_t samples);
bool ui_matches(const struct ui *ui, uint32_t frame);
const char *ui_why_empty(const struct ui *ui);
/* Such a reason in the rows of a table below its heading, wrapped. */
void ui_draw_empty(struct rect table, const char *why);

/* As much of a label as fits, without the outer namespaces when that is too long: the end tells more. */
const char *ui_label_that_fits(const char *label, int columns);
/* "/app/models/order.rb:7", "<C>", "": where a frame stands. */
void ui_place(char *out, size_t bytes, const struct rtop_symbol *symbol);

/* A command line without the folder of its program: "/opt/ruby/bin/ruby app.rb" is "ruby app.rb". */
const char *ui_short_command(const char *command);

/* A message above the footer for some seconds, the longer, the longer, or up to the next key. */
void ui_say(struct ui *ui, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool ui_has_message(const struct ui *ui);

/* To the clipboard, cut to what that takes; where it is not to be used (settings), the note is all. */
void ui_copy(struct ui *ui, const char *text);

/* An expression as it is typed, '!' in front inverts it; ui->filter_error says why it does not work. */
void ui_take_filter(struct ui *ui, const char *text);
void ui_freeze(struct ui *ui, bool frozen);

#endif
