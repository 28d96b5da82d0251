/* SPDX-License-Identifier: MIT */
/* Reads data about a process from /proc. For shm/ and ext/.
 *
 * Everything is read into a bounded buffer and parsed without trust; a field that cannot be read is 0.
 *
 * Threads: no shared state. Never allocates.
 */
#ifndef RTOP_SHM_PROCESS_H
#define RTOP_SHM_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { PROCESS_NAMESPACE_MAX = 8 };

struct process_status {
  uid_t uid; /* effective user id */
  uid_t real_uid;
  pid_t pids[PROCESS_NAMESPACE_MAX]; /* one pid per nested pid namespace, the caller's namespace first */
  size_t pid_count;                  /* at least 1 */
};

/* Returns false when the process does not exist (or /proc is missing). */
bool process_status_read(pid_t pid, struct process_status *status);

/* Fields of the line in /proc/PID/stat. */
struct process_stat {
  char state;           /* field 3: 'R', 'S', … */
  pid_t parent;         /* field 4 */
  bool ending;          /* the process has no memory any more: it is ending, or a zombie */
  uint64_t start_ticks; /* field 22: start time; with the pid it identifies a process within a boot */
  int exit_code;        /* field 52: status as in wait(2); 0 also when the kernel hides it */
  char program[32];     /* name of the executable; any bytes */
};
bool process_stat_read(pid_t pid, struct process_stat *stat);

/* Reads state (field 3) and core (field 39) of a thread of the calling process, by its native id. Returns false when
 * that is not possible. */
bool process_thread_place(uint32_t thread, char *state, int *core);

/* Tells whether this process is in the initial pid namespace, whose pids the kernel's log uses. */
bool process_in_first_namespace(void);

/* Reads the value of a variable in the environment with which a process was started. Returns false when the variable is
 * missing, too long, or unreadable. */
bool process_environment(pid_t pid, const char *name, char *value, size_t value_bytes);

/* Reads a small kernel file as a whole; the text is always terminated. Returns its length; 0 when unreadable. */
size_t process_read_file(const char *path, char *text, size_t text_bytes);

/* Return field 22 of the calling process's stat line, the inode of its pid namespace, and the id of the boot. */
uint64_t process_own_start_ticks(void);
int process_descriptors_room(void); /* number of descriptors that fit into the kernel's table before it grows */
uint64_t process_own_pid_namespace(void);
void process_boot_id(uint8_t boot_id[16]);

/* Fills `bytes` with random bytes, for names that must not be guessable. */
void process_random(void *bytes, size_t count);

#endif
