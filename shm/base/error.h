/* SPDX-License-Identifier: MIT */
/* How errors of the environment are reported: a code, errno and a sentence for people.
 *
 * A function that can fail takes a `struct rtop_error *` as its last argument and returns 0 or -1 (or NULL). The
 * argument may be NULL. The text is written where the cause is known and says what to do about it. Damaged data written
 * by another process is not reported this way: readers return enum rtop_result.
 *
 * Threads: no shared state. Never allocates.
 */
#ifndef RTOP_SHM_ERROR_H
#define RTOP_SHM_ERROR_H

enum rtop_error_code {
  RTOP_ERROR_NONE = 0,
  RTOP_ERROR_SYSTEM,     /* a system call failed; errno_value says which way */
  RTOP_ERROR_NO_SPACE,   /* the file system cannot hold even the smallest segment */
  RTOP_ERROR_NOT_FOUND,  /* no such segment */
  RTOP_ERROR_PERMISSION, /* another user's process or segment */
  RTOP_ERROR_UNSAFE,     /* the file is not what a segment must be: owner, mode, links, kind */
  RTOP_ERROR_VERSION,    /* made by another version */
  RTOP_ERROR_CORRUPT,    /* the file does not hold what its header promises */
  RTOP_ERROR_LIMIT,      /* a bound of this program was reached */
};

struct rtop_error {
  enum rtop_error_code code;
  int errno_value; /* 0 when no system call was involved */
  char text[320];
};

/* Fills *error (if not NULL) and returns -1, so that `return rtop_error_set(...)` reads well. */
int rtop_error_set(struct rtop_error *error, enum rtop_error_code code, int errno_value, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
