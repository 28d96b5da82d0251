/* Hands over what is known exactly of traced methods: what has changed since the window before.
 *
 * Threads: the publisher.
 */
#ifndef RTOP_EXT_CUT_EXACT_H
#define RTOP_EXT_CUT_EXACT_H

#include "cut.h"
#include "ext/tracing/tracing.h"

/* False when memory ran out. */
bool cut_exact_add(struct cut *cut, struct tracing *tracing);

#endif
