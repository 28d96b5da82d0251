/* SPDX-License-Identifier: MIT */
/* Shared by the files that parse the command line: the table of options (options.def), and functions that read, check
 * and explain options. */
#ifndef RTOP_TUI_OPTIONS_IMPL_H
#define RTOP_TUI_OPTIONS_IMPL_H

#include "options.h"
#include <stdio.h>

/* A row of options.def; the row of RTOP_OPTION_NONE is empty. */
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
/* Finds the option with a name as in messages ("-p", "--inject"); RTOP_OPTION_NONE: unknown. */
enum rtop_option option_find(const char *said, size_t bytes);
/* Finds the option for a result of getopt_long(): a letter, or OPTION_LONG plus the option's number. */
enum { OPTION_LONG = 256 };
enum rtop_option option_of(int got);

/* options_values.c: stores an option with its argument (or NULL). Returns -1 to continue, or the exit status. */
int options_take(struct rtop_options *options, enum rtop_option option, const char *text);
int options_pids(struct rtop_options *options, const char *text);
int options_replay(struct rtop_options *options, const char *text);
/* Names of views and of file formats, separated by blanks, each in a static buffer. */
const char *options_view_names(void);
const char *options_format_names(void);

/* options_check.c: checks the combination of options and sets those that follow from others. Returns -1 to continue, or
 * the exit status. */
int options_check(struct rtop_options *options);

/* options_help.c: prints the text of --help, or of `--help all`. */
void options_help_write(bool all, FILE *out);
/* Prints one line for each option: its names and possible arguments (WORDS of options.def). */
void options_list_write(FILE *out);

#endif
