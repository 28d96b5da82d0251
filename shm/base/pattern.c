/* SPDX-License-Identifier: MIT */
/* Parses lists of patterns and matches frames against them. */
#include "pattern.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum pattern_kind {
  PATTERN_CLASS,
  PATTERN_METHOD,
  PATTERN_PATH,
  PATTERN_GEM,
  PATTERN_STDLIB,
  PATTERN_C,
  PATTERN_INTERNAL,
};

struct pattern {
  enum pattern_kind kind;
  bool keep;     /* the pattern began with `!` */
  bool anywhere; /* the path may begin at any folder; the glob then has a prefix */
  const char *glob;
  size_t bytes;
};

struct rtop_patterns {
  size_t count;
  struct pattern list[RTOP_PATTERNS_MAX];
  size_t used; /* bytes used in `text` */
  char text[]; /* the globs */
};
enum { PATTERN_GROWTH_MAX = 3 }; /* bytes added to a path: at most a star and a slash before it, and a star behind it */

/* ---- globs ---------------------------------------------------------------------------------------- */

/* Matches the next element of the glob at the begin of the text. Returns the element's length; *taken: number of bytes
 * of the text that the element matched, 0: no match. */
static size_t glob_step(const char *glob, size_t glob_bytes, const char *text, size_t text_bytes, size_t *taken)
{
  size_t element = glob[0] == '\\' && glob_bytes > 1 ? 2 : 1;
  *taken = 0;
  if (text_bytes == 0) return element;
  if (element == 1 && glob[0] == '?') {
    size_t bytes = 1; /* the first byte, and the following bytes of the same character */
    while (bytes < text_bytes && bytes < 4 && ((unsigned char)text[bytes] & 0xC0) == 0x80) bytes++;
    *taken = bytes;
  } else if (glob[element - 1] == text[0]) {
    *taken = 1;
  }
  return element;
}

bool rtop_pattern_glob(const char *glob, size_t glob_bytes, const char *text, size_t text_bytes)
{
  size_t at = 0, star = SIZE_MAX, star_text = 0;
  for (size_t i = 0; i < text_bytes || at < glob_bytes;) {
    if (at < glob_bytes && glob[at] == '*') {
      star = ++at; /* backtracking to the last star is sufficient */
      star_text = i;
      continue;
    }
    size_t taken = 0;
    size_t element = 0;
    if (at < glob_bytes) element = glob_step(glob + at, glob_bytes - at, text + i, text_bytes - i, &taken);
    if (taken) {
      at += element;
      i += taken;
    } else if (star != SIZE_MAX && star_text < text_bytes) {
      at = star;
      i = ++star_text;
    } else {
      return false;
    }
  }
  return true;
}

/* ---- reading a list ------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r';
}

static bool is_end(char c)
{
  return c == ',' || c == '\n';
}

static bool is_word(const struct pattern *pattern, const char *word)
{
  return pattern->bytes == strlen(word) && memcmp(pattern->glob, word, pattern->bytes) == 0;
}

/* Tells whether the pattern contains a '#' or '.' between a class and a method. In a class alone these occur only at
 * the begin, as in "#<Class>". */
static bool is_method(const struct pattern *pattern)
{
  return pattern->bytes > 1 &&
         (memchr(pattern->glob + 1, '#', pattern->bytes - 1) || memchr(pattern->glob + 1, '.', pattern->bytes - 1));
}

static enum pattern_kind classify(struct pattern *pattern)
{
  static const char gem[] = "gem:";
  if (pattern->bytes >= sizeof gem - 1 && memcmp(pattern->glob, gem, sizeof gem - 1) == 0) {
    pattern->glob += sizeof gem - 1;
    pattern->bytes -= sizeof gem - 1;
    return PATTERN_GEM;
  }
  if (is_word(pattern, "stdlib")) return PATTERN_STDLIB;
  if (is_word(pattern, "<C>")) return PATTERN_C;
  if (is_word(pattern, "<internal>")) return PATTERN_INTERNAL;
  /* A pattern with a slash is a path, except for the operator in "Integer#/". */
  const char *slash = memchr(pattern->glob, '/', pattern->bytes);
  if (slash && !(slash > pattern->glob && slash[-1] == '#')) return PATTERN_PATH;
  return is_method(pattern) ? PATTERN_METHOD : PATTERN_CLASS;
}

static struct pattern trim(const char *text, size_t bytes)
{
  struct pattern pattern = { .glob = text, .bytes = bytes };
  while (pattern.bytes && is_blank(pattern.glob[0])) {
    pattern.glob++;
    pattern.bytes--;
  }
  while (pattern.bytes && is_blank(pattern.glob[pattern.bytes - 1])) pattern.bytes--;
  return pattern;
}

static void append(struct rtop_patterns *patterns, const char *text, size_t bytes)
{
  memcpy(patterns->text + patterns->used, text, bytes);
  patterns->used += bytes;
}

/* Copies the glob into the list. The short form of a path is expanded. */
static void keep_glob(struct rtop_patterns *patterns, struct pattern *pattern)
{
  bool path = pattern->kind == PATTERN_PATH;
  bool folder = path && pattern->glob[pattern->bytes - 1] == '/';
  const char *text = pattern->glob;
  pattern->glob = patterns->text + patterns->used;
  pattern->anywhere = path && text[0] != '/' && text[0] != '*';
  append(patterns, "*/", pattern->anywhere ? 2 : 0);
  append(patterns, text, pattern->bytes);
  append(patterns, "*", folder ? 1 : 0);
  pattern->bytes = (size_t)(patterns->text + patterns->used - pattern->glob);
  patterns->list[patterns->count++] = *pattern;
}

static int read_pattern(struct rtop_patterns *patterns, const char *text, size_t bytes, struct rtop_error *error)
{
  struct pattern pattern = trim(text, bytes);
  const char *name = pattern.glob;
  int shown = pattern.bytes < 100 ? (int)pattern.bytes : 100;
  if (pattern.bytes == 0) return 0;
  if (patterns->count == RTOP_PATTERNS_MAX)
    return rtop_error_set(error, RTOP_ERROR_LIMIT, 0, "more than %d patterns", RTOP_PATTERNS_MAX);
  if (name[0] == '!') {
    pattern = trim(name + 1, pattern.bytes - 1);
    pattern.keep = true;
  }
  pattern.kind = classify(&pattern);
  if (pattern.bytes == 0)
    return rtop_error_set(error, RTOP_ERROR_LIMIT, 0, "the pattern '%.*s' names nothing", shown, name);
  keep_glob(patterns, &pattern);
  return 0;
}

static int read_list(struct rtop_patterns *patterns, const char *text, size_t bytes, struct rtop_error *error)
{
  size_t begin = 0;
  for (size_t i = 0; i < bytes; i++) {
    if (text[i] == '\\') {
      i++; /* an escaped comma belongs to the pattern */
      continue;
    }
    if (!is_end(text[i])) continue;
    if (read_pattern(patterns, text + begin, i - begin, error) != 0) return -1;
    begin = i + 1;
  }
  return read_pattern(patterns, text + begin, bytes - begin, error);
}

struct rtop_patterns *rtop_patterns_create(const char *text, size_t bytes, struct rtop_error *error)
{
  if (bytes > RTOP_PATTERNS_BYTES_MAX) {
    rtop_error_set(error, RTOP_ERROR_LIMIT, 0, "patterns are longer than %d bytes", RTOP_PATTERNS_BYTES_MAX);
    return NULL;
  }
  size_t room = bytes + (size_t)RTOP_PATTERNS_MAX * PATTERN_GROWTH_MAX;
  struct rtop_patterns *patterns = calloc(1, sizeof *patterns + room);
  if (!patterns) {
    rtop_error_set(error, RTOP_ERROR_SYSTEM, ENOMEM, "no memory left for the patterns");
    return NULL;
  }
  if (read_list(patterns, text, bytes, error) != 0) rtop_patterns_destroy(&patterns);
  return patterns;
}

void rtop_patterns_destroy(struct rtop_patterns **patterns)
{
  free(*patterns);
  *patterns = NULL;
}

size_t rtop_patterns_count(const struct rtop_patterns *patterns)
{
  return patterns->count;
}

/* ---- matching ------------------------------------------------------------------------------------- */

static bool fits(const struct pattern *pattern, const char *text, size_t bytes)
{
  return rtop_pattern_glob(pattern->glob, pattern->bytes, text, bytes);
}

/* Matches a class. "Foo::*" matches Foo, too. */
static bool fits_class(const struct pattern *pattern, const char *text, size_t bytes)
{
  static const char inside[] = "::*";
  size_t count = sizeof inside - 1;
  if (fits(pattern, text, bytes)) return true;
  return pattern->bytes > count && memcmp(pattern->glob + pattern->bytes - count, inside, count) == 0 &&
         rtop_pattern_glob(pattern->glob, pattern->bytes - count, text, bytes);
}

/* Matches the part of a label after the last " in ": "rescue in block in Foo#bar" counts as Foo#bar. */
static bool fits_method(const struct pattern *pattern, const char *text, size_t bytes)
{
  static const char in[] = " in ";
  for (const char *next; (next = memmem(text, bytes, in, sizeof in - 1));) {
    bytes -= (size_t)(next - text) + sizeof in - 1;
    text = next + sizeof in - 1;
  }
  return fits(pattern, text, bytes);
}

static bool fits_path(const struct pattern *pattern, const char *text, size_t bytes)
{
  return fits(pattern, text, bytes) ||
         (pattern->anywhere && rtop_pattern_glob(pattern->glob + 2, pattern->bytes - 2, text, bytes));
}

static bool fits_frame(const struct pattern *pattern, const struct rtop_pattern_frame *frame)
{
  struct rtop_gem_name gem;
  switch (pattern->kind) {
  case PATTERN_CLASS: return fits_class(pattern, frame->namespace_label, frame->namespace_bytes);
  case PATTERN_METHOD: return fits_method(pattern, frame->label, frame->label_bytes);
  case PATTERN_PATH: return fits_path(pattern, frame->path, frame->path_bytes);
  case PATTERN_GEM:
    return rtop_origin_of_path(frame->path, frame->path_bytes, &gem) == RTOP_ORIGIN_GEM &&
           fits(pattern, gem.text, gem.bytes);
  case PATTERN_STDLIB: return rtop_origin_of_path(frame->path, frame->path_bytes, NULL) == RTOP_ORIGIN_STDLIB;
  case PATTERN_C: return frame->is_c;
  case PATTERN_INTERNAL: return rtop_origin_of_path(frame->path, frame->path_bytes, NULL) == RTOP_ORIGIN_CORE;
  }
  return false;
}

bool rtop_patterns_match(const struct rtop_patterns *patterns, const struct rtop_pattern_frame *frame)
{
  for (size_t i = patterns->count; i > 0; i--)
    if (fits_frame(&patterns->list[i - 1], frame)) return !patterns->list[i - 1].keep;
  return false;
}
