/* SPDX-License-Identifier: MIT */
/* Repairs, measures and cuts text; writes numbers with units. */
#include "text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { TEXT_COMBINING_MAX = 4 };
#define TEXT_BAD UINT32_MAX

struct text_range {
  uint32_t first, last;
};

/* Invisible, reordering, or non-text characters, which could make one name look like another or reverse
 * the remaining line. */
static const struct text_range unwanted[] = {
  { 0x00, 0x1F },     { 0x7F, 0x9F },       { 0xAD, 0xAD },       { 0x34F, 0x34F },     { 0x61C, 0x61C },
  { 0x115F, 0x1160 }, { 0x17B4, 0x17B5 },   { 0x180B, 0x180F },   { 0x200B, 0x200F },   { 0x2028, 0x202E },
  { 0x2060, 0x206F }, { 0x3164, 0x3164 },   { 0xFDD0, 0xFDEF },   { 0xFEFF, 0xFEFF },   { 0xFFA0, 0xFFA0 },
  { 0xFFF0, 0xFFFB }, { 0x1BCA0, 0x1BCA3 }, { 0x1D173, 0x1D17A }, { 0xE0000, 0xE00FF }, { 0xE01F0, 0xE0FFF },
};

/* Blocks of combining marks, for locales whose wcwidth() does not know them. */
static const struct text_range combining[] = {
  { 0x300, 0x36F },   { 0x483, 0x489 },   { 0x591, 0x5BD },   { 0x610, 0x61A },   { 0x64B, 0x65F },
  { 0xE31, 0xE31 },   { 0xE34, 0xE3A },   { 0xE47, 0xE4E },   { 0x1AB0, 0x1AFF }, { 0x1DC0, 0x1DFF },
  { 0x20D0, 0x20FF }, { 0x3099, 0x309A }, { 0xFE00, 0xFE0F }, { 0xFE20, 0xFE2F }, { 0xE0100, 0xE01EF },
};

static bool text_in(const struct text_range *ranges, size_t count, uint32_t code)
{
  for (size_t i = 0; i < count; i++)
    if (code >= ranges[i].first && code <= ranges[i].last) return true;
  return false;
}

static bool text_is_unwanted(uint32_t code)
{
  if (code >= 0x20 && code < 0x7F) return false;
  return (code & 0xFFFE) == 0xFFFE || text_in(unwanted, sizeof unwanted / sizeof unwanted[0], code);
}

static bool text_is_combining(uint32_t code)
{
  if (code < 0x300) return false;
  return text_in(combining, sizeof combining / sizeof combining[0], code) || wcwidth((wchar_t)code) == 0;
}

/* Decodes a character strictly (no overlong forms, no surrogates). Returns its length; for an invalid byte 1,
 * with *code TEXT_BAD. */
static size_t text_decode(const unsigned char *bytes, size_t count, uint32_t *code)
{
  static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
  unsigned char lead = bytes[0];
  size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  *code = TEXT_BAD;
  if (length == 1) *code = bytes[0];
  if (length < 2 || length > count || bytes[0] > 0xF4) return 1;
  uint32_t value = bytes[0] & (0xFFu >> (length + 1));
  for (size_t i = 1; i < length; i++) {
    if ((bytes[i] & 0xC0) != 0x80) return 1;
    value = value << 6 | (bytes[i] & 0x3Fu);
  }
  if (value < smallest[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return 1;
  *code = value;
  return length;
}

size_t rtop_text_sanitize(char *out, size_t out_bytes, const char *bytes, size_t count)
{
  const unsigned char *from = (const unsigned char *)bytes;
  size_t used = 0;
  int marks = 0;
  if (out_bytes == 0) return 0;
  for (size_t at = 0; at < count;) {
    uint32_t code;
    size_t length = text_decode(from + at, count - at, &code);
    const char *piece = bytes + at;
    at += length;
    if (code == '\t' || code == TEXT_BAD || text_is_unwanted(code)) {
      piece = code == '\t' ? " " : "?";
      length = 1;
      code = '?';
    }
    marks = text_is_combining(code) ? marks + 1 : 0;
    if (marks > TEXT_COMBINING_MAX) continue;
    if (used + length >= out_bytes) break;
    memcpy(out + used, piece, length);
    used += length;
  }
  out[used] = '\0';
  return used;
}

/* Returns the number of columns of the character at `text`; *bytes: its length. */
static int text_step(const char *text, size_t *bytes)
{
  uint32_t code;
  *bytes = text_decode((const unsigned char *)text, 4, &code); /* The NUL at the end of the text also
                                                                  ends an incomplete character. */
  if (code < 0x300 || code == TEXT_BAD) return 1;
  int columns = wcwidth((wchar_t)code);
  return columns >= 0 ? columns : text_is_combining(code) ? 0 : 1;
}

int rtop_text_width(const char *text)
{
  int columns = 0;
  for (size_t bytes; *text; text += bytes) columns += text_step(text, &bytes);
  return columns;
}

/* Copies characters as long as they fit into `columns` and out_bytes; returns the number of columns. */
static int text_copy(char *out, size_t out_bytes, const char *text, int columns)
{
  size_t used = 0;
  int width = 0;
  for (size_t bytes; *text; text += bytes) {
    int step = text_step(text, &bytes);
    if (width + step > columns || used + bytes >= out_bytes) break;
    memcpy(out + used, text, bytes);
    used += bytes;
    width += step;
  }
  out[used] = '\0';
  return width;
}

int rtop_text_cut(char *out, size_t out_bytes, const char *text, int columns)
{
  if (out_bytes == 0) return 0;
  if (rtop_text_width(text) <= columns && strlen(text) < out_bytes) return text_copy(out, out_bytes, text, columns);
  out[0] = '\0';
  if (columns < 1 || out_bytes < 2) return 0;
  int width = text_copy(out, out_bytes - 1, text, columns - 1);
  strcat(out, "~");
  return width + 1;
}

int rtop_text_cut_left(char *out, size_t out_bytes, const char *text, int columns)
{
  if (out_bytes == 0) return 0;
  int width = rtop_text_width(text);
  if (width <= columns && strlen(text) < out_bytes) return text_copy(out, out_bytes, text, columns);
  out[0] = '\0';
  if (columns < 1 || out_bytes < 2) return 0;
  /* Combining marks after a dropped character are dropped, too. */
  while (*text && (width > columns - 1 || strlen(text) + 2 > out_bytes)) {
    size_t bytes;
    width -= text_step(text, &bytes);
    text += bytes;
    while (*text && text_step(text, &bytes) == 0) text += bytes;
  }
  out[0] = '~';
  return 1 + text_copy(out + 1, out_bytes - 1, text, columns - 1);
}

/* Writes "7", "0.2", "38.2k" or "152k": as many digits as four columns allow. */
static void text_scaled(char *out, size_t out_bytes, double value, double step, const char *units)
{
  size_t unit = 0;
  double limit = step > 1000 ? 1023.5 : 999.5;
  double size = fabs(value);
  if (!isfinite(value)) {
    snprintf(out, out_bytes, "-");
    return;
  }
  while (size >= limit && units[unit + 1]) {
    size /= step;
    unit++;
  }
  bool whole = size >= (value < 0 ? 9.95 : 99.95) || (unit == 0 && (size >= 9.95 || size == floor(size)));
  char suffix[2] = { units[unit] == ' ' ? '\0' : units[unit], '\0' };
  if (size >= 99999) size = 9999;
  snprintf(out, out_bytes, "%s%.*f%s", value < 0 ? "-" : "", whole ? 0 : 1, size, suffix);
}

/* Rounds like "%.1f", which is only used where the last bit matters. */
const char *rtop_text_host(const char *host, int *bytes)
{
  const char *at = strrchr(host, '@'), *name = at ? at + 1 : host;
  bool address = strspn(name, "0123456789.") == strlen(name) || strchr(name, ':');
  *bytes = (int)(address ? strlen(name) : strcspn(name, "."));
  return name;
}

double rtop_text_tenths(double percent)
{
  double tenths = nearbyint(percent * 10);
  char text[32];
  if (fabs(fabs(percent * 10 - tenths) - 0.5) > 1e-6) return tenths;
  snprintf(text, sizeof text, "%.1f", percent);
  return nearbyint(strtod(text, NULL) * 10);
}

void rtop_text_count(char *out, size_t out_bytes, double count)
{
  text_scaled(out, out_bytes, count, 1000, " kMGTPE");
}

void rtop_text_bytes(char *out, size_t out_bytes, uint64_t bytes)
{
  text_scaled(out, out_bytes, (double)bytes, 1024, "BKMGTPE");
}

static void text_duration_long(char *out, size_t out_bytes, const char *sign, int64_t seconds)
{
  static const struct {
    int64_t seconds, part;
    char unit, part_unit;
  } units[] = {
    { 86400, 3600, 'd', 'h' },
    { 3600, 60, 'h', 'm' },
    { 60, 1, 'm', 's' },
  };
  size_t i = seconds >= 86400 ? 0 : seconds >= 3600 ? 1 : 2;
  int64_t whole = seconds / units[i].seconds;
  if (whole < 10 && !*sign)
    snprintf(out, out_bytes, "%d %c %02d %c", (int)whole, units[i].unit,
             (int)(seconds % units[i].seconds / units[i].part), units[i].part_unit);
  else snprintf(out, out_bytes, "%s%d %c", sign, (int)whole, units[i].unit);
}

void rtop_text_duration(char *out, size_t out_bytes, int64_t nanoseconds)
{
  static const char *const units[] = { "ns", "us", "ms", "s" };
  const char *sign = nanoseconds < 0 ? "-" : "";
  double size = fabs((double)nanoseconds);
  if (size >= 59.95e9) {
    text_duration_long(out, out_bytes, sign, (int64_t)(size / 1e9 + 0.5));
    return;
  }
  size_t unit = 0;
  while (size >= 999.5 && unit < 3) {
    size /= 1000;
    unit++;
  }
  int digits = unit == 0 || size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  snprintf(out, out_bytes, "%s%.*f %s", sign, digits, size, units[unit]);
}

bool rtop_text_contains(const char *text, const char *needle)
{
  return strcasestr(text, needle) != NULL;
}

/* Ends a text that fills its buffer, perhaps cut inside a character, with "~" after its last whole character. */
static void end_cut(char *out, size_t out_bytes)
{
  if (out_bytes < 2) return;
  size_t end = out_bytes - 2;
  while (end > 0 && ((unsigned char)out[end] & 0xc0) == 0x80) end--;
  out[end] = '~';
  out[end + 1] = '\0';
}

void phrase_add(struct phrase *phrase, const char *format, ...)
{
  va_list arguments;
  if (phrase->used >= phrase->bytes) return;
  va_start(arguments, format);
  int used = vsnprintf(phrase->out + phrase->used, phrase->bytes - phrase->used, format, arguments);
  va_end(arguments);
  phrase->used += used > 0 ? (size_t)used : 0;
  if (phrase->used >= phrase->bytes) end_cut(phrase->out, phrase->bytes);
}
