/* SPDX-License-Identifier: MIT */
/* Options of the command line, parsed with getopt_long(). */
#ifndef RTOP_TUI_OPTIONS_H
#define RTOP_TUI_OPTIONS_H

#include "env_print.h"
#include "tui/export/file_formats.h"
#include "tui/history/lens.h"
#include "tui/stalls/stalls.h"
#include "tui/methods/methods.h"
#include "tui/push/push.h"
#include "tui/report/fail_if.h"
#include "tui/tables/columns.h"
#include "tui/term/keys.h"
#include "tui/term/theme_name.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { RTOP_PIDS_MAX = 64, RTOP_NAMES_MAX = 8, RTOP_REPLAYS_MAX = 8, RTOP_TRACES_MAX = 16, RTOP_HOSTS_MAX = 64 };

/* RTOP_OPTION_PID and so on (options.def). */
enum rtop_option {
  RTOP_OPTION_NONE,
#define OPTION(id, ...) RTOP_OPTION_##id,
#include "options.def"
  RTOP_OPTIONS,
};

/* Settings of the screen (settings.def), with one bit for each that was given on the command line. */
enum rtop_setting {
#define SETTING(id, ...) RTOP_SETTING_##id,
#include "settings.def"
  RTOP_SETTINGS,
};
enum rtop_given {
#define SETTING(id, ...) RTOP_GIVEN_##id = 1 << RTOP_SETTING_##id,
#include "settings.def"
};
bool rtop_setting_is_option(enum rtop_setting setting);

struct rtop_options {
  enum rtop_action {
    RTOP_ACTION_CHOOSE, /* no target: let the user choose */
    RTOP_ACTION_WATCH,  /* -p */
    RTOP_ACTION_RUN,    /* -- COMMAND */
    RTOP_ACTION_REPLAY, /* -r */
    RTOP_ACTION_LIST,
    RTOP_ACTION_LIST_COLUMNS,
    RTOP_ACTION_LIST_KEYS,
    RTOP_ACTION_LIST_OPTIONS,
    RTOP_ACTION_ENV,
    RTOP_ACTION_HELP,
    RTOP_ACTION_HELP_ALL,
    RTOP_ACTION_VERSION,
  } action;
  pid_t pids[RTOP_PIDS_MAX];
  int pid_count;
  const char *names[RTOP_NAMES_MAX]; /* -p NAME */
  int name_count;
  const char *replays[RTOP_REPLAYS_MAX]; /* -r: the last recording is shown; it is compared with those before it */
  int replay_count;
  const char *hosts[RTOP_HOSTS_MAX]; /* --ssh, --hosts: where the processes of -p are; none: here */
  int host_count;
  const char *ssh_command;           /* --ssh-command: a line for the shell there; NULL: rperf-top */
  bool alone;                        /* --no-follow */
  bool inject, yes;                  /* --inject, --yes */
  char **command;                    /* NULL-terminated, points into argv */
  const char *output;                /* -o without --stat; NULL: none */
  const char *format;                /* --format; NULL: by the ending of the name */
  struct rtop_file_kind output_kind; /* its format, unless `records` */
  bool records;                      /* the output is a recording */
  const char *stat_output;           /* -o with --stat; NULL: standard error, with -J standard output */
  uint64_t size_max_bytes;           /* --max-size of a recording; 0: no bound */
  double time_seconds;               /* -t; 0: not given */
  struct stall_limits stall;         /* --stall-… */
  const char *on_stall;              /* --on-stall: a command of sh; NULL: none */
  const char *save_on_stall;         /* --save-on-stall: a folder; NULL: none */
  const char *save_on_death;         /* --save-on-death: a folder; NULL: none */
  const char *metrics;               /* --metrics: [ADDRESS:]PORT, or FILE.prom; NULL: none */
  bool metrics_file;                 /* metrics go to a file */
  long metrics_top;                  /* --metrics-top, default 20 */
  const char *push;                  /* --push: a URL; NULL: none */
  enum push_kind push_kind;          /* --push-as, or by the URL */
  const char *push_name;             /* --push-name, default "ruby" */
  const char *push_headers;          /* --push-headers: a file; NULL: none */
  double interval_seconds;           /* --interval, default 10 */
  bool batch;
  bool json;
  bool stat;                           /* --stat */
  bool stream;                         /* --stream */
  const char *traces[RTOP_TRACES_MAX]; /* --trace */
  int trace_count;
  struct fail_if fail_if[FAIL_IF_MAX];
  int fail_if_count;
  uint32_t slower_us;                  /* --slower; 0: not given */
  bool whole;                          /* --trace-all */
  char whole_how[3];                   /* =ruby, =force, encoded as in the channel */
  double whole_seconds;                /* duration of --trace-all and --allocations: -t, or RTOP_WHOLE_SECONDS */
  bool sites, sites_by_bytes;          /* --allocations, =bytes */
  long refreshes;                      /* -n; 0: no bound */
  bool last_only;                      /* show only the last frame of a recording, because there is no screen */
  double delay_seconds;                /* -d, default 1 */
  double frame_seconds;                /* -F, default 1; 0: all */
  struct rtop_methods_options methods; /* -m -s --filter --thread --min */
  struct rtop_lens_look lens; /* --exclude --only-mine --no-c --merge --label --label-root --label-leaf --state */
  uint32_t rate_hz;           /* --hz; 0: the rate of the process */
  enum rtop_color { RTOP_COLOR_AUTO, RTOP_COLOR_NEVER, RTOP_COLOR_ALWAYS } color;
  bool ascii;                    /* -U */
  struct columns_choice columns; /* --columns */
  bool no_header, no_footer;
  bool mouse;              /* -M */
  enum theme_name theme;   /* --theme */
  const char *config;      /* --config: file of the settings; NULL: the default one */
  bool has[RTOP_OPTIONS];  /* options that are on the command line */
  unsigned given;          /* bits RTOP_GIVEN_… of options that the saved settings must not change */
  enum view_id view;       /* --view: first view of the screen */
  enum rtop_env_kind env;  /* --env: kind of text */
  const char *dump_screen; /* --dump-screen=WIDTHxHEIGHT[:FILE.svg|FILE.txt]; NULL: none */
};

/* Parses the command line. Returns -1 to continue, or the exit status (0 or 2) after printing help, version or one line
   about wrong usage. */
int rtop_options_parse(struct rtop_options *options, int argc, char **argv);

#endif
