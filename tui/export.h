/* Writing a sum as a file for other programs and for people.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_EXPORT_H
#define RTOP_TUI_EXPORT_H

#include "report.h"
#include <stdio.h>

enum rtop_export_format { RTOP_EXPORT_COLLAPSED, RTOP_EXPORT_TEXT };

/* By the end of the name; false when no format is written to such a file. */
bool rtop_export_format(const char *file, enum rtop_export_format *format);

/* "root;…;leaf microseconds" per stack, all threads together, wall or CPU time by mode. Stacks that
 * differ only in lines are one. Call nodes are added to the symbols. */
void rtop_export_collapsed(struct rtop_symbols *symbols, const struct rtop_sum *sum, enum rtop_mode mode,
                           FILE *out);
/* Totals, then the methods by self and by total time. Rebuilds the report's methods. False: no memory. */
bool rtop_export_text(struct rtop_report *report, FILE *out);

/* A file that appears only when it is complete. */
struct rtop_export_file {
  FILE *stream;
  char *path, *temporary;
};
/* Opens the temporary file beside `path`. False: errno says why. */
bool rtop_export_file_open(struct rtop_export_file *file, const char *path);
/* Renames it into place (keep), or removes it. False: errno says why, and nothing was left. */
bool rtop_export_file_close(struct rtop_export_file *file, bool keep);

#endif
