/* A text that is put together piece by piece; what does not fit is cut off.
 *
 * Threads: no shared state.
 */
#ifndef RTOP_TUI_PHRASE_H
#define RTOP_TUI_PHRASE_H

#include <stddef.h>

struct phrase {
  char *out;
  size_t bytes, used; /* `used` grows beyond bytes when the text was cut */
};

__attribute__((format(printf, 2, 3))) void phrase_add(struct phrase *phrase, const char *format, ...);

#endif
