#include "support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char directory[64];

const char *support_directory(void)
{
  return directory;
}

int support_setup(void **state)
{
  (void)state;
  snprintf(directory, sizeof directory, "%s/rtop-test.XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  if (!mkdtemp(directory)) return -1;
  return setenv("RPERF_TOP_DIR", directory, 1);
}

static size_t support_walk(bool remove_files)
{
  DIR *open_directory = opendir(directory);
  size_t count = 0;
  if (!open_directory) return 0;
  for (struct dirent *entry; (entry = readdir(open_directory));) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    count++;
    if (remove_files && unlinkat(dirfd(open_directory), entry->d_name, 0) != 0)
      unlinkat(dirfd(open_directory), entry->d_name, AT_REMOVEDIR);
  }
  closedir(open_directory);
  return count;
}

size_t support_count_files(void)
{
  return support_walk(false);
}

int support_empty(void **state)
{
  (void)state;
  support_walk(true);
  return 0;
}

int support_teardown(void **state)
{
  support_empty(state);
  return rmdir(directory);
}

const char *support_path(const char *name)
{
  static char paths[4][600];
  static unsigned next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", directory, name);
  return path;
}

struct support_child support_fork(int (*body)(struct support_pipes pipes, void *argument), void *argument)
{
  int up[2], down[2];
  assert_int_equal(pipe2(up, O_CLOEXEC), 0);
  assert_int_equal(pipe2(down, O_CLOEXEC), 0);
  fflush(NULL);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    close(up[0]);
    close(down[1]);
    _exit(body((struct support_pipes){ .in = down[0], .out = up[1] }, argument));
  }
  close(up[1]);
  close(down[0]);
  return (struct support_child){ .pid = pid, .from = up[0], .to = down[1] };
}

void support_tell(int fd)
{
  while (write(fd, "x", 1) < 0 && errno == EINTR)
    ;
}

bool support_hear(int fd)
{
  char byte;
  ssize_t got;
  do got = read(fd, &byte, 1);
  while (got < 0 && errno == EINTR);
  return got == 1;
}

int support_join(struct support_child *child)
{
  int status;
  close(child->to);
  assert_int_equal(waitpid(child->pid, &status, 0), child->pid);
  close(child->from);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int support_kill(struct support_child *child)
{
  kill(child->pid, SIGKILL);
  return support_join(child);
}

bool support_has_openat2(void)
{
  return syscall(SYS_openat2, -1, NULL, NULL, (size_t)0) == 0 || errno != ENOSYS;
}

bool support_wait_for(bool (*condition)(void *argument), void *argument)
{
  struct timespec pause = { .tv_nsec = 1000000 };
  for (int tries = 0; tries < 60000; tries++) {
    if (condition(argument)) return true;
    nanosleep(&pause, NULL);
  }
  return false;
}

struct rtop_segment_sizes support_sizes(void)
{
  return (struct rtop_segment_sizes){
    .ring_bytes = 16384,
    .directory_slots = 16,
    .string_bytes = 4096,
    .frame_capacity = 64,
    .node_capacity = 128,
    .thread_capacity = 8,
  };
}

struct rtop_segment_identity support_identity(void)
{
  return (struct rtop_segment_identity){
    .window_ns = 100000000,
    .ruby_version = "3.3.8",
    .tool_version = "1.0.0",
    .command = "ruby app.rb",
  };
}

struct rtop_writer *support_writer(void)
{
  struct rtop_writer_options options = { .ring_bytes = 1 << 20, .identity = support_identity() };
  struct rtop_error error = { 0 };
  struct rtop_writer *writer = rtop_writer_create(&options, &error);
  if (!writer) print_error("%s\n", error.text);
  return writer;
}

void support_window(struct rtop_window *window, uint64_t n)
{
  rtop_window_reset(window);
  window->start_mono_ns = (int64_t)(n * 1000);
  window->end_mono_ns = (int64_t)(n * 1000 + 1000);
  *rtop_window_add_thread(window) = (struct rtop_window_thread){ .slot = 1, .serial = 1, .state_age_ns = n };
  for (uint32_t i = 0; i < 3; i++)
    *rtop_window_add_cell(window) =
        (struct rtop_cell){ .node = i, .state = i, .samples = 1, .wall_ns = n * 10 + i, .cpu_ns = n, .blame_ns = i };
  *rtop_window_add_mark(window) = (struct rtop_mark){ .mono_ns = (int64_t)(n * 1000 + 5), .name = 8 };
  rtop_window_set_counter(window, RTOP_COUNTER_SAMPLES, n);
  rtop_window_set_counter(window, RTOP_COUNTER_RSS_BYTES, n * n);
}

void support_assert_window(const struct rtop_window *window, uint64_t n)
{
  assert_int_equal(window->start_mono_ns, n * 1000);
  assert_int_equal(window->end_mono_ns, n * 1000 + 1000);
  assert_int_equal(window->thread_count, 1);
  assert_int_equal(window->threads[0].state_age_ns, n);
  assert_int_equal(window->cell_count, 3);
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(window->cells[i].node, i);
    assert_int_equal(window->cells[i].wall_ns, n * 10 + i);
    assert_int_equal(window->cells[i].cpu_ns, n);
    assert_int_equal(window->cells[i].blame_ns, i);
  }
  assert_int_equal(window->mark_count, 1);
  assert_int_equal(window->marks[0].mono_ns, n * 1000 + 5);
  assert_int_equal(window->counters[RTOP_COUNTER_SAMPLES], n);
  assert_int_equal(window->counters[RTOP_COUNTER_RSS_BYTES], n * n);
}
