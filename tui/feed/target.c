/* SPDX-License-Identifier: MIT */
/* Examines a process, and explains why it cannot be watched. */
#include "target.h"

#include "launch.h"
#include "shm/base/error.h"
#include "shm/base/process.h"
#include "tui/text/text.h"
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TARGET_MAPS_LINES_MAX = 1 << 16, TARGET_COMMAND_BYTES = 1024, TARGET_PASSWD_BYTES = 4096 };

/* Reads the beginning of /proc/PID/NAME; returns the number of bytes, -1 when unreadable. */
static ssize_t target_read(pid_t pid, const char *name, char *buffer, size_t bytes)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  ssize_t got = read(fd, buffer, bytes - 1);
  close(fd);
  buffer[got > 0 ? got : 0] = '\0';
  return got;
}

bool rtop_target_command(pid_t pid, char *command, size_t command_bytes)
{
  char raw[TARGET_COMMAND_BYTES];
  ssize_t got = pid > 0 ? target_read(pid, "cmdline", raw, sizeof raw) : 0;
  while (got > 0 && (raw[got - 1] == '\0' || raw[got - 1] == ' ')) got--;
  for (ssize_t i = 0; i < got; i++)
    if (raw[i] == '\0') raw[i] = ' ';
  if (got > 0) rtop_text_sanitize(command, command_bytes, raw, (size_t)got);
  return got > 0;
}

static void target_command(struct rtop_target *target)
{
  char raw[64], name[64];
  if (rtop_target_command(target->pid, target->command, sizeof target->command)) return;
  ssize_t got = target_read(target->pid, "comm", raw, sizeof raw);
  rtop_text_sanitize(name, sizeof name, raw, got > 1 ? (size_t)got - 1 : 0);
  snprintf(target->command, sizeof target->command, "[%s]", name);
}

static bool target_is_ruby_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return strncmp(slash ? slash + 1 : path, "ruby", 4) == 0;
}

static void target_maps(struct rtop_target *target)
{
  char line[512];
  snprintf(line, sizeof line, "/proc/%d/maps", (int)target->pid);
  FILE *maps = fopen(line, "re");
  if (!maps) return;
  for (int i = 0; i < TARGET_MAPS_LINES_MAX && fgets(line, sizeof line, maps); i++) {
    line[strcspn(line, "\n")] = '\0';
    const char *path = strchr(line, '/');
    target->readable = true;
    if (!path) continue;
    target->ruby = target->ruby || strstr(path, "/libruby") || target_is_ruby_name(path);
    target->extension = target->extension || strstr(path, "/rperf_top.so");
  }
  fclose(maps);
}

bool rtop_target_has_mapped(pid_t pid, const char *part)
{
  char line[512];
  bool found = false;
  snprintf(line, sizeof line, "/proc/%d/maps", (int)pid);
  FILE *maps = fopen(line, "re");
  for (int i = 0; maps && !found && i < TARGET_MAPS_LINES_MAX && fgets(line, sizeof line, maps); i++) {
    const char *path = strchr(line, '/');
    found = path && strstr(path, part);
  }
  if (maps) fclose(maps);
  return found;
}

void rtop_target_user(uid_t uid, char *name, size_t name_bytes)
{
  char buffer[TARGET_PASSWD_BYTES];
  struct passwd entry, *user = NULL;
  if (getpwuid_r(uid, &entry, buffer, sizeof buffer, &user) == 0 && user && *user->pw_name)
    rtop_text_sanitize(name, name_bytes, user->pw_name, strlen(user->pw_name));
  else snprintf(name, name_bytes, "%u", (unsigned)uid);
}

void rtop_target_look(pid_t pid, struct rtop_target *target)
{
  struct process_status status;
  struct process_stat stat;
  *target = (struct rtop_target){ .pid = pid };
  if (pid <= 0 || !process_status_read(pid, &status)) return;
  target->exists = true;
  target->uid = status.uid;
  target->zombie = process_stat_read(pid, &stat) && (stat.state == 'Z' || stat.state == 'X');
  target_command(target);
  rtop_target_user(target->uid, target->user, sizeof target->user);
  target_maps(target);
  char program[64];
  snprintf(program, sizeof program, "%.*s", (int)strcspn(target->command, " "), target->command);
  target->ruby = target->ruby || target_is_ruby_name(program);
}

static void target_explain_ruby(const struct rtop_target *target, char *text, size_t bytes)
{
  char folder[200] = "DIR";
  if (target->extension) {
    snprintf(text, bytes,
             "Ruby process %d has the extension loaded but no channel: call RperfTop.start in"
             " it, or see why it said no; if its files were removed, it makes new ones within ten seconds",
             (int)target->pid);
    return;
  }
  rtop_launch_extension_folder(folder, sizeof folder);
  snprintf(text, bytes,
           "Ruby process %d runs without the extension; to load it now: rperf-top --inject -p %d (gdb stops it for a"
           " moment); or start it with: rperf-top -- ruby app.rb, or RUBYOPT=-rrperf_top RUBYLIB=%s ruby app.rb",
           (int)target->pid, (int)target->pid, folder);
}

/* Explains messages of the channel that need no further examination of the process. */
static bool target_explain_segment(pid_t pid, const struct rtop_error *cause, char *text, size_t bytes)
{
  if (!cause || !cause->text[0]) return false;
  if (cause->code == RTOP_ERROR_NONE || cause->code == RTOP_ERROR_NOT_FOUND || cause->code == RTOP_ERROR_PERMISSION)
    return false;
  snprintf(text, bytes, "the channel of process %d cannot be used: %s", (int)pid, cause->text);
  return true;
}

void rtop_target_explain(pid_t pid, const struct rtop_error *cause, char *text, size_t bytes)
{
  struct rtop_target target;
  rtop_target_look(pid, &target);
  bool foreign = geteuid() != 0 && target.uid != geteuid();
  if (target_explain_segment(pid, cause, text, bytes)) return;
  if (!target.exists)
    snprintf(text, bytes,
             "there is no process %d and no channel that it left; rperf-top --list shows what"
             " there is",
             (int)pid);
  else if (target.zombie)
    snprintf(text, bytes, "process %d has ended and left no channel; only its parent has not noticed yet", (int)pid);
  else if (foreign || (cause && cause->code == RTOP_ERROR_PERMISSION))
    snprintf(text, bytes,
             "process %d belongs to user %s: run rperf-top as that user (sudo -u %s) or as"
             " root",
             (int)pid, target.user, target.user);
  else if (target.ruby) target_explain_ruby(&target, text, bytes);
  else
    snprintf(text, bytes, "process %d is not a Ruby process (%.80s); rperf-top --list shows those to watch", (int)pid,
             target.command);
}
