/* SPDX-License-Identifier: MIT */
/* Asks the kernel whether memory can be read. */
#include "readable.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel copies the signal mask before it finds that it does not know what it is asked to do with it: EINVAL, or EFAULT
 * where nothing can be read. Nothing is changed. Where a filter refuses the call, nothing is known to be readable. */
bool readable_word(const void *address)
{
  enum { NO_SUCH_WISH = -1, MASK_BYTES = 8 };
  int before = errno;
  bool readable = syscall(SYS_rt_sigprocmask, NO_SUCH_WISH, address, NULL, MASK_BYTES) == -1 && errno == EINVAL;
  errno = before;
  return readable;
}
