/* SPDX-License-Identifier: MIT */
/* Finds where to cut a text that is too long without splitting a UTF-8 character.
 *
 * Threads: no shared state.
 */
#ifndef RTOP_SHM_UTF8_H
#define RTOP_SHM_UTF8_H

#include <stddef.h>

/* Returns the length of the longest prefix of at most `limit` bytes that does not end inside a character. Invalid UTF-8
 * is cut at the limit. */
static inline size_t rtop_utf8_cut(const char *bytes, size_t count, size_t limit)
{
  if (count <= limit) return count;
  size_t cut = limit;
  for (int back = 0; back < 3 && cut > 0 && ((unsigned char)bytes[cut] & 0xc0) == 0x80; back++) cut--;
  return ((unsigned char)bytes[cut] & 0xc0) == 0x80 ? limit : cut;
}

#endif
