/* SPDX-License-Identifier: MIT */
/* Finds out from a path where code comes from. */
#include "origin.h"

#include <stdbool.h>
#include <string.h>

/* A component of a path, between two slashes. */
struct component {
  const char *text;
  size_t bytes;
};

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool equals(struct component component, const char *text)
{
  return component.bytes == strlen(text) && memcmp(component.text, text, component.bytes) == 0;
}

static bool begins(struct component component, const char *text)
{
  return component.bytes >= strlen(text) && memcmp(component.text, text, strlen(text)) == 0;
}

/* Tells whether the text is a version such as "1", "1.2.3" or "2.0.0.rc1": a number, then words after dots. *dots:
 * number of dots. */
static bool is_version(const char *text, size_t bytes, size_t *dots)
{
  *dots = 0;
  if (bytes == 0 || !is_digit(text[0])) return false;
  for (size_t i = 0; i < bytes; i++) {
    if (text[i] == '.') {
      if (i + 1 == bytes || text[i + 1] == '.') return false;
      ++*dots;
    } else if (!(*dots ? is_word(text[i]) : is_digit(text[i]))) {
      return false;
    }
  }
  return true;
}

static bool is_commit(const char *text, size_t bytes)
{
  for (size_t i = 0; i < bytes; i++)
    if (!is_digit(text[i]) && !(text[i] >= 'a' && text[i] <= 'f')) return false;
  return bytes >= 7;
}

/* Returns the length of NAME in "NAME-1.2.3-platform" or, for a git checkout, "NAME-0123456789ab"; 0 for any other
 * text. The version begins at the first part with a dot, else at the last part that is a number. */
static size_t gem_name_bytes(struct component folder, bool checkout)
{
  size_t found = 0;
  for (size_t dash = 1; dash < folder.bytes; dash++) {
    if (folder.text[dash] != '-') continue;
    const char *part = folder.text + dash + 1;
    const char *end = memchr(part, '-', folder.bytes - dash - 1);
    size_t bytes = end ? (size_t)(end - part) : folder.bytes - dash - 1;
    size_t dots;
    if (checkout && !end && is_commit(part, bytes)) return dash;
    if (!is_version(part, bytes, &dots)) continue;
    found = dash;
    if (dots) break;
  }
  return found;
}

/* Tells whether `current` is a library directory of Ruby, as in lib/ruby/3.3.0, lib64/ruby/site_ruby,
 * lib/x86_64-linux-gnu/ruby/vendor_ruby or share/ruby. */
static bool is_library(const struct component before[2], struct component current, struct component next)
{
  size_t dots;
  if (equals(before[0], "share") && (equals(current, "ruby") || equals(current, "rubygems"))) return true;
  if (!equals(current, "ruby") || (!begins(before[0], "lib") && !begins(before[1], "lib"))) return false;
  return equals(next, "site_ruby") || equals(next, "vendor_ruby") ||
         (is_version(next.text, next.bytes, &dots) && dots == 2);
}

static struct component component_at(const char *path, size_t bytes, size_t at)
{
  const char *end = at < bytes ? memchr(path + at, '/', bytes - at) : NULL;
  size_t length = end ? (size_t)(end - path) - at : bytes - (at < bytes ? at : bytes);
  return (struct component){ path + (at < bytes ? at : bytes), length };
}

static enum rtop_origin origin_of_file(const char *path, size_t bytes, struct rtop_gem_name *gem)
{
  struct component before[2] = { { path, 0 }, { path, 0 } };
  bool library = false;
  for (size_t at = 0; at < bytes;) {
    struct component current = component_at(path, bytes, at);
    struct component next = component_at(path, bytes, at + current.bytes + 1);
    bool inside = next.text + next.bytes < path + bytes; /* the last part of a path is a file */
    size_t name = 0;
    if (inside && equals(current, "gems")) name = gem_name_bytes(next, equals(before[0], "bundler"));
    if (name) {
      *gem = (struct rtop_gem_name){ next.text, name };
      return RTOP_ORIGIN_GEM;
    }
    library = library || is_library(before, current, next);
    before[1] = before[0];
    before[0] = current;
    at += current.bytes + 1;
  }
  return library ? RTOP_ORIGIN_STDLIB : RTOP_ORIGIN_APPLICATION;
}

/* Removes `prefix` from the front of the path, and everything from the last `end` on from its back. Returns false when
 * the path does not begin with `prefix`. */
static bool unwrap(const char **path, size_t *bytes, const char *prefix, char end)
{
  size_t length = strlen(prefix);
  if (*bytes <= length || memcmp(*path, prefix, length) != 0) return false;
  *path += length;
  *bytes -= length;
  const char *last = memrchr(*path, end, *bytes);
  if (last) *bytes = (size_t)(last - *path);
  return true;
}

enum rtop_origin rtop_origin_of_path(const char *path, size_t bytes, struct rtop_gem_name *gem)
{
  struct rtop_gem_name unused;
  if (!gem) gem = &unused;
  *gem = (struct rtop_gem_name){ path, 0 };
  while (unwrap(&path, &bytes, "(eval at ", ':')) {
  }
  bool internal = unwrap(&path, &bytes, "<internal:", '>');
  if (bytes == 0) return RTOP_ORIGIN_CORE;
  enum rtop_origin origin = origin_of_file(path, bytes, gem);
  return internal && origin == RTOP_ORIGIN_APPLICATION ? RTOP_ORIGIN_CORE : origin;
}

const char *rtop_origin_name(enum rtop_origin origin)
{
  static const char *const names[] = { "application", "gem", "stdlib", "core" };
  return names[origin];
}
