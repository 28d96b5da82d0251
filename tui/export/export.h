/* SPDX-License-Identifier: MIT */
/* Writing a sum as a file for other programs and for people.
 *
 * Every format gets the same: a sum and what its numbers mean. The command line, the screen and whoever
 * compares two spans fill one struct and name a format; what is filtered is decided here, once:
 *
 *   tables (text, csv)    rows whose method matches, as on the screen
 *   stacks (all others)   stacks that pass through a method that matches, as in the tree
 *
 * and threads by their names in both. Strings of the symbols are valid UTF-8 without control characters;
 * each format escapes what is special in it.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_EXPORT_H
#define RTOP_TUI_EXPORT_H

#include "file_formats.h"
#include "tui/history/profile.h"
#include "tui/methods/methods.h"
#include "tui/methods/whole_sum.h"
#include <stdio.h>
#include <sys/types.h>

struct rtop_export {
  struct rtop_profile *profile; /* symbols of the sum, and the windows of its span */
  const struct rtop_sum *sum;
  /* To compare with: formats that can show both or their difference do, the others do not look. NULL:
   * nothing. Its symbols may be those of another profile; they are added to this one's. */
  const struct rtop_sum *baseline;
  const struct rtop_symbols *baseline_symbols;
  const struct rtop_methods_options *options; /* clock, filters, order */
  int64_t clock_offset_ns;                    /* real - mono */
  const char *command, *ruby;                 /* of the first process */
  const pid_t *pids;                          /* by source */
  int pid_count;
  const struct whole_head *calls; /* the sum is of all calls (whole_sum.h), this is told of them; NULL: of samples */
  bool labelled;                  /* the sum has sets of labels on its stacks: it need not be made again with them */
  bool labels;                    /* the table of a format that has nothing but one (csv) is that of labels */
};

/* Writes the format to `out`, compressed if wanted. False: memory ran out, `out` failed, or it would be larger
 * than what the sources allow (EOVERFLOW, budget.h), or the format cannot tell of calls (ENOTSUP); errno says which. */
bool rtop_export_write(const struct rtop_export *export, struct rtop_file_kind kind, FILE *out);
/* A stream that compresses into another one, which stays open. NULL: errno says why. */
FILE *export_gzip_open(FILE *out);
/* That errno in words; valid till it is asked again. */
const char *rtop_export_problem(int problem, const struct rtop_profile *profile);

/* A file that appears only when it is complete. */
struct rtop_export_file {
  FILE *stream;
  char *path, *temporary;
  bool in_place; /* what is written is there at once: a stream, not a file of its own */
};
/* Opens the temporary file beside `path`. False: errno says why. */
bool rtop_export_file_open(struct rtop_export_file *file, const char *path);
/* The same, or, of "-", /dev/stdout, /dev/stderr and /dev/fd/N, a stream that is open already. */
bool rtop_export_file_open_output(struct rtop_export_file *file, const char *path);
/* Is it standard output? */
bool rtop_export_file_is_stdout(const char *path);
/* Renames it into place (keep), or removes it. False: errno says why, and nothing was left. */
bool rtop_export_file_close(struct rtop_export_file *file, bool keep);
/* All at once: open, write in the format that the name asks for, close. False: errno says why; EINVAL: no
 * format ends like that. */
bool rtop_export_save(const struct rtop_export *export, const char *path);

#endif
