/* SPDX-License-Identifier: MIT */
/* The files that a profile can be saved to: what their names end in, and how people call them.
 *
 * Threads: no shared state.
 */
#ifndef RTOP_TUI_FILE_FORMATS_H
#define RTOP_TUI_FILE_FORMATS_H

#include <stdbool.h>

/* RTOP_FILE_TEXT and so on (formats.def). */
enum rtop_file_format {
#define FORMAT(id, ...) RTOP_FILE_##id,
#include "formats.def"
  RTOP_FILE_FORMATS,
};

struct rtop_file_kind {
  enum rtop_file_format format;
  bool gzip; /* the name ends in .gz */
};

/* By the end of the file's name; false when nothing is written to such a file. */
bool rtop_file_kind(const char *path, struct rtop_file_kind *kind);
/* .rpt: not one sum but all windows (recording_write.h). */
bool rtop_file_is_recording(const char *path);
/* Two spans can be compared in the format. */
bool rtop_file_format_shows_difference(enum rtop_file_format format);
/* All calls can be told in the format (whole_sum.h). */
bool rtop_file_format_shows_calls(enum rtop_file_format format);
/* "text", "collapsed", "pprof", "icicle", …: "svg" is what the screen calls a picture of itself. */
const char *rtop_file_format_name(enum rtop_file_format format);
bool rtop_file_format_parse(const char *name, enum rtop_file_format *format);
/* What --format says: a name or an ending without its first dot, either with .gz behind it if it is compressed. */
bool rtop_file_kind_parse(const char *text, struct rtop_file_kind *kind);
/* All names, for a sentence, as the next one. */
const char *rtop_file_format_names(void);
/* All endings, for a sentence: ".txt, .collapsed, …". In a static buffer. */
const char *rtop_file_endings(void);

#endif
