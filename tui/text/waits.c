/* Knows by name which methods wait, and for what. */
#include "waits.h"

#include <string.h>

static bool waits_one_of(const char *const *names, const char *name)
{
  for (; *names; names++)
    if (strcmp(*names, name) == 0) return true;
  return false;
}

const char *rtop_wait_method(const char *label)
{
  const char *name = strrchr(label, '#'), *dot = strrchr(label, '.');
  name = dot && (!name || dot > name) ? dot : name;
  return name ? name + 1 : label;
}

bool rtop_wait_lets_go(const char *label)
{
  return strstr(label, "ConditionVariable#wait") || strstr(label, "Mutex#sleep") ||
         strstr(label, "Monitor#wait_for_cond");
}

enum rtop_wait rtop_wait_of(const char *label)
{
  static const char *const events[] = { "pop",       "shift",           "deq",     "stop", "accept",
                                        "sysaccept", "accept_nonblock", "receive", "take", "wait_for_cond",
                                        NULL };
  static const char *const work[] = {
    "wait", "sleep",         "select",   "wait_readable", "wait_writable", "gets", "getc",     "getbyte",
    "read", "readpartial",   "readline", "sysread",       "each_line",     "recv", "recvfrom", "recvmsg",
    "poll", "sleep_forever", NULL,
  };
  static const char *const others[] = { "join", "value", "waitpid", "wait2", "waitpid2", "waitall", NULL };
  const char *name = rtop_wait_method(label);
  if (waits_one_of(others, name) || strcmp(label, "Process.wait") == 0) return RTOP_WAIT_OTHERS;
  if (rtop_wait_lets_go(label) || waits_one_of(events, name)) return RTOP_WAIT_EVENT;
  return waits_one_of(work, name) ? RTOP_WAIT_ANY : RTOP_WAIT_NOT;
}

bool rtop_wait_is_lock(const char *label)
{
  static const char *const names[] = { "lock", "synchronize", "enter", "mon_enter", "mon_synchronize", NULL };
  return waits_one_of(names, rtop_wait_method(label));
}
