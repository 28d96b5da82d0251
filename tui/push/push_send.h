/* SPDX-License-Identifier: MIT */
/* Sends the queue by HTTP: one request at a time, without a thread. Who waits, waits in push_sender_wait(), and meanwhile it
 * is sent.
 *
 * Of an answer only the status and the first bytes count, and it must be there in PUSH_TIMEOUT_MS. A redirection is
 * not followed. What is refused for what it is (4xx) is dropped and counted; after all else the same is tried
 * again, after pauses that double up to PUSH_PAUSE_MAX_MS and vary by chance, or that the server asks for.
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
  PUSH_ASKED_MAX_MS = 300000, /* a pause that the server may ask for */
  PUSH_LAST_MS = 3000,        /* to send what is left at the end */
  PUSH_ANSWER_BYTES = 4096,   /* of an answer that are looked at */
  PUSH_ANSWER_MAX = 1 << 16,  /* a longer one is not read to its end */
};

struct push_counts {
  uint64_t sent, sent_bytes, failures; /* requests */
  uint64_t refused;                    /* profiles; also those of which the server says so afterwards */
};

/* `headers`: a file of them, one a line, for what must not stand in a command line; NULL: none. The environment's
 * RPERF_TOP_PUSH_AUTHORIZATION is the header Authorization. NULL: one clear sentence in error->text. */
struct push_sender *push_sender_open(const char *url, enum push_kind kind, const char *headers,
                                     struct rtop_error *error);
void push_sender_close(struct push_sender **sender);
/* Until it is time, or a signal came. */
void push_sender_wait(struct push_sender *sender, struct push_queue *queue, int milliseconds);
/* Each of the queue once more, until one fails or `milliseconds` are over. */
void push_sender_last(struct push_sender *sender, struct push_queue *queue, int milliseconds);
const struct push_counts *push_sender_counts(const struct push_sender *sender);
/* What is to be said on standard error, once for each trouble; NULL: nothing new. */
const char *push_sender_said(struct push_sender *sender);

#endif
