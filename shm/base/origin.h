/* SPDX-License-Identifier: MIT */
/* Where code comes from, as far as its path tells: the application, a gem, the standard library, Ruby
 * itself.
 *
 * Known layouts: RubyGems (…/gems/NAME-1.2.3[-platform]/…), git checkouts of Bundler
 * (…/bundler/gems/NAME-0123456789ab/…), Ruby's own library (…/lib/ruby/3.3.0/…, site_ruby, vendor_ruby,
 * Fedora's share/ruby). The outermost gem counts: what a gem vendors is the gem's. "(eval at FILE:LINE)"
 * comes from FILE. A path that fits none of them is the application's.
 *
 * Threads: no shared state. Never allocates; time is linear in the path. Paths are hostile text.
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

/* The name of a gem, a part of the path; bytes is 0 for every other origin. */
struct rtop_gem_name {
  const char *text;
  size_t bytes;
};

/* `gem` may be NULL. */
enum rtop_origin rtop_origin_of_path(const char *path, size_t bytes, struct rtop_gem_name *gem);

const char *rtop_origin_name(enum rtop_origin origin); /* "application", "gem", "stdlib", "core" */

#endif
