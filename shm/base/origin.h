/* SPDX-License-Identifier: MIT */
/* Where code comes from, according to its path: the application, a gem, the standard library, or Ruby itself.
 *
 * Known layouts: RubyGems (…/gems/NAME-1.2.3[-platform]/…), git checkouts of Bundler
 * (…/bundler/gems/NAME-0123456789ab/…), Ruby's own library (…/lib/ruby/3.3.0/…, site_ruby, vendor_ruby, share/ruby on
 * Fedora). The outermost gem counts, so vendored code belongs to the gem around it. "(eval at FILE:LINE)" counts as
 * FILE. Any other path belongs to the application.
 *
 * Threads: no shared state. Never allocates; time is linear in the length of the path. Paths are hostile text.
 */
#ifndef RTOP_SHM_ORIGIN_H
#define RTOP_SHM_ORIGIN_H

#include <stddef.h>

enum rtop_origin {
  RTOP_ORIGIN_APPLICATION,
  RTOP_ORIGIN_GEM,
  RTOP_ORIGIN_STDLIB,
  RTOP_ORIGIN_CORE, /* no path (a method written in C) or <internal:…> */
};

/* The name of a gem, a part of the given path; bytes is 0 for every origin other than a gem. */
struct rtop_gem_name {
  const char *text;
  size_t bytes;
};

/* Returns the origin of the code in this file. `gem` may be NULL. */
enum rtop_origin rtop_origin_of_path(const char *path, size_t bytes, struct rtop_gem_name *gem);

const char *rtop_origin_name(enum rtop_origin origin); /* "application", "gem", "stdlib", "core" */

#endif
