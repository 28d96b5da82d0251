/* SPDX-License-Identifier: MIT */
/* Lists of patterns that match frames. One grammar for the frames that the extension excludes when it measures and for
 * the frames that the viewer excludes from its display.
 *
 *   ActiveRecord::Base    methods of this class or module
 *   ActiveRecord::*       of this class or module and of all inside it
 *   Foo#bar, Foo.*        one method; all singleton methods
 *   /srv/app/vendor/      a path, which is any pattern with a slash. `*` matches slashes, too; a final slash matches
 *   app/models/user*.rb   everything below. A path that does not begin with a slash may begin at any folder
 *   gem:NAME              files of a gem (origin.h)      gem:*  of any gem
 *   stdlib                the standard library
 *   <C>                   methods written in C           <internal>  Ruby's own methods, written in C or in Ruby
 *
 * `*` is any run of characters, `?` one character, a backslash takes the next character literally; all other
 * characters, including brackets, match themselves. Case is significant. Patterns are separated by commas or line ends;
 * blanks around them are ignored. `!` before a pattern excludes its frames from the list again: the last pattern that
 * matches decides, so "gem:*,!gem:mine" matches every gem except one.
 *
 * A block belongs to the method around it ("block in Foo#bar" is Foo#bar). The caller must not match frames that the
 * profiler makes up, such as "(root)".
 *
 * Threads: a list never changes after it was made. Matching never allocates; its time is bounded by the length of the
 * list times the length of the names. Names may be hostile text.
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

/* Tells whether the glob matches the whole text. Also used for values of filters. */
bool rtop_pattern_glob(const char *glob, size_t glob_bytes, const char *text, size_t text_bytes);

#endif
