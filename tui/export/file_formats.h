/* SPDX-License-Identifier: MIT */
/* The files to which a profile can be saved: the endings of their names, and what the formats are called.
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

/* Finds the format by the end of the file's name; false for an unknown ending. */
bool rtop_file_kind(const char *path, struct rtop_file_kind *kind);
/* Does the name end in .rpt: a recording of all windows instead of one sum (recording_write.h)? */
bool rtop_file_is_recording(const char *path);
/* Can the format show a comparison of two spans? */
bool rtop_file_format_shows_difference(enum rtop_file_format format);
/* Can the format show counted calls (whole_sum.h)? */
bool rtop_file_format_shows_calls(enum rtop_file_format format);
/* Names: "text", "collapsed", "pprof", "icicle", …; "svg" is the screen's name for a picture of itself. */
const char *rtop_file_format_name(enum rtop_file_format format);
bool rtop_file_format_parse(const char *name, enum rtop_file_format *format);
/* Parses an argument of --format: a name, or an ending without its first dot, either with .gz if compressed. */
bool rtop_file_kind_parse(const char *text, struct rtop_file_kind *kind);
/* Returns all names, for a sentence, as rtop_file_endings() does. */
const char *rtop_file_format_names(void);
/* Returns all endings, for a sentence: ".txt, .collapsed, …". In a static buffer. */
const char *rtop_file_endings(void);

#endif
