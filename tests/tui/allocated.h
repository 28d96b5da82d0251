/* How much memory a test holds. */
#ifndef TESTS_TUI_ALLOCATED_H
#define TESTS_TUI_ALLOCATED_H

#include "tests/tui/model_fixture.h"

#include <malloc.h>

/* Only glibc's allocator tells: with another one the test that asks is skipped. */
static inline size_t allocated_bytes(void)
{
#ifdef __GLIBC__
  const struct mallinfo2 held = mallinfo2();
  return held.uordblks + held.hblkhd;
#else
  skip();
  return 0;
#endif
}

#endif
