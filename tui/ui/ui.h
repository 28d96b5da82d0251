/* The state of the screen between two keys, and what every view needs of it. Views are one file and one row in
 * the table of viewer.c each; they draw from the sum and rows here and never see channels.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_UI_H
#define RTOP_TUI_UI_H

#include "ui_baseline.h"
#include "ui_rows.h"
#include "ui_stalls.h"
#include "ui_time.h"
#include "tui/feed/feed.h"
#include "tui/feed/list.h"
#include "tui/methods/live.h"
#include "tui/methods/methods.h"
#include "tui/tables/columns.h"
#include "tui/tables/strip.h"
#include "tui/term/keys.h"
#include "tui/term/layout.h"
#include "tui/term/menu.h"
#include "tui/term/prompt.h"
#include "tui/trees/tree.h"
#include <regex.h>

struct rtop_launch;
struct rtop_options;
struct ui;

struct view_ops {
  enum view_id id;
  bool detail;                         /* has a pane on the right of wide screens */
  bool graphs;                         /* of the history, above the table */
  bool threads;                        /* draws no methods: these are not kept up to date while it is shown */
  bool calls;                          /* draws calls: rows of methods are not kept up to date meanwhile */
  bool tree;                           /* draws from ui->tree: kept up to date while it is shown */
  size_t bytes;                        /* of what the view keeps in ui->data: zeros, then start() */
  void (*start)(struct ui *ui);        /* once, before anything else; may be NULL like all below */
  bool (*ratios)(const struct ui *ui); /* shows ratios of methods: they take time to make */
  void (*update)(struct ui *ui);       /* sum or rows changed */
  void (*open)(struct ui *ui);         /* comes to the screen: the cursor goes to ui->selected */
  void (*note)(const struct ui *ui, char *out, size_t bytes); /* at the right of the row of tabs */
  void (*draw)(struct ui *ui);                                /* table, detail and tiny screen: ui->layout says where */
  bool (*handle)(struct ui *ui, enum request request);        /* false: nothing to do for this request */
  void (*click)(struct ui *ui, int row, int x);               /* within the table; row 0 is its heading */
  void (*forget)(struct ui *ui);               /* another target, or the end: frees what there was of the last one */
  struct ui_rows (*rows)(const struct ui *ui); /* what a cursor moves over (ui_rows.h) */
  bool (*matches)(const struct ui *ui, size_t place); /* does the search find this row? */
  void (*go)(struct ui *ui, size_t place);            /* the user moves the cursor to this row */
  bool (*seek)(struct ui *ui); /* what is searched for is in no row: goes where it is. False: nowhere */
};

/* What the open menu is for; the answer is menu_value(). */
enum ui_menu { UI_MENU_SORT, UI_MENU_MERGE, UI_MENU_COLUMNS, UI_MENU_SETUP };
enum ui_prompt {
  UI_PROMPT_NONE,
  UI_PROMPT_SEARCH,
  UI_PROMPT_FILTER,
  UI_PROMPT_DELAY,
  UI_PROMPT_COMMAND,
  UI_PROMPT_EXCLUDE,
  UI_PROMPT_GOTO
};
enum ui_footer { FOOTER_KEYS, FOOTER_LETTERS, FOOTER_OFF };
/* AUTO: as the terminal wants it. */
enum ui_ascii { UI_ASCII_AUTO, UI_ASCII_ON, UI_ASCII_OFF };
enum ui_units { UNITS_PERCENT, UNITS_TIME, UNITS_SAMPLES };

enum { UI_SOURCES_MAX = 128 };
#define UI_ALL_SOURCES UINT32_MAX

/* A process that is watched. */
struct ui_process {
  pid_t pid;
  uid_t owner; /* of the channel or the recording: with whose rights files are read */
  char command[256];
  char ruby[32];
  enum rtop_feed_state state;
  bool replaced; /* by exec: another source goes on with it */
  int64_t started_real_ns;
  char end[64];                 /* how it ended; "" while it lives or nothing is known */
  bool by_exec;                 /* then: it became another program */
  int64_t ended_real_ns;        /* then: time of day of its last window */
  int64_t lived_ns;             /* then: from the start of the channel on */
  uint64_t losses[RTOP_LOSSES]; /* what found no room, since it was started */
};

/* What is watched, as the loop knows it. */
struct ui_source {
  bool ready;                           /* a channel was found */
  int processes;                        /* that live; 1 when none does */
  int count;                            /* of all sources, those that ended too */
  struct ui_process at[UI_SOURCES_MAX]; /* by source */
  struct ui_process main;               /* the first that lives; state and end are those of all together */
  int64_t clock_offset_ns;              /* real - mono */
  struct rtop_launch *launch;           /* NULL: no command was started */
  const char *problem;                  /* or NULL */
  bool recording;                       /* into a file, just now */
  char file[64];                        /* of a replay: its name without the folder */
};

/* The threads that the figures of every view are made from (ui_focus.c). */
enum { UI_FOCUS_MAX = 64 };
struct ui_focus {
  int count; /* chosen ones; 0: all threads */
  struct {
    uint32_t source;
    uint64_t serial;
  } at[UI_FOCUS_MAX];
  char name[64];  /* of what was chosen: a thread, or "3 threads" */
  bool no_idle;   /* threads that are off the GVL for the whole span are left out */
  bool has_names; /* only threads whose name matches (--thread) */
  regex_t names;
};

enum { UI_FOOTER_KEYS = 24 };

struct ui {
  const struct view_ops *view, *back; /* back: where help and output return to */
  enum view_id first_view;            /* of a target */
  void *data[VIEW_COUNT];             /* the views' own */

  struct ui_source source;
  struct rtop_profile *profile; /* NULL: nothing is watched yet */
  int64_t now_ns;               /* CLOCK_MONOTONIC of the last event */
  int64_t now_real_ns;

  struct columns_choice columns;      /* of the table of methods */
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
  struct ui_baseline baseline;
  int apart; /* processes: 0 merged, 1 apart, from 2 on only source apart - 2 */
  enum ui_units units;
  bool follow;
  bool header;
  enum ui_footer footer;
  bool mouse;
  bool sync; /* the terminal is told where a frame begins and ends */
  enum ui_ascii ascii;
  bool wide; /* the terminal draws blocks and lines in two columns */

  uint32_t selected; /* frame under the cursor, the same in all views; 0: none */

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
  struct {
    int x, columns;
  } tab[VIEW_DATA_COUNT]; /* where they were drawn, for the mouse */
  struct {
    int x, columns, key;
  } footer_key[UI_FOOTER_KEYS];
  int footer_keys;
  int scroll; /* of columns */
  enum ui_prompt prompting;
  struct prompt prompt;
  char before_prompt[PROMPT_BYTES]; /* what Esc brings back */
  struct menu menu;
  enum ui_menu menu_for;
  char menu_text[MENU_ITEMS_MAX][64]; /* labels, when they are made up */
  size_t match_count, match_at;       /* of the search: "3/17", at 0: the cursor is on no match */
  char message[160];
  int64_t message_until_ns;

  struct rtop_list_row processes[RTOP_LIST_MAX];
  size_t process_count;
  pid_t chosen;      /* the chooser's answer; 0: none yet */
  bool choosing;     /* there is a list to go back to */
  bool leave_target; /* back to the list */

  struct {
    bool wanted;
    uint32_t line;
    uid_t owner; /* of the channel that named it */
    char path[1400];
  } edit;                             /* the loop opens the editor */
  char command[PROMPT_BYTES];         /* the loop runs it (command.h); empty: none */
  const struct rtop_options *options; /* of the command line */
  struct {
    bool toggle;     /* start or stop recording */
    char path[1024]; /* the span is to be saved as this recording; "": no */
  } record;          /* the loop does it */
  bool quit, suspend, repaint;
};

/* Keys that mean the same in every view of the data: sort, window, units, copy (ui_figures.c). Views see a
 * new order when they compare wanted.sort and wanted.reverse with what they know. */
bool ui_figures_request(struct ui *ui, enum request request);

/* The column chooser: opens it; a key in it, false: not one of its own (ui_columns.c). */
void ui_columns_open(struct ui *ui);
bool ui_columns_key(struct ui *ui, int key);

/* A share of the span (1: one thread all the time); a cost in the units that the user chose, at most 6
 * columns; does the search find this method? Why there is nothing to show. */
double ui_share(const struct ui *ui, uint64_t ns);
void ui_cost_text(const struct ui *ui, char *out, size_t bytes, const struct rtop_cost *cost);
void ui_figure_text(const struct ui *ui, char *out, size_t bytes, uint64_t ns, uint64_t samples);
bool ui_matches(const struct ui *ui, uint32_t frame);
const char *ui_why_empty(const struct ui *ui);

/* "/app/models/order.rb:7", "<C>", "": where a frame stands. */
void ui_place(char *out, size_t bytes, const struct rtop_symbol *symbol);

/* A command line without the folder of its program: "/opt/ruby/bin/ruby app.rb" is "ruby app.rb". */
const char *ui_short_command(const char *command);

/* A note in the row of tabs for some seconds. */
void ui_say(struct ui *ui, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool ui_has_message(const struct ui *ui);

/* An expression as it is typed, '!' in front inverts it; ui->filter_error says why it does not work. */
void ui_take_filter(struct ui *ui, const char *text);
void ui_ask(struct ui *ui, enum ui_prompt what);
/* The command line with this already typed. */
void ui_ask_command(struct ui *ui, const char *text);
void ui_freeze(struct ui *ui, bool frozen);

/* Several processes (ui_processes.c): merged, apart, each of them alone, one after the other. */
void ui_processes_next(struct ui *ui);
static inline bool ui_lives(enum rtop_feed_state state)
{
  return state == RTOP_FEED_LIVE || state == RTOP_FEED_STALLED;
}
/* The process that the header tells of: one that is shown alone, or else the main one. */
const struct ui_process *ui_process(const struct ui *ui);
/* The source that is shown alone; UI_ALL_SOURCES: all are shown. */
uint32_t ui_processes_alone(const struct ui *ui);
bool ui_processes_shows(const struct ui *ui, uint32_t source);
/* The processes that are gone while others live: how many, and the one that went last (NULL: none). */
int ui_processes_gone(const struct ui *ui, const struct ui_process **last);
/* How many there are to be told apart: 0 while they are merged. */
int ui_processes_apart(const struct ui *ui);
/* "4712 " in front of a thread's name when processes are apart, else "". */
void ui_processes_prefix(const struct ui *ui, uint32_t source, char *out, size_t bytes);

/* Threads: takes the cells of all but the chosen ones out of the sum (their rows stay), chooses one and
 * no other (again: all), adds or takes away one, all again. */
bool ui_focus_init(struct ui *ui, const char *names);
void ui_focus_destroy(struct ui *ui);
void ui_focus_apply(struct ui *ui);
void ui_focus_apply_to(const struct ui *ui, struct rtop_sum *sum);
/* Changes with the choice, never by itself. */
uint64_t ui_focus_key(const struct ui *ui);
bool ui_focus_has(const struct ui *ui, const struct rtop_thread_row *thread);
void ui_focus_only(struct ui *ui, const struct rtop_thread_row *thread);
void ui_focus_toggle(struct ui *ui, const struct rtop_thread_row *thread);
void ui_focus_clear(struct ui *ui);
/* "puma 001", "3 threads", "no idle", "" when everything is shown. */
void ui_focus_text(const struct ui *ui, char *out, size_t bytes);

/* Whose files can be read: 0 when it is over. */
pid_t ui_source_pid(const struct ui *ui);
uid_t ui_source_owner(const struct ui *ui); /* with whose rights its files are read */

#endif
