/* SPDX-License-Identifier: MIT */
/* Prints the texts of --help and `--help all` and the list for shells, from the rows of options.def. */
#include "options_impl.h"

#include <string.h>

static const char help_head_short[] =
    "rperf-top - live profiler for Ruby processes: methods, GVL, garbage collection\n"
    "\n"
    "  rperf-top                       choose a process\n"
    "  rperf-top PID                   watch a process and its children\n"
    "  rperf-top NAME                  watch those called NAME, also after a restart\n"
    "  rperf-top -- COMMAND            start COMMAND with the extension and watch it\n"
    "  rperf-top FILE.rpt              open a recording\n"
    "  ssh HOST rperf-top --stream -p PID | rperf-top -r -\n"
    "                                  watch a process on another host\n";

static const char help_head[] = "rperf-top - live profiler for Ruby processes: methods, GVL, garbage collection\n"
                                "\n"
                                "  rperf-top                           choose a process\n"
                                "  rperf-top [-p] PID[,PID...] [PID...]\n"
                                "                                      watch processes and their children, merged\n"
                                "  rperf-top [-p] NAME                 watch those called NAME, also after a restart\n"
                                "  rperf-top [OPTIONS] -- COMMAND      start COMMAND with the extension and watch it\n"
                                "  rperf-top [-r] FILE.rpt             open a recording\n"
                                "  ssh HOST rperf-top --stream -p PID | rperf-top -r -\n"
                                "                                      watch processes on another host\n";

static const char help_end_short[] = "\n"
                                     "To make any Ruby program watchable: eval \"$(rperf-top --env)\"; ruby app.rb\n";

static const char help_end[] =
    "\n"
    "SEC are seconds and may have decimals. To make any Ruby program watchable:\n"
    "  eval \"$(rperf-top --env)\"; ruby app.rb\n"
    "Exit status: 0 success, 1 process or file problem, 2 wrong usage; with -b, -J or -o and\n"
    "a COMMAND, the status of COMMAND (126: cannot be executed, 127: not found).\n";

enum { HELP_SHORT_COLUMN = 34 };

struct help {
  FILE *out;
  bool all;
  const char *title; /* section title, printed above the first option of the section; NULL: already printed */
  int column;        /* in which texts begin */
};

/* Prints the names of an option ("  -p, --pid PID") and pads to the column of the texts, if necessary on the next
 * line. */
static void help_names(const struct help *help, const struct option_row *row)
{
  int column = fprintf(help->out, row->letter ? "  -%c, " : "      ", row->letter);
  bool apart = *row->value && strncmp(row->value, "=", 1) != 0 && strncmp(row->value, "[=", 2) != 0;
  column += fprintf(help->out, "--%s%s%s", row->name, apart ? " " : "", row->value);
  if (column + 2 > help->column) column = (fputc('\n', help->out), 0);
  fprintf(help->out, "%*s", help->column - column, "");
}

static void help_row(struct help *help, enum rtop_option option)
{
  const struct option_row *row = &option_rows[option];
  const char *text = help->all ? row->help : row->brief;
  if (!text) return;
  if (help->title) fprintf(help->out, "\n%s\n", help->title);
  help->title = NULL;
  help_names(help, row);
  for (size_t bytes; bytes = strcspn(text, "\n"), text[bytes]; text += bytes + 1)
    fprintf(help->out, "%.*s\n%*s", (int)bytes, text, help->column, "");
  fprintf(help->out, "%s\n", text);
}

static void help_section(struct help *help, const char *title, int column)
{
  help->title = title;
  help->column = help->all ? column : HELP_SHORT_COLUMN;
}

void options_help_write(bool all, FILE *out)
{
  struct help help = { .out = out, .all = all };
  fputs(all ? help_head : help_head_short, out);
#define SECTION(title, column) help_section(&help, title, column);
#define OPTION(id, ...) help_row(&help, RTOP_OPTION_##id);
#include "options.def"
  fputs(all ? help_end : help_end_short, out);
}

void options_list_write(FILE *out)
{
  const char *const words[RTOP_OPTIONS] = {
#define WORDS(id, words) [RTOP_OPTION_##id] = words,
#include "options.def"
  };
  for (enum rtop_option option = RTOP_OPTION_NONE + 1; option < RTOP_OPTIONS; option++) {
    const struct option_row *row = &option_rows[option];
    if (row->letter) fprintf(out, "-%c,", row->letter);
    fprintf(out, "--%s%s%s\n", row->name, words[option] ? " " : "", words[option] ? words[option] : "");
  }
}
