/* SPDX-License-Identifier: MIT */
/* The options as a table, and the message about wrong usage. */
#include "options_impl.h"

#include <getopt.h>
#include <stdarg.h>
#include <string.h>

const struct option_row option_rows[RTOP_OPTIONS] = {
  [RTOP_OPTION_NONE] = { .name = "", .value = "", .help = "", .said = "" },
#define OPTION(id, letter, name, argument, value, take, brief, help)                                                   \
  [RTOP_OPTION_##id] = {                                                                                               \
    (letter)[0], name, argument##_argument, value, brief, help, sizeof(letter) > 1 ? "-" letter : "--" name            \
  },
#include "options.def"
};

int options_usage(const char *format, ...)
{
  va_list arguments;
  fputs("rperf-top: ", stderr);
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputs(". Try 'rperf-top --help'\n", stderr);
  return 2;
}

enum rtop_option option_find(const char *said, size_t bytes)
{
  for (enum rtop_option option = RTOP_OPTION_NONE + 1; option < RTOP_OPTIONS; option++)
    if (strlen(option_rows[option].said) == bytes && memcmp(option_rows[option].said, said, bytes) == 0) return option;
  return RTOP_OPTION_NONE;
}

enum rtop_option option_of(int got)
{
  if (got >= OPTION_LONG) return (enum rtop_option)(got - OPTION_LONG);
  for (enum rtop_option option = RTOP_OPTION_NONE + 1; option < RTOP_OPTIONS; option++)
    if (option_rows[option].letter == got) return option;
  return RTOP_OPTION_NONE;
}
