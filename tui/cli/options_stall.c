#include "options_impl.h"

#include <string.h>

/* Off: such stalls are not looked for. */
int options_stall(struct stall_limits *limits, enum stall_cause cause, const char *text)
{
  double number = 0;
  bool off = strcmp(text, "off") == 0;
  if (cause == STALL_METHOD) {
    limits->method = !off;
    return off || strcmp(text, "on") == 0 ? -1 : options_usage("--stall-method takes on or off: '%s' is neither", text);
  }
  if (!off && !options_number(text, 0.01, 1e5, &number))
    return options_usage("--stall-%s takes %s, 0.01 or more, or off: '%s' is not", stall_cause_name(cause),
                         cause == STALL_WAITING ? "a number of threads" : "seconds", text);
  int64_t ns = (int64_t)(number * 1e9);
  switch (cause) {
  case STALL_BLOCKED: limits->blocked_ns = ns; break;
  case STALL_NO_SAFEPOINT: limits->no_safepoint_ns = ns; break;
  case STALL_GC: limits->gc_ns = ns; break;
  default: limits->waiting = number;
  }
  return -1;
}
