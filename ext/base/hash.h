/* SPDX-License-Identifier: MIT */
/* The hash function for names: 64 bits, from any bytes.
 *
 * Threads: any; the function has no state.
 */
#ifndef RTOP_EXT_HASH_H
#define RTOP_EXT_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(0xCBF29CE484222325)

/* FNV-1a with a final mix, so that every bit of the result is usable. `hash` is HASH_START, or an earlier result: the
 * hash then covers the bytes of both calls. */
static inline uint64_t hash_bytes(uint64_t hash, const char *bytes, size_t count)
{
  for (size_t i = 0; i < count; i++) hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001B3);
  hash ^= hash >> 32;
  return hash * UINT64_C(0x9E3779B97F4A7C15);
}

#endif
