/* SPDX-License-Identifier: MIT */
/* FNV-1a over several values: a key that changes with each of them. */
#ifndef RTOP_TUI_FNV_H
#define RTOP_TUI_FNV_H

#include <stddef.h>
#include <stdint.h>

#define RTOP_FNV_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t rtop_fnv(uint64_t hash, const void *bytes, size_t count)
{
  const unsigned char *at = (const unsigned char *)bytes;
  /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): bytes of numbers that the caller has set */
  for (size_t i = 0; i < count; i++) hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
  return hash;
}

#endif
