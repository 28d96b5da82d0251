/* Adds to a text as long as there is room. */
#include "phrase.h"

#include <stdarg.h>
#include <stdio.h>

void phrase_add(struct phrase *phrase, const char *format, ...)
{
  va_list arguments;
  if (phrase->used >= phrase->bytes) return;
  va_start(arguments, format);
  int used = vsnprintf(phrase->out + phrase->used, phrase->bytes - phrase->used, format, arguments);
  va_end(arguments);
  phrase->used += used > 0 ? (size_t)used : 0;
}
