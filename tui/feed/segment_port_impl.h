/* SPDX-License-Identifier: MIT */
/* Messages between the two ends of a port: structures as they are in memory, since both ends are the same program. */
#ifndef RTOP_TUI_SEGMENT_PORT_IMPL_H
#define RTOP_TUI_SEGMENT_PORT_IMPL_H

#include "segment_port.h"

#include "shm/window/window_lists.h"

enum port_operation {
  PORT_TIME,
  PORT_FIND,
  PORT_WINDOW,
  PORT_FRAMES,
  PORT_NODES,
  PORT_STRINGS,
  PORT_COUNTERS,
  PORT_ENDS
};

enum {
  PORT_FRAMES_MAX = 256,
  PORT_NODES_MAX = 2048,
  PORT_STRINGS_MAX = 192,
  /* limit for elements of a window; each takes at least four bytes */
  PORT_ELEMENTS_MAX = RTOP_WINDOW_RAW_BYTES_MAX / 4,
};

struct port_request {
  uint32_t operation; /* enum port_operation */
  uint32_t tier;
  uint64_t argument; /* a sequence, a time, the first id */
  uint32_t count;    /* of ids, or of string references */
  uint32_t references[PORT_STRINGS_MAX];
};

struct port_answer {
  int32_t result; /* enum rtop_result */
  uint32_t count; /* of entries or strings that follow */
  uint64_t values[2];
};

/* Behind an answer: so many entries. */
struct port_frame {
  uint32_t right;
  struct rtop_frame_entry entry;
};
struct port_node {
  uint32_t right;
  struct rtop_node_entry entry;
};
struct port_thread {
  uint32_t right;
  struct rtop_thread_entry entry;
};
struct port_string {
  uint32_t bytes;
  char text[RTOP_STRING_BYTES_MAX + 1]; /* of which so many are sent */
};
/* Follows the header of PORT_WINDOW; after it come the rows of each list and a port_thread per thread. PORT_COUNTERS is followed
 * by the counters. */
struct port_window {
  uint64_t counters[RTOP_COUNTER_ID_MAX];
  uint64_t counters_present;
  int64_t start_mono_ns, end_mono_ns;
  uint32_t counts[RTOP_LISTS];    /* of rows of each list */
  struct rtop_counters published; /* when it had been read */
};

/* segment_port.c: makes a port to a child that is running already. NULL: memory ran out. */
struct segment_port *port_attach(struct rtop_reader *reader, pid_t child, int fd);
/* Has the counters read anew. */
void port_look(struct segment_port *port);
/* segment_port_serve.c: answers requests in the child that has dropped its rights, until there are no more. */
_Noreturn void port_serve(struct rtop_reader *reader, int fd);

#endif
