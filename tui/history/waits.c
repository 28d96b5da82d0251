/* Knows by name which methods wait, and for what. */
#include "waits.h"

#include <string.h>

static bool waits_one_of(const char *const *names, const char *name)
{
  for (; *names; names++)
    if (strcmp(*names, name) == 0) return true;
  return false;
}

const char *rtop_wait_method(const struct rtop_symbol *symbol)
{
  const char *name = strrchr(symbol->label, '#'), *dot = strrchr(symbol->label, '.');
  name = dot && (!name || dot > name) ? dot : name;
  return name ? name + 1 : symbol->label;
}

static bool waits_is_own(const struct rtop_symbol *symbol)
{
  return symbol->kind == RTOP_SYMBOL_C || strncmp(symbol->path, "<internal:", 10) == 0;
}

bool rtop_wait_lets_go(const struct rtop_symbol *symbol)
{
  return waits_is_own(symbol) &&
         (strstr(symbol->label, "ConditionVariable#wait") || strstr(symbol->label, "Mutex#sleep") ||
          strstr(symbol->label, "Monitor#wait_for_cond"));
}

enum rtop_wait rtop_wait_of(const struct rtop_symbol *symbol)
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
  const char *name = rtop_wait_method(symbol);
  if (!waits_is_own(symbol)) return RTOP_WAIT_NOT;
  if (waits_one_of(others, name) || strcmp(symbol->label, "Process.wait") == 0) return RTOP_WAIT_OTHERS;
  if (rtop_wait_lets_go(symbol) || waits_one_of(events, name)) return RTOP_WAIT_EVENT;
  return waits_one_of(work, name) ? RTOP_WAIT_ANY : RTOP_WAIT_NOT;
}

bool rtop_wait_is_lock(const struct rtop_symbol *symbol)
{
  static const char *const names[] = { "lock", "synchronize", "enter", "mon_enter", "mon_synchronize", NULL };
  return waits_is_own(symbol) && waits_one_of(names, rtop_wait_method(symbol));
}
