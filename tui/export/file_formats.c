/* SPDX-License-Identifier: MIT */
/* Finds formats by file name endings and by their own names. */
#include "file_formats.h"

#include <stdio.h>
#include <string.h>

static const struct {
  const char *name, *ending;
  bool differences, calls;
} file_formats[RTOP_FILE_FORMATS] = {
#define FORMAT(id, name, ending, made_from, differences, labels, calls, function) { name, ending, differences, calls },
#include "formats.def"
};

/* Does the name have this ending, with something before it? If so, *length is reduced by the ending. */
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
  for (int i = 0; i < RTOP_FILE_FORMATS; i++) {
    size_t rest = length;
    if (file_ends_in(name, &rest, file_formats[i].ending)) {
      *kind = (struct rtop_file_kind){ (enum rtop_file_format)i, gzip };
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

bool rtop_file_format_shows_difference(enum rtop_file_format format)
{
  return format < RTOP_FILE_FORMATS && file_formats[format].differences;
}

bool rtop_file_format_shows_calls(enum rtop_file_format format)
{
  return format < RTOP_FILE_FORMATS && file_formats[format].calls;
}

const char *rtop_file_format_name(enum rtop_file_format format)
{
  return format < RTOP_FILE_FORMATS ? file_formats[format].name : "";
}

bool rtop_file_format_parse(const char *name, enum rtop_file_format *format)
{
  for (int i = 0; i < RTOP_FILE_FORMATS; i++)
    if (strcmp(file_formats[i].name, name) == 0) {
      *format = (enum rtop_file_format)i;
      return true;
    }
  return false;
}

static bool file_is(const char *text, size_t length, const char *word)
{
  return strlen(word) == length && strncmp(text, word, length) == 0;
}

bool rtop_file_kind_parse(const char *text, struct rtop_file_kind *kind)
{
  size_t length = strlen(text);
  bool gzip = file_ends_in(text, &length, ".gz");
  for (int i = 0; i < RTOP_FILE_FORMATS; i++)
    if (file_is(text, length, file_formats[i].name) || file_is(text, length, file_formats[i].ending + 1)) {
      *kind = (struct rtop_file_kind){ (enum rtop_file_format)i, gzip };
      return true;
    }
  return false;
}

static void file_list(char *out, size_t bytes, bool endings)
{
  for (int i = 0; i < RTOP_FILE_FORMATS; i++) {
    const char *between = i == 0 ? "" : i + 1 < RTOP_FILE_FORMATS ? ", " : " or ";
    size_t used = strlen(out);
    snprintf(out + used, bytes - used, "%s%s", between, endings ? file_formats[i].ending : file_formats[i].name);
  }
}

const char *rtop_file_format_names(void)
{
  static char text[200];
  if (!*text) file_list(text, sizeof text, false);
  return text;
}

const char *rtop_file_endings(void)
{
  static char text[200];
  if (!*text) file_list(text, sizeof text, true);
  return text;
}
