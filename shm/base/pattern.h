/* SPDX-License-Identifier: MIT */
/* Which frames a list of patterns means. One grammar for what the extension leaves out when it measures
 * and for what the viewer leaves out when it shows.
 *
 *   ActiveRecord::Base    methods of this class or module
 *   ActiveRecord::*       of this one and of everything inside it
 *   Foo#bar, Foo.*        one method; singleton methods
 *   /srv/app/vendor/      a path: whatever holds a slash. `*` crosses slashes, a final slash means all
 *   app/models/user*.rb   below it; one that does not begin with a slash may begin at any folder
 *   gem:NAME              files of a gem (origin.h)      gem:*  of any gem
 *   stdlib                the standard library
 *   <C>                   methods written in C           <internal>  Ruby's own, in C or not
 *
 * `*` is any run of characters, `?` one character, a backslash takes the next character as it is;
 * everything else, brackets too, stands for itself. Case counts. Patterns are separated by commas or line
 * ends; blanks around them do not count. `!` before a pattern takes frames out again: the last pattern
 * that fits decides, so "gem:*,!gem:mine" is every gem but one.
 *
 * A block belongs to the method around it ("block in Foo#bar" is Foo#bar). Who asks leaves out the frames
 * that the profiler makes up: "(root)" is no code to hide.
 *
 * Threads: a list is never changed after it was made. Matching never allocates; its time is bounded by
 * the length of the list times that of the names. Names are hostile text.
 */
#ifndef RTOP_SHM_PATTERN_H
#define RTOP_SHM_PATTERN_H

#include "error.h"
#include "origin.h"
#include <stdbool.h>
#include <stddef.h>

enum { RTOP_PATTERNS_MAX = 256, RTOP_PATTERNS_BYTES_MAX = 16384 };

struct rtop_patterns;

/* A frame to be matched; texts are not NUL-terminated and may contain any bytes. is_c: a method written in C, whose
 * path is "". */
struct rtop_pattern_frame {
  const char *label, *path, *namespace_label;
  size_t label_bytes, path_bytes, namespace_bytes;
  bool is_c;
};

/* Parses a list. NULL and *error when a pattern is invalid (the text names it) or there are too many. An empty list
 * matches nothing. */
struct rtop_patterns *rtop_patterns_create(const char *text, size_t bytes, struct rtop_error *error);
void rtop_patterns_destroy(struct rtop_patterns **patterns);

size_t rtop_patterns_count(const struct rtop_patterns *patterns);
bool rtop_patterns_match(const struct rtop_patterns *patterns, const struct rtop_pattern_frame *frame);

/* Does the glob match the whole text? Also used for values of filters. */
bool rtop_pattern_glob(const char *glob, size_t glob_bytes, const char *text, size_t text_bytes);

#endif
