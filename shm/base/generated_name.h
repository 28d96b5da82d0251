/* SPDX-License-Identifier: MIT */
/* Names that generators of code give their methods, without what only one process has: a template of Action View is
 * "_app_views_orders_show_html_erb__1234567890123456789_12340" in one worker and has other numbers in the next, and after
 * each restart. Here it is "app/views/orders/show.html.erb" in all of them. generators.def has who is known.
 *
 * Where: in the viewer, as names come in (tui/history/symbols.c), not in the process. There the name that a method really
 * has is needed: to find it again (tracing asks for it), to leave it out, and to show it beside the other one. And
 * recordings and processes with an older extension get the same rows. What nobody could need, the addresses in "#<Class:0x…>"
 * and "#<Module:0x…>", the process takes out itself (ext/names/frame_names.c), so that its tables do not fill with them.
 *
 * Threads: no shared state. Never allocates; time is bounded by the length times that of the table. Names and paths are
 * hostile text.
 */
#ifndef RTOP_SHM_GENERATED_NAME_H
#define RTOP_SHM_GENERATED_NAME_H

#include <stddef.h>

enum { RTOP_GENERATED_NAME_MAX = 1024 }; /* bytes; a longer name is taken as it is */

/* What a method is called by that has this label ("block in Views#_app_…") and path: the bytes of `out`, which has room for
 * RTOP_GENERATED_NAME_MAX, not NUL-terminated. 0: by its label. */
size_t rtop_generated_name(const char *label, size_t label_bytes, const char *path, size_t path_bytes, char *out);

#endif
