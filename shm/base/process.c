/* SPDX-License-Identifier: MIT */
/* Reads /proc. */
#include "process.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

size_t process_read_file(const char *path, char *text, size_t text_bytes)
{
  text[0] = '\0';
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  size_t length = 0;
  while (length + 1 < text_bytes) {
    ssize_t got = read(fd, text + length, text_bytes - 1 - length);
    if (got <= 0) break;
    length += (size_t)got;
  }
  close(fd);
  text[length] = '\0';
  return length;
}

static const char *process_status_field(const char *text, const char *name)
{
  const char *found = strstr(text, name);
  return found ? found + strlen(name) : NULL;
}

static void process_parse_pids(const char *field, struct process_status *status)
{
  while (status->pid_count < PROCESS_NAMESPACE_MAX) {
    while (*field == '\t' || *field == ' ') field++;
    if (!isdigit((unsigned char)*field)) return;
    char *end;
    status->pids[status->pid_count++] = (pid_t)strtol(field, &end, 10);
    field = end;
  }
}

bool process_status_read(pid_t pid, struct process_status *status)
{
  char path[64], text[4096];
  *status = (struct process_status){ 0 };
  snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
  if (process_read_file(path, text, sizeof text) == 0) return false;
  const char *uids = process_status_field(text, "\nUid:");
  unsigned real, effective;
  if (!uids || sscanf(uids, "%u %u", &real, &effective) != 2) return false;
  status->uid = effective;
  status->real_uid = real;
  const char *pids = process_status_field(text, "\nNSpid:");
  if (pids) process_parse_pids(pids, status);
  if (status->pid_count == 0) status->pids[status->pid_count++] = pid;
  return true;
}

/* Returns a field of the line in /proc/PID/stat. The command is in parentheses and may contain anything, so fields are
 * counted from the last ')'. */
static const char *process_stat_field(const char *text, int wanted)
{
  const char *field = strrchr(text, ')');
  for (int number = 2; field && number < wanted; number++) {
    field = strchr(field, ' ');
    if (field) field++;
  }
  return field;
}

uint64_t process_own_start_ticks(void)
{
  char text[1024];
  process_read_file("/proc/self/stat", text, sizeof text);
  const char *field = process_stat_field(text, 22);
  return field ? strtoull(field, NULL, 10) : 0;
}

int process_descriptors_room(void)
{
  enum { FIRST = 64, MAX = 1 << 20 }; /* FIRST: table size of a new process; MAX: used when /proc is missing */
  char text[4096];
  process_read_file("/proc/self/status", text, sizeof text);
  const char *field = process_status_field(text, "\nFDSize:");
  unsigned long size = field ? strtoul(field, NULL, 10) : 0;
  return size >= FIRST && size <= MAX ? (int)size : FIRST;
}

bool process_thread_place(uint32_t thread, char *state, int *core)
{
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/self/task/%u/stat", thread);
  if (process_read_file(path, text, sizeof text) == 0) return false;
  const char *state_field = process_stat_field(text, 3), *core_field = process_stat_field(text, 39);
  if (!state_field || !core_field) return false;
  *state = *state_field;
  *core = (int)strtoul(core_field, NULL, 10);
  return true;
}

bool process_stat_read(pid_t pid, struct process_stat *stat)
{
  char path[64], text[1024];
  *stat = (struct process_stat){ 0 };
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  if (pid <= 0 || process_read_file(path, text, sizeof text) == 0) return false;
  const char *name = strchr(text, '('), *end = strrchr(text, ')');
  const char *state = process_stat_field(text, 3), *parent = process_stat_field(text, 4);
  const char *ticks = process_stat_field(text, 22), *memory = process_stat_field(text, 23);
  const char *code = process_stat_field(text, 52);
  if (!name || !end || end < name || !state || !parent || !ticks || !memory) return false;
  size_t length = (size_t)(end - name - 1);
  memcpy(stat->program, name + 1, length < sizeof stat->program ? length : sizeof stat->program - 1);
  stat->state = *state;
  stat->parent = (pid_t)strtol(parent, NULL, 10);
  stat->ending = strtoull(memory, NULL, 10) == 0;
  stat->start_ticks = strtoull(ticks, NULL, 10);
  stat->exit_code = code ? (int)strtol(code, NULL, 10) : 0;
  return true;
}

/* Compares the namespace with PROC_PID_INIT_INO of the kernel. */
bool process_in_first_namespace(void)
{
  return process_own_pid_namespace() == UINT64_C(0xEFFFFFFC);
}

/* Searches the environment for a variable, byte by byte, since an environment may be of any length. */
static bool process_find_variable(FILE *file, const char *name, char *value, size_t value_bytes)
{
  enum { VARIABLES_MAX = 1 << 20 };
  size_t length = strlen(name), at = 0;
  bool matches = true;
  for (int looked = 0; looked < VARIABLES_MAX; looked++) {
    int byte = getc(file);
    bool ends = byte == EOF || byte == '\0';
    size_t taken = at > length ? at - length - 1 : 0;
    if (ends && matches && at > length) {
      value[taken < value_bytes ? taken : 0] = '\0';
      return taken < value_bytes;
    }
    if (byte == EOF) return false;
    if (ends) {
      at = 0;
      matches = true;
      continue;
    }
    if (at <= length) matches = matches && byte == (at < length ? (unsigned char)name[at] : '=');
    else if (taken < value_bytes) value[taken] = (char)byte;
    at++;
  }
  return false;
}

bool process_environment(pid_t pid, const char *name, char *value, size_t value_bytes)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
  FILE *file = pid > 0 ? fopen(path, "re") : NULL;
  bool found = file && process_find_variable(file, name, value, value_bytes);
  if (file) fclose(file);
  return found;
}

uint64_t process_own_pid_namespace(void)
{
  struct stat status;
  return stat("/proc/self/ns/pid", &status) == 0 ? (uint64_t)status.st_ino : 0;
}

void process_boot_id(uint8_t boot_id[16])
{
  char text[64];
  memset(boot_id, 0, 16);
  process_read_file("/proc/sys/kernel/random/boot_id", text, sizeof text);
  size_t digit = 0;
  for (const char *next = text; *next && digit < 32; next++) {
    if (!isxdigit((unsigned char)*next)) continue;
    int value = isdigit((unsigned char)*next) ? *next - '0' : tolower((unsigned char)*next) - 'a' + 10;
    boot_id[digit / 2] = (uint8_t)(boot_id[digit / 2] << 4 | value);
    digit++;
  }
}

void process_random(void *bytes, size_t count)
{
  if (getrandom(bytes, count, GRND_NONBLOCK) == (ssize_t)count) return;
  /* without entropy the number still differs by process and time */
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  uint64_t state = (uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 30 ^ (uint64_t)getpid() << 40;
  for (size_t i = 0; i < count; i++) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    ((unsigned char *)bytes)[i] = (unsigned char)(state >> 56);
  }
}
