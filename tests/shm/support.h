/* What the tests of the channel share: a directory of their own, child processes, waiting for a
 * condition, a small writer's input.
 */
#ifndef RTOP_TESTS_SHM_SUPPORT_H
#define RTOP_TESTS_SHM_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shm/channel/writer.h"
#include "shm/segment/segment.h"
#include "shm/window/window.h"
#include <stdbool.h>
#include <sys/types.h>

/* Group fixtures: a new directory that RPERF_TOP_DIR names, and its removal with all files in it. */
int support_setup(void **state);
int support_teardown(void **state);
const char *support_directory(void);
/* Test fixture: removes the files, keeps the directory. */
int support_empty(void **state);
size_t support_count_files(void);
/* A path in the directory; the text is overwritten by the fourth call after. */
const char *support_path(const char *name);

/* A child that runs body(argument) and exits with what it returns; it can talk through a pipe. */
struct support_child {
  pid_t pid;
  int from; /* read by the parent */
  int to;   /* read by the child */
};
struct support_pipes {
  int in;
  int out;
};
struct support_child support_fork(int (*body)(struct support_pipes pipes, void *argument), void *argument);
/* In the child and in the parent: tell the other, wait for the other (false when it is gone). */
void support_tell(int fd);
bool support_hear(int fd);
/* Exit status of a child that ends by itself; 128 + signal when it was killed. Closes the pipes. */
int support_join(struct support_child *child);
int support_kill(struct support_child *child);

/* Old kernels have no openat2, nor has qemu's emulation of another machine's: nothing is found in another root there. */
bool support_has_openat2(void);

/* Polls until true; false when a generous deadline has passed. */
bool support_wait_for(bool (*condition)(void *argument), void *argument);

/* Small sizes, an identity, a writer of 1 MB in the directory. */
struct rtop_segment_sizes support_sizes(void);
struct rtop_segment_identity support_identity(void);
struct rtop_writer *support_writer(void);
/* Fills in window number n: one thread, three cells, two counters, one mark. Always the same for n. */
void support_window(struct rtop_window *window, uint64_t n);
void support_assert_window(const struct rtop_window *window, uint64_t n);

#endif
