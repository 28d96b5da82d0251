/* The command line, parsed once (getopt_long), as DESIGN's contract says. */
#ifndef RTOP_TUI_OPTIONS_H
#define RTOP_TUI_OPTIONS_H

#include "tui/history/lens.h"
#include "tui/history/stalls.h"
#include "tui/methods/methods.h"
#include "tui/tables/columns.h"
#include "tui/term/keys.h"
#include "tui/term/theme_name.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { RTOP_PIDS_MAX = 64, RTOP_REPLAYS_MAX = 8 };

/* Options that are settings of the screen, too. */
enum rtop_given {
  RTOP_GIVEN_DELAY = 1 << 0,
  RTOP_GIVEN_FRAME = 1 << 1,
  RTOP_GIVEN_MODE = 1 << 2,
  RTOP_GIVEN_SORT = 1 << 3,
  RTOP_GIVEN_VIEW = 1 << 4,
  RTOP_GIVEN_COLUMNS = 1 << 5,
  RTOP_GIVEN_ASCII = 1 << 6,
  RTOP_GIVEN_HEADER = 1 << 7,
  RTOP_GIVEN_FOOTER = 1 << 8,
  RTOP_GIVEN_MOUSE = 1 << 9,
  RTOP_GIVEN_THEME = 1 << 10,
};

struct rtop_options {
  enum rtop_action {
    RTOP_ACTION_CHOOSE, /* no target: let the user choose */
    RTOP_ACTION_WATCH,  /* -p */
    RTOP_ACTION_RUN,    /* -- COMMAND */
    RTOP_ACTION_REPLAY, /* -r */
    RTOP_ACTION_LIST,
    RTOP_ACTION_LIST_COLUMNS,
    RTOP_ACTION_LIST_KEYS,
    RTOP_ACTION_HELP,
    RTOP_ACTION_VERSION,
  } action;
  pid_t pids[RTOP_PIDS_MAX];
  int pid_count;
  const char *replays[RTOP_REPLAYS_MAX]; /* -r: the last is shown, those before are compared with */
  int replay_count;
  char **command;            /* NULL-terminated, points into argv */
  const char *output;        /* -o; NULL: none */
  uint64_t size_max_bytes;   /* --max-size of a recording; 0: no bound */
  double time_seconds;       /* -t; 0: not given */
  struct stall_limits stall; /* --stall-… */
  const char *on_stall;      /* --on-stall: a command of sh; NULL: none */
  const char *save_on_stall; /* --save-on-stall: a folder; NULL: none */
  bool batch;
  bool json;
  bool stat;                           /* --stat */
  long refreshes;                      /* -n; 0: no bound */
  bool last_only;                      /* of a recording: its last frame, where no screen can be had */
  double delay_seconds;                /* -d, default 1 */
  double frame_seconds;                /* -F, default 1; 0: all */
  struct rtop_methods_options methods; /* -m -s --filter --thread --min */
  struct rtop_lens_look lens;          /* --exclude --only-mine --no-c --merge --label */
  uint32_t rate_hz;                    /* --hz; 0: what the process takes by itself */
  enum rtop_color { RTOP_COLOR_AUTO, RTOP_COLOR_NEVER, RTOP_COLOR_ALWAYS } color;
  bool ascii;                    /* -U */
  struct columns_choice columns; /* --columns */
  bool no_header, no_footer;
  bool mouse;              /* -M */
  enum theme_name theme;   /* --theme */
  const char *config;      /* --config: the settings' file; NULL: the usual one */
  unsigned given;          /* RTOP_GIVEN_… on the command line: no setting changes it */
  enum view_id view;       /* --view: what the screen starts with */
  const char *dump_screen; /* --dump-screen=WIDTHxHEIGHT[:FILE.svg|FILE.txt]; NULL: none */
};

/* Returns -1 to go on, or the exit status (0 or 2) after printing help, version or one usage line. */
int rtop_options_parse(struct rtop_options *options, int argc, char **argv);

#endif
