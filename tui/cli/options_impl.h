/* SPDX-License-Identifier: MIT */
/* What the files of the command line share: the table of its options (options.def), and how each is read, checked and
 * told of. */
#ifndef RTOP_TUI_OPTIONS_IMPL_H
#define RTOP_TUI_OPTIONS_IMPL_H

#include "options.h"
#include <stdio.h>

/* A row of options.def; the first one is of none. */
struct option_row {
  char letter;      /* 0: there is none */
  const char *name; /* without dashes */
  int argument;     /* no_argument, … of getopt_long() */
  const char *value, *brief, *help;
  const char *said; /* in messages: "-p", "--inject" */
};
extern const struct option_row option_rows[RTOP_OPTIONS];

/* options_rows.c: prints one line on stderr; returns the exit status of wrong usage. */
int __attribute__((format(printf, 1, 2))) options_usage(const char *format, ...);
/* By what messages call it; RTOP_OPTION_NONE when there is no such option. */
enum rtop_option option_find(const char *said, size_t bytes);
/* By what getopt_long() returns for options_rows.c's table: a letter, or OPTION_LONG and the id. */
enum { OPTION_LONG = 256 };
enum rtop_option option_of(int got);

/* options_values.c: puts an option and its argument, or NULL, into the options. -1 to go on, or the exit status. */
int options_take(struct rtop_options *options, enum rtop_option option, const char *text);
int options_pids(struct rtop_options *options, const char *text);
int options_replay(struct rtop_options *options, const char *text);
/* Views, and formats of files, parted by blanks. Each in a static buffer. */
const char *options_view_names(void);
const char *options_format_names(void);

/* options_check.c: do the options make sense together? Completes those that follow from others. */
int options_check(struct rtop_options *options);

/* options_help.c: the text of --help, or of `--help all`. */
void options_help_write(bool all, FILE *out);
/* A line for each option: its names, and the words that can follow (WORDS of options.def). */
void options_list_write(FILE *out);

#endif
