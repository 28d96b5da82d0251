/* SPDX-License-Identifier: MIT */
/* Finds out from the kernel whether an address can be read. */
#include "readable.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

/* rt_sigprocmask() copies the mask from the address before it rejects the unknown operation: EINVAL means readable,
 * EFAULT unreadable. Nothing is changed. When a seccomp filter refuses the call, no address counts as readable. */
bool readable_word(const void *address)
{
  enum { NO_SUCH_WISH = -1, MASK_BYTES = 8 };
  int before = errno;
  bool readable = syscall(SYS_rt_sigprocmask, NO_SUCH_WISH, address, NULL, MASK_BYTES) == -1 && errno == EINVAL;
  errno = before;
  return readable;
}
