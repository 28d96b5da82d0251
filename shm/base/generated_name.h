/* SPDX-License-Identifier: MIT */
/* Stable names for methods of code generators. A template of Action View has a method like
 * "_app_views_orders_show_html_erb__1234567890123456789_12340", whose numbers differ in each process; its stable name
 * is "app/views/orders/show.html.erb". generators.def lists the known generators.
 *
 * Names are replaced in the viewer as it reads them (tui/history/symbols.c), so that recordings and older extensions
 * give the same rows. The profiled process needs the real names for tracing and excluding. Only addresses, as in
 * "#<Class:0x…>", are removed in the process (ext/names/frame_names.c), so that its tables do not fill up.
 *
 * Threads: no shared state. Never allocates; time is bounded by length times table size. Names and paths are hostile
 * text.
 */
#ifndef RTOP_SHM_GENERATED_NAME_H
#define RTOP_SHM_GENERATED_NAME_H

#include <stddef.h>

enum { RTOP_GENERATED_NAME_MAX = 1024 }; /* limit in bytes; longer names are kept as they are */

/* Writes the stable name of the method with this label ("block in Views#_app_…") and path to `out`, which has room for
 * RTOP_GENERATED_NAME_MAX bytes. Returns the length of the name, which is not NUL-terminated; 0 when the label is not a
 * generated one. */
size_t rtop_generated_name(const char *label, size_t label_bytes, const char *path, size_t path_bytes, char *out);

#endif
