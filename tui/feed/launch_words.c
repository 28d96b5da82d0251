/* SPDX-License-Identifier: MIT */
/* Explains in words why a command shows no data. */
#include "launch_words.h"

#include "family.h"
#include "launch.h"
#include "tui/text/text.h"
#include <limits.h>
#include <string.h>
#include <unistd.h>

enum { HEAD_BYTES = 16 << 10, TAIL_BYTES = 8 << 10, TAIL_LINES = 5, LINE_BYTES = 240, FAMILY_MAX = 64 };

#define NANOSECONDS INT64_C(1000000000)
static const int64_t patience_ns = 3 * NANOSECONDS, soon_ns = 3 * NANOSECONDS;

/* Finds the line that ext/rperf_top.rb prints when it does not load: "rperf_top: REASON; the program runs without
 * it". */
static bool extension_says(const struct rtop_launch *launch, char *out, size_t bytes)
{
  static const char start[] = "rperf_top: ", end[] = "; the program runs without it";
  char head[HEAD_BYTES];
  rtop_launch_log_head(launch, head, sizeof head);
  for (const char *line = head; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
    line += *line == '\n';
    size_t length = strcspn(line, "\n");
    const char *stop = strstr(line, end);
    if (strncmp(line, start, sizeof start - 1) != 0 || stop == NULL || stop > line + length) continue;
    line += sizeof start - 1;
    rtop_text_sanitize(out, bytes, line, (size_t)(stop - line));
    return true;
  }
  return false;
}

/* Name of the file that a process runs, such as "ruby" or "bash"; "" when unknown. */
static void program_of(pid_t pid, char *out, size_t bytes)
{
  char link[32], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length > 0 ? length : 0] = '\0';
  const char *slash = strrchr(path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  rtop_text_sanitize(out, bytes, name, strnlen(name, bytes - 1));
}

bool rtop_launch_is_ruby(pid_t pid)
{
  char program[64];
  program_of(pid, program, sizeof program);
  return strncmp(program, "ruby", 4) == 0;
}

bool rtop_launch_waits(const struct rtop_launch *launch, char *out, size_t bytes)
{
  char reason[LINE_BYTES], program[64] = "";
  pid_t family[FAMILY_MAX];
  if (extension_says(launch, reason, sizeof reason)) {
    snprintf(out, bytes, "the command runs, but cannot be watched: %s", reason);
    return true;
  }
  if (rtop_launch_age_ns(launch) < patience_ns) return false;
  family[0] = rtop_launch_pid(launch);
  size_t count = 1 + rtop_family_descendants(family[0], family + 1, FAMILY_MAX - 1);
  for (size_t i = 0; i < count; i++) {
    if (!rtop_launch_is_ruby(family[i])) continue;
    snprintf(out, bytes,
             "nothing to watch yet: Ruby process %d runs without the extension; RUBYOPT=-rrperf_top and RUBYLIB "
             "must reach it, and it must be 3.3.1 or newer",
             (int)family[i]);
    return true;
  }
  program_of(family[0], program, sizeof program);
  snprintf(out, bytes, "nothing to watch yet: the command runs %s, which is not Ruby; a Ruby that it starts is watched",
           program[0] != '\0' ? program : "a program");
  return true;
}

/* glibc alone has the name. */
static void signal_name(int number, char *out, size_t bytes)
{
#ifdef __GLIBC__
  const char *name = sigabbrev_np(number);
  if (name != NULL) snprintf(out, bytes, "SIG%s", name);
  else
#endif
    snprintf(out, bytes, "signal %d", number);
}

static void end_words(struct rtop_launch *launch, char *out, size_t bytes)
{
  int status = rtop_launch_status(launch), number = status > 128 ? status - 128 : 0;
  char name[32];
  double seconds = (double)rtop_launch_age_ns(launch) / (double)NANOSECONDS;
  if (number > 0 && rtop_launch_killed(launch)) {
    signal_name(number, name, sizeof name);
    snprintf(out, bytes, "the command was killed by %s after %.1f s", name, seconds);
  } else {
    snprintf(out, bytes, "the command ended with status %d after %.1f s", status, seconds);
  }
}

bool rtop_launch_failed(struct rtop_launch *launch, bool had_channel, char *out, size_t bytes)
{
  char end[96], reason[LINE_BYTES];
  if (!rtop_launch_ended(launch)) return false;
  bool logged = *rtop_launch_log_path(launch) != '\0';
  bool soon = logged && rtop_launch_status(launch) != 0 && rtop_launch_age_ns(launch) < soon_ns;
  if (had_channel && !soon) return false;
  end_words(launch, end, sizeof end);
  if (had_channel) snprintf(out, bytes, "%s", end);
  else if (extension_says(launch, reason, sizeof reason)) snprintf(out, bytes, "%s, not watched: %s", end, reason);
  else
    snprintf(out, bytes, "%s, before it could be watched%s", end,
             rtop_launch_status(launch) != 0 ? "" : ": is it a Ruby >= 3.3.1, and did it run long enough?");
  return true;
}

void rtop_launch_write_tail(const struct rtop_launch *launch, FILE *out)
{
  char tail[TAIL_BYTES], text[LINE_BYTES];
  size_t end = rtop_launch_log_tail(launch, tail, sizeof tail, NULL), from = end;
  while (from > 0 && tail[from - 1] == '\n') from--;
  end = from;
  for (int lines = 0; from > 0; from--)
    if (tail[from - 1] == '\n' && ++lines == TAIL_LINES) break;
  while (from < end) {
    const char *stop = memchr(tail + from, '\n', end - from);
    size_t length = stop != NULL ? (size_t)(stop - tail) - from : end - from;
    rtop_text_sanitize(text, sizeof text, tail + from, length);
    fprintf(out, "  %s\n", text);
    from += length + 1;
  }
}
