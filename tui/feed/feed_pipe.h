/* SPDX-License-Identifier: MIT */
/* Streams of several hosts: each is read by a pipe of its own, and their processes become sources of one profile with
 * one clock, which is ours. Of a stream from standard input see rtop_feed_open_stream().
 *
 * A host's clock is known from the start of its stream, and better from the windows that came fastest. Clocks that seem
 * to agree are left alone, since the way takes time, too; others are corrected.
 *
 * Threads: one. Nothing blocks.
 */
#ifndef RTOP_TUI_FEED_PIPE_H
#define RTOP_TUI_FEED_PIPE_H

#include "feed.h"

struct feed_pipe;

#define FEED_PIPE_NOWHERE UINT32_MAX

struct feed_pipe_host {
  const char *name; /* sanitised; for messages and as the host of its processes; must stay */
  void *context;
  /* The profile's source for a process that the stream calls `number`; FEED_PIPE_NOWHERE: there is no room. Called once
   * for each that finds room. */
  uint32_t (*place)(void *context, uint32_t number);
  int64_t from_ns; /* windows that began earlier, by our clock, are not taken */
};

/* Reads a descriptor that does not block, which stays the caller's. NULL: memory ran out. */
struct feed_pipe *feed_pipe_open(int fd, struct rtop_profile *profile, const struct feed_pipe_host *host);
/* What is added to its times; false: that is not known yet. For feed_pipe_came_back(), before the first poll of a later
 * connection to the same host. */
bool feed_pipe_shift(const struct feed_pipe *pipe, int64_t *shift_ns);
void feed_pipe_came_back(struct feed_pipe *pipe, int64_t shift_ns);
/* Feeds keep what they need of it. */
void feed_pipe_close(struct feed_pipe **pipe);
/* Moves windows into the profile, up to an amount; returns their number. */
size_t feed_pipe_poll(struct feed_pipe *pipe);

enum feed_pipe_state {
  FEED_PIPE_BEGINS, /* no process is known yet */
  FEED_PIPE_FLOWS,
  FEED_PIPE_COMPLETE, /* the end mark came */
  FEED_PIPE_BROKEN,   /* it ended without that, or is no stream: feed_pipe_problem() */
};
enum feed_pipe_state feed_pipe_state(const struct feed_pipe *pipe);
/* What is wrong with its content; NULL: nothing but that it ended. */
const char *feed_pipe_problem(const struct feed_pipe *pipe);
/* The sender's wall clock minus ours, as far as it can be known; false: it is not known yet. */
bool feed_pipe_skew(const struct feed_pipe *pipe, int64_t *skew_ns);
/* Has it told of processes, and have all of them ended? */
bool feed_pipe_all_over(const struct feed_pipe *pipe);
/* How much older the newest window is than the fastest ones were on arrival; 0: none came. */
int64_t feed_pipe_behind_ns(const struct feed_pipe *pipe);
int64_t feed_pipe_silent_ns(const struct feed_pipe *pipe);

/* A feed for the process that the stream calls `number`, as source `source`. NULL: there is none. */
struct rtop_feed *feed_pipe_feed(struct feed_pipe *pipe, uint32_t number, uint32_t source);
/* Is the feed that of this process, from an earlier connection to the same host? */
bool feed_pipe_continues(const struct feed_pipe *pipe, uint32_t number, const struct rtop_feed *feed);
/* The feed goes on with this stream: what is known already is not taken again. */
void feed_pipe_rejoin(struct feed_pipe *pipe, uint32_t number, struct rtop_feed *feed);
/* Is the feed's process of this stream, and not of an earlier one? */
bool feed_pipe_has(const struct feed_pipe *pipe, const struct rtop_feed *feed);
/* The process ended while nobody could see it. */
void feed_pipe_lost(struct rtop_feed *feed);

#endif
