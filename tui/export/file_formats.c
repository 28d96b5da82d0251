#include "file_formats.h"

#include <stdio.h>
#include <string.h>

/* Longer endings stand before those that they end in. */
static const struct {
  const char *end;
  enum rtop_file_format format;
} file_ends[] = {
  { ".txt", RTOP_FILE_TEXT },
  { ".collapsed", RTOP_FILE_COLLAPSED },
  { ".csv", RTOP_FILE_CSV },
  { ".pb", RTOP_FILE_PPROF },
  { ".speedscope.json", RTOP_FILE_SPEEDSCOPE },
  { ".svg", RTOP_FILE_SVG },
  { ".trace.json", RTOP_FILE_TRACE },
  { ".json", RTOP_FILE_RPERF },
};

static const char *const file_names[RTOP_FILE_FORMATS] = {
  [RTOP_FILE_TEXT] = "text",   [RTOP_FILE_COLLAPSED] = "collapsed",   [RTOP_FILE_CSV] = "csv",
  [RTOP_FILE_PPROF] = "pprof", [RTOP_FILE_SPEEDSCOPE] = "speedscope", [RTOP_FILE_SVG] = "icicle",
  [RTOP_FILE_TRACE] = "trace", [RTOP_FILE_RPERF] = "rperf",
};

enum { FILE_ENDS = sizeof file_ends / sizeof file_ends[0] };

/* True, and without the ending: the name has it and something before it. */
static bool file_ends_in(const char *name, size_t *length, const char *end)
{
  size_t bytes = strlen(end);
  if (*length <= bytes || strncmp(name + *length - bytes, end, bytes) != 0) return false;
  *length -= bytes;
  return true;
}

bool rtop_file_kind(const char *path, struct rtop_file_kind *kind)
{
  const char *name = strrchr(path, '/');
  name = name ? name + 1 : path;
  size_t length = strlen(name);
  bool gzip = file_ends_in(name, &length, ".gz");
  for (size_t i = 0; i < FILE_ENDS; i++) {
    size_t rest = length;
    if (file_ends_in(name, &rest, file_ends[i].end)) {
      *kind = (struct rtop_file_kind){ file_ends[i].format, gzip };
      return true;
    }
  }
  return false;
}

bool rtop_file_is_recording(const char *path)
{
  const char *name = strrchr(path, '/');
  name = name ? name + 1 : path;
  size_t length = strlen(name);
  return file_ends_in(name, &length, ".rpt");
}

bool rtop_file_shows_difference(const char *path)
{
  struct rtop_file_kind kind;
  return rtop_file_kind(path, &kind) && (kind.format == RTOP_FILE_TEXT || kind.format == RTOP_FILE_COLLAPSED ||
                                         kind.format == RTOP_FILE_CSV || kind.format == RTOP_FILE_SVG);
}

const char *rtop_file_format_name(enum rtop_file_format format)
{
  return format < RTOP_FILE_FORMATS ? file_names[format] : "";
}

bool rtop_file_format_parse(const char *name, enum rtop_file_format *format)
{
  for (int i = 0; i < RTOP_FILE_FORMATS; i++)
    if (strcmp(file_names[i], name) == 0) {
      *format = (enum rtop_file_format)i;
      return true;
    }
  return false;
}

const char *rtop_file_endings(void)
{
  static char text[200];
  if (!*text)
    for (size_t i = 0; i < FILE_ENDS; i++) {
      const char *between = i == 0 ? "" : i + 1 < FILE_ENDS ? ", " : " or ";
      size_t used = strlen(text);
      snprintf(text + used, sizeof text - used, "%s%s", between, file_ends[i].end);
    }
  return text;
}
