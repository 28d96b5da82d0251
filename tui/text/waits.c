/* SPDX-License-Identifier: MIT */
/* The methods that wait, and what they wait for, by name. */
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

static bool waits_ends_with(const char *text, size_t bytes, const char *end)
{
  size_t wanted = strlen(end);
  return bytes >= wanted && memcmp(text + bytes - wanted, end, wanted) == 0;
}

/* Of these the class tells enough. */
static bool waits_is_io(const char *label, const char *name)
{
  static const char *const classes[] = { "IO",
                                         "File",
                                         "ARGF.class",
                                         "Dir",
                                         "Addrinfo",
                                         "PG::Connection",
                                         "Mysql2::Client",
                                         "Mysql2::Statement",
                                         "Trilogy",
                                         "TinyTds::Client",
                                         NULL };
  static const char *const of_kernel[] = { "gets",   "readline", "readlines", "select", "puts",    "print",
                                           "printf", "putc",     "p",         "open",   "sysopen", NULL };
  size_t bytes = name > label ? (size_t)(name - label) - 1 : 0;
  if (bytes == strlen("Kernel") && memcmp(label, "Kernel", bytes) == 0) return waits_one_of(of_kernel, name);
  for (const char *const *class = classes; *class; class ++)
    if (strlen(*class) == bytes && memcmp(label, *class, bytes) == 0) return true;
  return waits_ends_with(label, bytes, "Socket") || (bytes && waits_ends_with(label, bytes, "Server"));
}

enum rtop_wait_kind rtop_wait_kind_of(const char *label)
{
  static const char *const pops[] = { "pop", "shift", "deq", NULL }, *const pushes[] = { "push", "<<", "enq", NULL };
  static const char *const sleeps[] = { "sleep", "stop", "sleep_forever", NULL };
  static const char *const threads[] = { "join", "value", NULL };
  static const char *const children[] = { "system",   "`",       "wait",   "wait2", "waitpid",
                                          "waitpid2", "waitall", "detach", NULL };
  const char *name = rtop_wait_method(label);
  bool kernel = strncmp(label, "Kernel", strlen("Kernel")) == 0, of_thread = strncmp(label, "Thread", 6) == 0;
  if (rtop_wait_lets_go(label)) return RTOP_WAITS_CONDITION;
  if (rtop_wait_is_lock(label)) return strstr(label, "Mutex") ? RTOP_WAITS_MUTEX : RTOP_WAITS_MONITOR;
  if (strstr(label, "Queue#") && waits_one_of(pops, name)) return RTOP_WAITS_QUEUE;
  if (strstr(label, "SizedQueue#") && waits_one_of(pushes, name)) return RTOP_WAITS_SIZED_ROOM;
  if ((kernel || of_thread) && waits_one_of(sleeps, name)) return RTOP_WAITS_SLEEP;
  if (of_thread && waits_one_of(threads, name)) return RTOP_WAITS_THREAD;
  if ((kernel || strncmp(label, "Process", strlen("Process")) == 0) && waits_one_of(children, name))
    return RTOP_WAITS_CHILD;
  return waits_is_io(label, name) ? RTOP_WAITS_IO : RTOP_WAITS_OTHER;
}
