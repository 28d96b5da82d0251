/* SPDX-License-Identifier: MIT */
/* Writes a sum as a file for other programs and for people.
 *
 * Every format gets the same struct: a sum, and the meaning of its numbers. Command line, screen and comparisons fill
 * in one struct and name a format; filters are applied in this room, once. Tables (text, csv) contain rows whose method
 * matches, as on the screen; stacks (all other formats) are those with a matching method, as in the tree. Threads are
 * filtered by name in both.
 *
 * Strings of the symbols are valid UTF-8 without control characters; each format escapes its special characters.
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
  struct rtop_profile *profile; /* provides the symbols of the sum, and the windows of its span */
  const struct rtop_sum *sum;
  /* A sum to compare with, used by formats that can show both or the difference. NULL: none. Its symbols may be those
   * of another profile; they are added to this one's. */
  const struct rtop_sum *baseline;
  const struct rtop_symbols *baseline_symbols;
  const struct rtop_methods_options *options; /* clock, filters, order */
  int64_t clock_offset_ns;                    /* real - mono */
  const char *command, *ruby;                 /* of the first process */
  const pid_t *pids;                          /* by source */
  int pid_count;
  const struct whole_head *calls; /* the sum consists of counted calls (whole_sum.h),
                                     described by this head; NULL: samples */
  bool labelled;                  /* the sum's stacks already have label sets, so the sum is not made again */
  bool labels;                    /* a format with only one table (csv) writes labels */
};

/* Writes the format to `out`, compressed if wanted. False: memory ran out, `out` failed, the result would exceed the
 * limit for its sources (EOVERFLOW, budget.h), or the format cannot show calls (ENOTSUP); errno tells these apart. */
bool rtop_export_write(const struct rtop_export *export, struct rtop_file_kind kind, FILE *out);
/* Opens a stream that compresses into another one, which stays open. NULL: errno says why. */
FILE *export_gzip_open(FILE *out);
/* Returns the message for an errno of rtop_export_write(); valid until the next call. */
const char *rtop_export_problem(int problem, const struct rtop_profile *profile);

/* A file that appears only when it is complete. */
struct rtop_export_file {
  FILE *stream;
  char *path, *temporary;
  bool in_place; /* the output is written directly, since it is a stream instead of a file of its own */
};
/* Opens the temporary file beside `path`. False: errno says why. */
bool rtop_export_file_open(struct rtop_export_file *file, const char *path);
/* Like rtop_export_file_open(); for "-", /dev/stdout, /dev/stderr and /dev/fd/N uses the stream that
   is already open. */
bool rtop_export_file_open_output(struct rtop_export_file *file, const char *path);
/* Is it standard output? */
bool rtop_export_file_is_stdout(const char *path);
/* Renames the temporary file to its final name (keep), or removes it. False: errno says why, and no file
   is left behind. */
bool rtop_export_file_close(struct rtop_export_file *file, bool keep);
/* Opens a file, writes in the format for the file's name, and closes it. False: errno says why; EINVAL: no format
 * has that ending. */
bool rtop_export_save(const struct rtop_export *export, const char *path);

#endif
