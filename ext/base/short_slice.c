/* SPDX-License-Identifier: MIT */
/* Requests a shorter time slice from the scheduler. */
#include "short_slice.h"

#include <errno.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* struct sched_attr in its first version, which every kernel accepts; some headers lack it. */
struct attributes {
  uint32_t size, policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t slice_ns, deadline_ns, period_ns;
};

static bool read_attributes(struct attributes *attributes)
{
  if (prctl(PR_GET_SECCOMP) != 0) return false;
  if (syscall(SYS_sched_getattr, 0, attributes, sizeof *attributes, 0) != 0) return false;
  return attributes->policy == SCHED_OTHER || attributes->policy == SCHED_BATCH;
}

bool short_slice_take(void)
{
  struct attributes attributes = { 0 };
  int error = errno;
  bool taken = read_attributes(&attributes) && attributes.slice_ns > SHORT_SLICE_NS;
  if (taken) {
    attributes.size = sizeof attributes;
    attributes.slice_ns = SHORT_SLICE_NS;
    taken = syscall(SYS_sched_setattr, 0, &attributes, 0) == 0;
  }
  errno = error;
  return taken;
}
