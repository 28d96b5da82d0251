/* SPDX-License-Identifier: MIT */
/* The end of a port that parses the segment. Whatever damage a hostile segment does stays in this process. */
#include "segment_port_impl.h"

#include "tui/text/whole_io.h"
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* Answers leave in large pieces. */
static struct {
  size_t used;
  char bytes[1 << 16];
} serve_out;

static bool serve_flush(int fd)
{
  size_t bytes = serve_out.used;
  serve_out.used = 0;
  return io_send(fd, serve_out.bytes, bytes);
}

static bool serve_put(int fd, const void *from, size_t bytes)
{
  if (bytes > sizeof serve_out.bytes - serve_out.used && !serve_flush(fd)) return false;
  if (bytes > sizeof serve_out.bytes) return io_send(fd, from, bytes);
  if (bytes > 0) memcpy(serve_out.bytes + serve_out.used, from, bytes);
  serve_out.used += bytes;
  return true;
}

static bool serve_time(struct rtop_reader *reader, int fd, const struct port_request *request)
{
  int64_t start_ns = 0, end_ns = 0;
  enum rtop_result result =
      rtop_reader_tier_time(reader, (enum rtop_tier)request->tier, request->argument, &start_ns, &end_ns);
  struct port_answer answer = { .result = (int32_t)result, .values = { (uint64_t)start_ns, (uint64_t)end_ns } };
  return serve_put(fd, &answer, sizeof answer);
}

static bool serve_find(struct rtop_reader *reader, int fd, const struct port_request *request)
{
  struct port_answer answer = { .values[0] = rtop_reader_tier_find(reader, (enum rtop_tier)request->tier,
                                                                   (int64_t)request->argument) };
  return serve_put(fd, &answer, sizeof answer);
}

static bool serve_counters(struct rtop_reader *reader, int fd, const struct port_request *request)
{
  const struct port_answer answer = { .result = RTOP_OK };
  struct rtop_counters counters;
  (void)request;
  rtop_reader_counters(reader, &counters);
  return serve_put(fd, &answer, sizeof answer) && serve_put(fd, &counters, sizeof counters);
}

static bool serve_ends(struct rtop_reader *reader, int fd, const struct port_request *request)
{
  enum rtop_tier tier = (enum rtop_tier)request->tier;
  struct port_answer answer = { .values = { rtop_reader_tier_oldest(reader, tier),
                                            rtop_reader_tier_newest(reader, tier) } };
  return serve_put(fd, &answer, sizeof answer);
}

static bool serve_threads(struct rtop_reader *reader, int fd, const struct rtop_window *window)
{
  for (size_t i = 0; i < window->thread_count; i++) {
    struct port_thread thread = { 0 };
    thread.right = rtop_reader_thread(reader, window->threads[i].slot, window->threads[i].serial, &thread.entry);
    if (!serve_put(fd, &thread, sizeof thread)) return false;
  }
  return true;
}

static bool serve_lists(int fd, const struct rtop_window *window)
{
  for (enum rtop_window_lists at = 0; at < RTOP_LISTS; at++) {
    struct rtop_window_list list = rtop_window_list(window, at);
    if (!serve_put(fd, list.rows, list.count * list.row_bytes)) return false;
  }
  return true;
}

static bool serve_window(struct rtop_reader *reader, int fd, const struct port_request *request)
{
  static struct rtop_window window;
  static struct port_window head;
  struct port_answer answer = { .result = (int32_t)rtop_reader_tier_window(reader, (enum rtop_tier)request->tier,
                                                                           request->argument, &window) };
  if (!serve_put(fd, &answer, sizeof answer) || answer.result != RTOP_OK) return answer.result != RTOP_OK;
  memcpy(head.counters, window.counters, sizeof head.counters);
  head.counters_present = window.counters_present;
  head.start_mono_ns = window.start_mono_ns;
  head.end_mono_ns = window.end_mono_ns;
  for (enum rtop_window_lists list = 0; list < RTOP_LISTS; list++)
    head.counts[list] = (uint32_t)rtop_window_list(&window, list).count;
  rtop_reader_counters(reader, &head.published);
  return serve_put(fd, &head, sizeof head) && serve_lists(fd, &window) && serve_threads(reader, fd, &window);
}

static bool serve_frames(struct rtop_reader *reader, int fd, const struct port_request *request)
{
  static struct port_frame frames[PORT_FRAMES_MAX];
  struct port_answer answer = { .count = request->count < PORT_FRAMES_MAX ? request->count : PORT_FRAMES_MAX };
  for (uint32_t i = 0; i < answer.count; i++)
    frames[i].right = rtop_reader_frame(reader, (uint32_t)request->argument + i, &frames[i].entry);
  return serve_put(fd, &answer, sizeof answer) && serve_put(fd, frames, answer.count * sizeof *frames);
}

static bool serve_nodes(struct rtop_reader *reader, int fd, const struct port_request *request)
{
  static struct port_node nodes[PORT_NODES_MAX];
  struct port_answer answer = { .count = request->count < PORT_NODES_MAX ? request->count : PORT_NODES_MAX };
  for (uint32_t i = 0; i < answer.count; i++)
    nodes[i].right = rtop_reader_node(reader, (uint32_t)request->argument + i, &nodes[i].entry);
  return serve_put(fd, &answer, sizeof answer) && serve_put(fd, nodes, answer.count * sizeof *nodes);
}

static bool serve_strings(struct rtop_reader *reader, int fd, const struct port_request *request)
{
  static struct port_string string;
  struct port_answer answer = { .count = request->count < PORT_STRINGS_MAX ? request->count : PORT_STRINGS_MAX };
  bool sent = serve_put(fd, &answer, sizeof answer);
  for (uint32_t i = 0; i < answer.count && sent; i++) {
    string.bytes = (uint32_t)rtop_reader_string(reader, request->references[i], string.text, sizeof string.text);
    sent = serve_put(fd, &string, offsetof(struct port_string, text) + string.bytes);
  }
  return sent;
}

_Noreturn void port_serve(struct rtop_reader *reader, int fd)
{
  static bool (*const serve[])(struct rtop_reader *, int, const struct port_request *) = {
    [PORT_TIME] = serve_time,         [PORT_FIND] = serve_find,   [PORT_WINDOW] = serve_window,
    [PORT_FRAMES] = serve_frames,     [PORT_NODES] = serve_nodes, [PORT_STRINGS] = serve_strings,
    [PORT_COUNTERS] = serve_counters, [PORT_ENDS] = serve_ends,
  };
  struct port_request request;
  while (io_receive(fd, &request, sizeof request, 0) == sizeof request && request.operation <= PORT_ENDS &&
         serve[request.operation](reader, fd, &request) && serve_flush(fd))
    ;
  _exit(0);
}
