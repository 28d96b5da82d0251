/* SPDX-License-Identifier: MIT */
/* Sends the queue by HTTP, one request at a time, without a thread of its own: sending
 * happens within push_sender_wait().
 *
 * Only the status and the first bytes of an answer are used, and the answer must come within PUSH_TIMEOUT_MS.
 * Redirections are not followed. A profile refused for its content (4xx) is dropped and counted; after all other errors
 * it is retried after pauses that double up to PUSH_PAUSE_MAX_MS with random variation, or that the server requests.
 */
#ifndef RTOP_TUI_PUSH_SEND_H
#define RTOP_TUI_PUSH_SEND_H

#include "push.h"

struct rtop_error;
struct push_sender;

enum {
  PUSH_TIMEOUT_MS = 10000,
  PUSH_PAUSE_MS = 500, /* after the first failure, on the average */
  PUSH_PAUSE_MAX_MS = 60000,
  PUSH_ASKED_MAX_MS = 300000, /* longest pause that the server may request */
  PUSH_LAST_MS = 3000,        /* time to send all remaining profiles at the end */
  PUSH_ANSWER_BYTES = 4096,   /* of an answer that are looked at */
  PUSH_ANSWER_MAX = 1 << 16,  /* a longer answer is not read completely */
};

struct push_counts {
  uint64_t sent, sent_bytes, failures; /* requests */
  uint64_t refused;                    /* number of refused profiles, including those that the
                                          server reports as refused after accepting them */
};

/* Opens a sender. `headers`: a file with one header per line, for secrets that must not be on a command line; NULL:
 * none. The environment variable RPERF_TOP_PUSH_AUTHORIZATION gives the header Authorization. NULL, with one clear
 * sentence in error->text. */
struct push_sender *push_sender_open(const char *url, enum push_kind kind, const char *headers,
                                     struct rtop_error *error);
void push_sender_close(struct push_sender **sender);
/* Sends until the time is up or a signal comes. */
void push_sender_wait(struct push_sender *sender, struct push_queue *queue, int milliseconds);
/* Tries each queued profile once more, until one fails or `milliseconds` have passed. */
void push_sender_last(struct push_sender *sender, struct push_queue *queue, int milliseconds);
const struct push_counts *push_sender_counts(const struct push_sender *sender);
/* Returns a message for standard error, once per problem; NULL: there is no new one. */
const char *push_sender_said(struct push_sender *sender);

#endif
