/* SPDX-License-Identifier: MIT */
/* Fills in an error. */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

int rtop_error_set(struct rtop_error *error, enum rtop_error_code code, int errno_value, const char *format, ...)
{
  if (!error) return -1;
  error->code = code;
  error->errno_value = errno_value;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  return -1;
}
