/* A channel made by a child process that does as it is told, for tests of what reads channels. The writer
 * must be another process: locks of one's own cannot be seen.
 */
#ifndef RTOP_TESTS_CHANNEL_FIXTURE_H
#define RTOP_TESTS_CHANNEL_FIXTURE_H

#include "shm/base/latency.h"
#include "shm/channel/writer.h"
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#define CHANNEL __attribute__((unused)) static

enum { CHANNEL_WINDOW_NS = 100000000 };

/* Who makes channels: not root when that is tried. */
__attribute__((unused)) static uid_t channel_user;

__attribute__((unused)) static uint64_t channel_ring_bytes = 1 << 20;

struct channel {
  pid_t pid;
  int orders, answers; /* pipes */
};

/* What the child does for a byte:
 *   w publish a window of 100 ms: thread 1 "main" at node "leaf" under "root method"
 *   b as w, after one that is skipped in time (the process was stopped)
 *   q as w, but blocked there
 *   m publish 20,000 windows: they overrun a 1 MB ring
 *   n add a frame and a node, which the next windows use
 *   t call itself "puma: worker 3" from now on
 *   l count losses with the next window: 7 nodes, 2 threads, a sample
 *   h add 20,000 frames, as many as find room, that all name one string of 4 kB
 *   k put a mark into the middle of the next window
 *   s start a thread "worker", which waits off the GVL in "leaf" and is in every window from the next one on
 *   z which ends with the next window
 *   g collect garbage twice for 30 ms, and raise three exceptions, in the next window
 *   a end work with labels in the next window: channel_publish_work()
 *   r raise five exceptions "Shop::Missing" in "leaf", and two that nothing is told of, in the next window
 *   x end the channel and exit
 *   e exec: the channel is gone, and another program runs under the same pid that makes a new one */
struct channel_writer {
  struct rtop_writer *writer;
  struct rtop_window window;
  int64_t now_ns;
  uint32_t node, slot, worker; /* slot of the thread "worker" */
  uint64_t worker_serial;      /* 0: there is none */
  int64_t worker_ns;           /* since when it waits */
  bool mark, quits, collects, blocked, raises, works;
};

CHANNEL uint32_t channel_add_node(struct rtop_writer *writer, uint32_t parent, const char *label)
{
  uint32_t frame, node;
  struct rtop_frame_entry entry = { .line = 3 };
  entry.label = rtop_writer_add_string(writer, label, strlen(label));
  entry.path = rtop_writer_add_string(writer, "/app/x.rb", 9);
  rtop_writer_add_frame(writer, &entry, &frame);
  struct rtop_node_entry call = { .parent = parent, .frame = frame, .line = 4 };
  rtop_writer_add_node(writer, &call, &node);
  return node;
}

CHANNEL void channel_publish_worker(struct channel_writer *to)
{
  struct rtop_window *window = &to->window;
  struct rtop_window_thread *thread = rtop_window_add_thread(window);
  thread->serial = to->worker_serial;
  thread->slot = to->worker;
  thread->node = to->node;
  thread->state = RTOP_BLOCKED;
  thread->state_age_ns = (uint64_t)(window->end_mono_ns - to->worker_ns);
  if (to->quits) thread->flags = RTOP_WINDOW_THREAD_ENDED;
  struct rtop_cell *cell = rtop_window_add_cell(window);
  cell->thread = 1;
  cell->node = to->node;
  cell->state = RTOP_BLOCKED;
  cell->wall_ns = CHANNEL_WINDOW_NS;
  if (to->quits) to->worker_serial = 0;
  to->quits = false;
}

CHANNEL void channel_publish_collection(struct channel_writer *to)
{
  struct rtop_cell *cell = rtop_window_add_cell(&to->window);
  cell->node = to->node;
  cell->state = RTOP_MARKING;
  cell->wall_ns = CHANNEL_WINDOW_NS / 10 * 3;
  to->window.cells[0].wall_ns -= cell->wall_ns;
  rtop_window_set_counter(&to->window, RTOP_COUNTER_GC_MINOR, 2);
  rtop_window_set_counter(&to->window, RTOP_COUNTER_EXCEPTIONS, 3);
  to->collects = false;
}

/* Three at the beginning of the window, by the first thread, two after 40 and 60 ms by another. */
CHANNEL void channel_publish_raises(struct channel_writer *to)
{
  struct rtop_window *window = &to->window;
  struct rtop_frame_entry entry = { .kind = RTOP_FRAME_SPECIAL };
  struct rtop_node_entry name = { .parent = 0 };
  uint32_t node;
  int64_t ms = 1000000;
  entry.label = rtop_writer_add_string(to->writer, "Shop::\x1bMissing", 14);
  entry.namespace_label = rtop_writer_add_string(to->writer, RTOP_RAISED_NAMESPACE, strlen(RTOP_RAISED_NAMESPACE));
  rtop_writer_add_frame(to->writer, &entry, &name.frame);
  rtop_writer_add_node(to->writer, &name, &node);
  *rtop_window_add_raised(window) =
      (struct rtop_raised){ window->start_mono_ns, window->start_mono_ns, 1, node, to->node, 3 };
  *rtop_window_add_raised(window) =
      (struct rtop_raised){ window->start_mono_ns + 40 * ms, window->start_mono_ns + 60 * ms, 7, node, to->node, 2 };
  rtop_window_set_counter(window, RTOP_COUNTER_EXCEPTIONS, 7);
  rtop_window_set_counter(window, RTOP_COUNTER_RAISES_UNTOLD, 2);
  to->raises = false;
}

CHANNEL void channel_add_work(struct rtop_window *window, uint32_t node, uint32_t what, uint32_t key, uint64_t value)
{
  *rtop_window_add_exact(window) = (struct rtop_exact){ .node = node, .what = what, .key = key, .value = value };
}

/* Two blocks of "GET /a" that ended, of 40 and 60 ms, half of it sleep, and half waiting for the GVL that "nightly" had;
 * one is open since 7 s. The longer one is a slow request. */
CHANNEL void channel_publish_work(struct channel_writer *to)
{
  struct rtop_window *window = &to->window;
  const uint64_t ms = 1000000;
  const char *const sets[2] = { "endpoint=GET /\x1b"
                                "a",
                                "endpoint=nightly" };
  uint32_t nodes[2];
  for (int i = 0; i < 2; i++) {
    struct rtop_frame_entry entry = { .kind = RTOP_FRAME_SPECIAL };
    struct rtop_node_entry set = { .parent = 0 };
    entry.label = rtop_writer_add_string(to->writer, sets[i], strlen(sets[i]));
    entry.namespace_label = rtop_writer_add_string(to->writer, "(labels)", 8);
    rtop_writer_add_frame(to->writer, &entry, &set.frame);
    rtop_writer_add_node(to->writer, &set, &nodes[i]);
  }
  const uint32_t causes[3] = { RTOP_WORK_WHOLE, RTOP_WORK_GVL, RTOP_WORK_SLEEP };
  for (int i = 0; i < 3; i++) {
    uint32_t share = causes[i] == RTOP_WORK_WHOLE ? 1 : 2;
    channel_add_work(window, nodes[0], RTOP_WORK_ENDED, rtop_work_key(0, causes[i], 0), 2);
    channel_add_work(window, nodes[0], RTOP_WORK_TIME_NS, rtop_work_key(0, causes[i], 0), 100 * ms / share);
    channel_add_work(window, nodes[0], RTOP_WORK_LONGEST_NS, rtop_work_key(0, causes[i], 0), 60 * ms / share);
  }
  channel_add_work(window, nodes[0], RTOP_WORK_TIMES, rtop_work_key(0, 0, rtop_latency_bucket(40 * ms)), 1);
  channel_add_work(window, nodes[0], RTOP_WORK_TIMES, rtop_work_key(0, 0, rtop_latency_bucket(60 * ms)), 1);
  channel_add_work(window, nodes[0], RTOP_WORK_OPEN, rtop_work_key(0, 0, 0), 1 + 1);
  channel_add_work(window, nodes[0], RTOP_WORK_OLDEST_NS, rtop_work_key(0, 0, 0), 7000 * ms);
  struct rtop_slow *slow = rtop_window_add_slow(window);
  *slow = (struct rtop_slow){ .end_mono_ns = window->end_mono_ns - 1,
                              .serial = 1,
                              .node = nodes[0],
                              .stack = nodes[0],
                              .flags = RTOP_SLOW_BLOCK | 1u << RTOP_SLOW_LABELS_SHIFT,
                              .total_ns = 60 * ms };
  slow->work_ns[RTOP_WORK_GVL] = slow->work_ns[RTOP_WORK_SLEEP] = 30 * ms;
  *rtop_window_add_pair(window) = (struct rtop_behind){ nodes[0], nodes[1], RTOP_PAIR_GVL, 0, 3, 50 * ms };
  to->works = false;
}

CHANNEL void channel_start_worker(struct channel_writer *to)
{
  to->worker_serial = 2;
  to->worker_ns = to->now_ns;
  to->worker = rtop_writer_thread_start(to->writer, 2, (uint32_t)getpid() + 1, to->now_ns, 0, "worker", 6);
}

CHANNEL void channel_publish(struct channel_writer *to)
{
  struct rtop_window *window = &to->window;
  rtop_window_reset(window);
  window->start_mono_ns = to->now_ns;
  window->end_mono_ns = to->now_ns += CHANNEL_WINDOW_NS;
  struct rtop_window_thread *thread = rtop_window_add_thread(window);
  thread->serial = 1;
  thread->slot = to->slot;
  thread->node = to->node;
  struct rtop_cell *cell = rtop_window_add_cell(window);
  cell->node = to->node;
  cell->wall_ns = CHANNEL_WINDOW_NS;
  thread->state = cell->state = to->blocked ? RTOP_BLOCKED : RTOP_RUNNING;
  rtop_window_set_counter(window, RTOP_COUNTER_RATE_HZ, 100);
  if (to->worker_serial) channel_publish_worker(to);
  if (to->collects) channel_publish_collection(to);
  if (to->raises) channel_publish_raises(to);
  if (to->works) channel_publish_work(to);
  if (to->mark) {
    struct rtop_mark *mark = rtop_window_add_mark(window);
    mark->mono_ns = window->start_mono_ns + CHANNEL_WINDOW_NS / 2;
    mark->name = rtop_writer_add_string(to->writer, "a \x1b mark", 8);
    to->mark = false;
  }
  rtop_writer_publish(to->writer, window);
}

CHANNEL void channel_add_long_names(struct rtop_writer *writer)
{
  static char name[4096];
  memset(name, 'x', sizeof name);
  uint32_t label = rtop_writer_add_string(writer, name, sizeof name), frame;
  for (uint32_t line = 1; line <= 20000; line++)
    rtop_writer_add_frame(
        writer, &(struct rtop_frame_entry){ .label = label, .path = label, .namespace_label = label, .line = line },
        &frame);
}

/* As Process.setproctitle does it: over the command line that it was started with. */
CHANNEL void channel_title(const char *title)
{
  static size_t room;
  size_t bytes = strlen(title);
  room = room ? room : strlen(program_invocation_name);
  memset(program_invocation_name, 0, room);
  memcpy(program_invocation_name, title, bytes < room ? bytes : room);
}

CHANNEL void channel_create(struct channel_writer *to)
{
  struct rtop_writer_options options = { .ring_bytes = channel_ring_bytes };
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  options.identity.window_ns = CHANNEL_WINDOW_NS;
  strcpy(options.identity.ruby_version, "3.3.8");
  strcpy(options.identity.tool_version, "test");
  strcpy(options.identity.command, "ruby te\x1bst.rb");
  channel_title("ruby te\x1bst.rb");
  memset(to, 0, sizeof *to);
  to->writer = rtop_writer_create(&options, NULL);
  if (!to->writer) _exit(99);
  to->now_ns = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
  to->node = channel_add_node(to->writer, channel_add_node(to->writer, 0, "root method"), "leaf");
  to->slot = rtop_writer_thread_start(to->writer, 1, (uint32_t)getpid(), to->now_ns, RTOP_THREAD_MAIN, "main", 4);
}

CHANNEL void channel_serve(int orders, int answers)
{
  struct channel_writer to;
  char order = 'c';
  channel_create(&to);
  do {
    switch (order) {
    case 'w':
    case 'q':
      to.blocked = order == 'q';
      channel_publish(&to);
      break;
    case 'b':
      to.now_ns += 10 * (int64_t)CHANNEL_WINDOW_NS;
      channel_publish(&to);
      break;
    case 'm':
      for (int i = 0; i < 20000; i++) channel_publish(&to);
      break;
    case 'n': to.node = channel_add_node(to.writer, to.node, "new \xff one"); break;
    case 'h': channel_add_long_names(to.writer); break;
    case 't': channel_title("puma: worker 3"); break;
    case 'l':
      rtop_writer_count_losses(
          to.writer, &(struct rtop_losses){ .nodes_overflowed = 7, .threads_overflowed = 2, .samples_dropped = 1 });
      break;
    case 'k': to.mark = true; break;
    case 's': channel_start_worker(&to); break;
    case 'z': to.quits = true; break;
    case 'g': to.collects = true; break;
    case 'r': to.raises = true; break;
    case 'a': to.works = true; break;
    case 'x': rtop_writer_destroy(&to.writer, false); break;
    case 'e': {
      char in[16], out[16];
      snprintf(in, sizeof in, "%d", orders);
      snprintf(out, sizeof out, "%d", answers);
      execl("/proc/self/exe", "channel", "--serve", in, out, (char *)NULL);
      _exit(98);
    }
    default: break;
    }
    if (write(answers, &order, 1) != 1 || order == 'x') _exit(0);
  } while (read(orders, &order, 1) == 1);
  _exit(0);
}

/* For main of a test that execs. */
CHANNEL void channel_serve_if_told(int argc, char **argv)
{
  if (argc == 4 && strcmp(argv[1], "--serve") == 0) channel_serve(atoi(argv[2]), atoi(argv[3]));
}

CHANNEL void channel_tell(struct channel *channel, const char *orders)
{
  for (; *orders; orders++) {
    char answer;
    assert_int_equal(write(channel->orders, orders, 1), 1);
    assert_int_equal(read(channel->answers, &answer, 1), 1);
  }
}

CHANNEL void channel_open(struct channel *channel)
{
  int orders[2], answers[2];
  char answer;
  assert_int_equal(pipe(orders), 0);
  assert_int_equal(pipe(answers), 0);
  channel->pid = fork();
  assert_true(channel->pid >= 0);
  if (channel->pid == 0) {
    close(orders[1]);
    close(answers[0]);
    if (channel_user > 0 && (setresgid(channel_user, channel_user, channel_user) != 0 ||
                             setresuid(channel_user, channel_user, channel_user) != 0))
      _exit(97);
    channel_serve(orders[0], answers[1]);
  }
  close(orders[0]);
  close(answers[1]);
  channel->orders = orders[1];
  channel->answers = answers[0];
  assert_int_equal(read(channel->answers, &answer, 1), 1);
}

CHANNEL void channel_wait(struct channel *channel)
{
  int status;
  assert_int_equal(waitpid(channel->pid, &status, 0), channel->pid);
  close(channel->orders);
  close(channel->answers);
}

CHANNEL void channel_kill(struct channel *channel)
{
  kill(channel->pid, SIGKILL);
  channel_wait(channel);
}

/* A folder of its own for all segments of the test. */
CHANNEL int channel_folder(void **state)
{
  static char folder[32];
  (void)state;
  strcpy(folder, "/dev/shm/rtop-test-XXXXXX");
  if (!mkdtemp(folder)) return -1;
  return setenv("RPERF_TOP_DIR", folder, 1);
}

/* The same for channels of another user; only root can make them. */
CHANNEL int channel_folder_of_another(void **state)
{
  channel_user = 65534;
  return channel_folder(state) == 0 ? chown(getenv("RPERF_TOP_DIR"), channel_user, channel_user) : -1;
}

CHANNEL int channel_remove_folder(void **state)
{
  char command[64];
  (void)state;
  snprintf(command, sizeof command, "rm -rf '%s'", getenv("RPERF_TOP_DIR"));
  return system(command);
}

#endif
