/* SPDX-License-Identifier: MIT */
/* Errors of the environment: a code, errno, and a sentence for people.
 *
 * A function that can fail takes a `struct rtop_error *` as its last argument and returns 0 or -1 (or NULL). The
 * argument may be NULL. The text is written where the cause is known, and recommends what to do. Damaged data written
 * by another process is not reported this way: readers return enum rtop_result.
 *
 * Threads: no shared state. Never allocates.
 */
#ifndef RTOP_SHM_ERROR_H
#define RTOP_SHM_ERROR_H

enum rtop_error_code {
  RTOP_ERROR_NONE = 0,
  RTOP_ERROR_SYSTEM,     /* a system call failed; the reason is in errno_value */
  RTOP_ERROR_NO_SPACE,   /* the file system cannot hold even the smallest segment */
  RTOP_ERROR_NOT_FOUND,  /* no such segment */
  RTOP_ERROR_PERMISSION, /* the process or segment belongs to another user */
  RTOP_ERROR_UNSAFE,     /* owner, mode, number of links or type of the file is not that of a segment */
  RTOP_ERROR_VERSION,    /* the segment was made by another version */
  RTOP_ERROR_CORRUPT,    /* the content of the file contradicts its header */
  RTOP_ERROR_LIMIT,      /* a limit of this program was reached */
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
