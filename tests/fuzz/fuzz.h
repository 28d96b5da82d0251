/* What the targets share. */
#ifndef RTOP_TESTS_FUZZ_H
#define RTOP_TESTS_FUZZ_H

#include "tui/history/profile.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Which one it was is not seen in a stack. */
#define demand(right)                                                                                                  \
  do {                                                                                                                 \
    if (!(right)) {                                                                                                    \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #right);                                                      \
      abort();                                                                                                         \
    }                                                                                                                  \
  } while (0)

/* A file of these bytes, and its path; to be closed. */
static inline int fuzz_file(const void *data, size_t size, char path[64])
{
  int fd = memfd_create("fuzz", MFD_CLOEXEC);
  if (fd < 0 || write(fd, data, size) != (ssize_t)size) abort();
  snprintf(path, 64, "/proc/self/fd/%d", fd);
  return fd;
}

/* The cells of a span are what it says they are. */
static inline void fuzz_sum(struct rtop_profile *profile, struct rtop_span span)
{
  static struct rtop_sum sum;
  uint64_t wall_ns = 0;
  demand(rtop_profile_sum(profile, span, &sum));
  for (size_t i = 0; i < sum.cell_count; i++) wall_ns += rtop_cost_wall(&sum.cells[i].cost);
  demand(wall_ns == rtop_cost_wall(&sum.total));
}

#endif
