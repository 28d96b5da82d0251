/* SPDX-License-Identifier: MIT */
/* Requests parts of a segment from a reader in this process, or from a child that has dropped its rights. */
#include "segment_port.h"

#include "segment_port_impl.h"
#include "shm/base/clock.h"
#include "shm/base/error.h"
#include "tui/text/source_rights.h"
#include "tui/text/whole_io.h"
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PORT_PATIENCE_MS = 3000, PORT_NOBODY = 65534 };

struct segment_port {
  struct rtop_reader *reader;
  pid_t child; /* pid of the child; 0: none was needed, or it has ended */
  int fd;      /* to it; -1: none is needed */
  const char *problem;
  struct port_request request;
  struct rtop_counters counters;
  /* Data that came ahead of their request: frames from first_frame and nodes from first_node on, and strings
     of these frames. */
  uint64_t first_frame, first_node;
  uint32_t frame_count, node_count, string_count, thread_count, string_at;
  uint32_t last_frame;  /* that was asked for, */
  uint64_t frames_seen; /* and how far they were before */
  struct port_frame frames[PORT_FRAMES_MAX];
  struct port_node nodes[PORT_NODES_MAX];
  uint32_t references[PORT_STRINGS_MAX];
  struct port_string strings[PORT_STRINGS_MAX];
  struct port_thread *threads; /* of the window that was read last */
  size_t thread_capacity;
};

/* ---- the other process ----------------------------------------------------------------------------- */

static void port_end_child(struct segment_port *port)
{
  if (port->fd >= 0) close(port->fd);
  if (port->child > 0) {
    kill(port->child, SIGKILL);
    while (waitpid(port->child, NULL, 0) < 0 && errno == EINTR)
      ;
  }
  port->child = 0;
}

/* Stops trusting the child. The descriptor number stays set, since it means "there is a child". */
static bool port_break(struct segment_port *port)
{
  port_end_child(port);
  port->fd = INT32_MAX;
  port->problem = "what reads the channel with its owner's rights gave no right answer and was ended";
  port->frame_count = port->node_count = port->string_count = port->thread_count = 0;
  return false;
}

static bool port_is_direct(const struct segment_port *port)
{
  return port->fd < 0;
}

static bool port_receive(struct segment_port *port, void *to, size_t bytes)
{
  return io_receive(port->fd, to, bytes, clock_now_ms() + PORT_PATIENCE_MS) == bytes;
}

static bool port_take(struct segment_port *port, void *to, size_t bytes)
{
  return port->child > 0 && (port_receive(port, to, bytes) || port_break(port));
}

static bool port_ask(struct segment_port *port, struct port_answer *answer)
{
  if (port->child <= 0) return false;
  ssize_t sent = send(port->fd, &port->request, sizeof port->request, MSG_NOSIGNAL);
  if (sent != sizeof port->request) return port_break(port);
  return port_take(port, answer, sizeof *answer);
}

/* ---- what stands at fixed places ------------------------------------------------------------------- */

static void port_note_counters(struct segment_port *port, const struct rtop_counters *counters)
{
  port->counters = *counters;
  rtop_reader_bound(port->reader, &port->counters);
}

void port_look(struct segment_port *port)
{
  struct port_answer answer;
  struct rtop_counters counters;
  port->request.operation = PORT_COUNTERS;
  if (port_is_direct(port)) rtop_reader_counters(port->reader, &counters);
  else if (!port_ask(port, &answer) || !port_take(port, &counters, sizeof counters)) return;
  port_note_counters(port, &counters);
}

enum rtop_channel_state segment_port_state(struct segment_port *port, int64_t now_mono_ns, pid_t *pid)
{
  bool alive = rtop_reader_alive(port->reader, pid);
  port_look(port);
  return rtop_reader_state_by(port->reader, alive, &port->counters, now_mono_ns);
}

const struct rtop_counters *segment_port_counters(const struct segment_port *port)
{
  return &port->counters;
}

/* ---- its beginning and end ------------------------------------------------------------------------- */

static bool port_rights(struct source_rights *rights, pid_t pid, uid_t owner)
{
  /* The child opens no files, so for a user with unknown groups it needs none. */
  if (!source_rights_of(rights, pid, owner)) *rights = (struct source_rights){ .user = owner, .group = PORT_NOBODY };
  return owner != 0 && owner != (uid_t)-1;
}

static _Noreturn void port_child(struct rtop_reader *reader, int fd, const struct source_rights *rights)
{
  const struct port_answer ready = { .result = RTOP_OK };
  const int keep[2] = { fd, rtop_reader_descriptor(reader) };
  if (!rtop_reader_follow_fork(reader) || !source_rights_take(rights, SOURCE_RIGHTS_PARSE, keep, 2) ||
      !io_send(fd, &ready, sizeof ready))
    _exit(1);
  port_serve(reader, fd);
}

struct segment_port *port_attach(struct rtop_reader *reader, pid_t child, int fd)
{
  struct segment_port *port = calloc(1, sizeof *port);
  if (port) *port = (struct segment_port){ .reader = reader, .child = child, .fd = fd };
  return port;
}

static bool port_start(struct segment_port *port, const struct source_rights *rights, struct rtop_error *error)
{
  int ends[2];
  struct port_answer ready;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    rtop_error_set(error, RTOP_ERROR_SYSTEM, errno, "cannot make a socket: %s", strerror(errno));
    return false;
  }
  port->fd = ends[0];
  port->child = fork();
  if (port->child == 0) port_child(port->reader, ends[1], rights);
  close(ends[1]);
  if (port->child > 0 && port_receive(port, &ready, sizeof ready) && ready.result == RTOP_OK) {
    rtop_reader_let_go(port->reader);
    return true;
  }
  rtop_error_set(error, RTOP_ERROR_SYSTEM, 0,
                 "the channel is not read: the rights of its owner (user %u) cannot be taken here",
                 (unsigned)rights->user);
  return false;
}

struct segment_port *segment_port_open(struct rtop_reader *reader, pid_t pid, uid_t owner, struct rtop_error *error)
{
  struct source_rights rights;
  struct segment_port *port = port_attach(reader, 0, -1);
  if (!port) rtop_error_set(error, RTOP_ERROR_SYSTEM, ENOMEM, "out of memory");
  else if (geteuid() == 0 && port_rights(&rights, pid, owner) && !port_start(port, &rights, error))
    segment_port_close(&port);
  if (port) port_look(port);
  return port;
}

void segment_port_close(struct segment_port **handle)
{
  struct segment_port *port = *handle;
  *handle = NULL;
  if (!port) return;
  if (port->child > 0 || !port->problem) port_end_child(port);
  free(port->threads);
  free(port);
}

pid_t segment_port_process(const struct segment_port *port)
{
  return port->child > 0 ? port->child : 0;
}

const char *segment_port_problem(const struct segment_port *port)
{
  return port->problem;
}

/* ---- windows --------------------------------------------------------------------------------------- */

static bool port_ask_tier(struct segment_port *port, enum port_operation operation, enum rtop_tier tier,
                          uint64_t argument, struct port_answer *answer)
{
  port->request.operation = operation;
  port->request.tier = tier;
  port->request.argument = argument;
  return port_ask(port, answer);
}

static enum rtop_result port_result(int32_t result)
{
  return result >= RTOP_OK && result <= RTOP_DEAD ? (enum rtop_result)result : RTOP_CORRUPT;
}

enum rtop_result segment_port_time(struct segment_port *port, enum rtop_tier tier, uint64_t sequence,
                                   int64_t *start_mono_ns, int64_t *end_mono_ns)
{
  struct port_answer answer;
  if (port_is_direct(port)) return rtop_reader_tier_time(port->reader, tier, sequence, start_mono_ns, end_mono_ns);
  if (!port_ask_tier(port, PORT_TIME, tier, sequence, &answer)) return RTOP_CORRUPT;
  int64_t start_ns = (int64_t)answer.values[0], end_ns = (int64_t)answer.values[1];
  if (answer.result == RTOP_OK && (start_ns < 0 || end_ns < start_ns)) return RTOP_CORRUPT;
  if (answer.result == RTOP_OK) {
    *start_mono_ns = start_ns;
    *end_mono_ns = end_ns;
  }
  return port_result(answer.result);
}

uint64_t segment_port_find(struct segment_port *port, enum rtop_tier tier, int64_t mono_ns)
{
  struct port_answer answer;
  if (port_is_direct(port)) return rtop_reader_tier_find(port->reader, tier, mono_ns);
  return port_ask_tier(port, PORT_FIND, tier, (uint64_t)mono_ns, &answer) ? answer.values[0] : 0;
}

uint64_t segment_port_oldest(struct segment_port *port, enum rtop_tier tier, uint64_t *newest)
{
  struct port_answer answer = { 0 };
  if (port_is_direct(port)) {
    answer.values[0] = rtop_reader_tier_oldest(port->reader, tier);
    answer.values[1] = rtop_reader_tier_newest(port->reader, tier);
  } else if (!port_ask_tier(port, PORT_ENDS, tier, 0, &answer)) {
    answer.values[0] = answer.values[1] = 0;
  }
  if (newest) *newest = answer.values[1];
  return answer.values[0];
}

static bool port_take_threads(struct segment_port *port, size_t count)
{
  if (count > port->thread_capacity) {
    struct port_thread *grown = realloc(port->threads, count * sizeof *grown);
    if (!grown) return port_break(port);
    port->threads = grown;
    port->thread_capacity = count;
  }
  if (!port_take(port, port->threads, count * sizeof *port->threads)) return false;
  port->thread_count = (uint32_t)count;
  return true;
}

static bool port_take_lists(struct segment_port *port, struct rtop_window *window)
{
  for (enum rtop_window_lists at = 0; at < RTOP_LISTS; at++) {
    struct rtop_window_list list = rtop_window_list(window, at);
    if (!port_take(port, list.rows, list.count * list.row_bytes)) return false;
  }
  return true;
}

static bool port_take_window(struct segment_port *port, struct rtop_window *window)
{
  struct port_window head;
  port->thread_count = 0;
  if (!port_take(port, &head, sizeof head)) return false;
  bool right = head.start_mono_ns >= 0 && head.end_mono_ns >= head.start_mono_ns;
  for (size_t list = 0; list < RTOP_LISTS; list++) right = right && head.counts[list] <= PORT_ELEMENTS_MAX;
  if (!right || !rtop_window_size(window, head.counts)) return port_break(port);
  memcpy(window->counters, head.counters, sizeof head.counters);
  window->counters_present = head.counters_present;
  port_note_counters(port, &head.published);
  window->start_mono_ns = head.start_mono_ns;
  window->end_mono_ns = head.end_mono_ns;
  return port_take_lists(port, window) && port_take_threads(port, window->thread_count);
}

enum rtop_result segment_port_window(struct segment_port *port, enum rtop_tier tier, uint64_t sequence,
                                     struct rtop_window *window)
{
  struct port_answer answer;
  if (port_is_direct(port)) {
    enum rtop_result result = rtop_reader_tier_window(port->reader, tier, sequence, window);
    if (result == RTOP_OK) port_look(port);
    return result;
  }
  rtop_window_reset(window);
  if (!port_ask_tier(port, PORT_WINDOW, tier, sequence, &answer)) return RTOP_CORRUPT;
  if (answer.result != RTOP_OK) return port_result(answer.result);
  bool right = port_take_window(port, window);
  struct rtop_window_limits limits = rtop_reader_limits(port->reader);
  limits.node_count = port->counters.node_count;
  limits.string_bytes = port->counters.string_bytes;
  right = right && rtop_window_valid(window, &limits);
  if (!right) rtop_window_reset(window);
  window->sequence = right ? sequence : 0;
  return right ? RTOP_OK : RTOP_CORRUPT;
}

bool segment_port_thread(struct segment_port *port, const struct rtop_window *window, size_t index,
                         struct rtop_thread_entry *thread)
{
  const struct rtop_window_thread *wanted = &window->threads[index];
  if (port_is_direct(port)) return rtop_reader_thread(port->reader, wanted->slot, wanted->serial, thread);
  if (index >= port->thread_count || !port->threads[index].right) return false;
  *thread = port->threads[index].entry;
  return thread->name_bytes <= sizeof thread->name;
}

/* ---- tables: read in order, so that one request also fetches the following entries ------------------- */

static bool port_ask_entries(struct segment_port *port, enum port_operation operation, uint64_t first, uint64_t all,
                             uint32_t most, struct port_answer *answer)
{
  if (first >= all) return false;
  port->request.count = all - first < most ? (uint32_t)(all - first) : most;
  if (!port_ask_tier(port, operation, RTOP_TIER_FINE, first, answer)) return false;
  return answer->count == port->request.count || port_break(port);
}

/* Fetches frames from `id` on. Published entries never change, except that labels are completed; so an entry is fetched
 * once for each pass in order. */
static bool port_fetch_frames(struct segment_port *port, uint32_t id)
{
  struct port_answer answer;
  port->frame_count = 0;
  if (!port_ask_entries(port, PORT_FRAMES, id, port->counters.frame_count, PORT_FRAMES_MAX, &answer) ||
      !port_take(port, port->frames, answer.count * sizeof *port->frames))
    return false;
  port->first_frame = id;
  port->frame_count = answer.count;
  return true;
}

bool segment_port_frame(struct segment_port *port, uint32_t id, struct rtop_frame_entry *frame)
{
  if (port_is_direct(port)) return rtop_reader_frame(port->reader, id, frame);
  bool onward = port->frame_count > 0 && id == port->last_frame + 1 && id < port->first_frame + port->frame_count;
  if (!onward && !port_fetch_frames(port, id)) return false;
  const struct port_frame *found = &port->frames[id - port->first_frame];
  port->last_frame = id;
  *frame = found->entry;
  return found->right && frame->kind <= RTOP_FRAME_SPECIAL;
}

static bool port_fetch_nodes(struct segment_port *port, uint32_t id)
{
  struct port_answer answer;
  port->node_count = 0;
  if (!port_ask_entries(port, PORT_NODES, id, port->counters.node_count, PORT_NODES_MAX, &answer) ||
      !port_take(port, port->nodes, answer.count * sizeof *port->nodes))
    return false;
  port->first_node = id;
  port->node_count = answer.count;
  return true;
}

bool segment_port_node(struct segment_port *port, uint32_t id, struct rtop_node_entry *node)
{
  if (port_is_direct(port)) return rtop_reader_node(port->reader, id, node);
  bool held = id >= port->first_node && id < port->first_node + port->node_count;
  if (!held && !port_fetch_nodes(port, id)) return false;
  const struct port_node *found = &port->nodes[id - port->first_node];
  *node = found->entry;
  return found->right && (id == RTOP_NODE_ROOT ? node->parent == RTOP_NODE_ROOT : node->parent < id);
}

/* Requests this string, and those of the following frames that were not requested before. */
static void port_want_strings(struct segment_port *port, uint32_t reference)
{
  struct port_request *request = &port->request;
  uint64_t next = port->last_frame, end = port->first_frame + port->frame_count;
  request->references[0] = reference;
  request->count = 1;
  if (port->frame_count == 0 || next < port->frames_seen) return;
  for (; next < end && request->count + 3 <= PORT_STRINGS_MAX; next++) {
    const struct rtop_frame_entry *frame = &port->frames[next - port->first_frame].entry;
    request->references[request->count++] = frame->label;
    request->references[request->count++] = frame->path;
    request->references[request->count++] = frame->namespace_label;
  }
  port->frames_seen = next;
}

static bool port_fetch_strings(struct segment_port *port, uint32_t reference)
{
  struct port_answer answer;
  port->string_count = port->string_at = 0;
  port_want_strings(port, reference);
  uint32_t count = port->request.count;
  memcpy(port->references, port->request.references, count * sizeof *port->references);
  if (!port_ask_tier(port, PORT_STRINGS, RTOP_TIER_FINE, 0, &answer)) return false;
  if (answer.count != count) return port_break(port);
  for (uint32_t i = 0; i < count; i++) {
    struct port_string *string = &port->strings[i];
    if (!port_take(port, &string->bytes, sizeof string->bytes)) return false;
    if (string->bytes > RTOP_STRING_BYTES_MAX) return port_break(port);
    if (!port_take(port, string->text, string->bytes)) return false;
  }
  port->string_count = count;
  return true;
}

/* Finds a fetched string. Strings are used in the order in which they came. */
static const struct port_string *port_find_string(struct segment_port *port, uint32_t reference)
{
  for (uint32_t i = 0; i < port->string_count; i++) {
    uint32_t at = (port->string_at + i) % port->string_count;
    if (port->references[at] == reference) {
      port->string_at = at;
      return &port->strings[at];
    }
  }
  return NULL;
}

size_t segment_port_string(struct segment_port *port, uint32_t reference, char *buffer, size_t buffer_bytes)
{
  if (port_is_direct(port)) return rtop_reader_string(port->reader, reference, buffer, buffer_bytes);
  const struct port_string *found = port_find_string(port, reference);
  if (!found && port_fetch_strings(port, reference)) found = &port->strings[0];
  size_t bytes = found ? found->bytes : 0;
  bytes = bytes < buffer_bytes - 1 ? bytes : buffer_bytes - 1;
  if (bytes > 0) memcpy(buffer, found->text, bytes);
  buffer[bytes] = '\0';
  return bytes;
}
