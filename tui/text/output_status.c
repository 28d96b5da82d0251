/* SPDX-License-Identifier: MIT */
/* Flushes standard output and reports errors. */
#include "output_status.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

int rtop_output_status(FILE *out)
{
  errno = 0;
  bool failed = ferror(out) != 0;
  if (fflush(out) == 0 && !failed) return 0;
  if (errno != EPIPE)
    fprintf(stderr, "rperf-top: cannot write: %s\n", errno ? strerror(errno) : "not all of it was taken");
  return 1;
}
