/* SPDX-License-Identifier: MIT */
/* Serves the page by HTTP: GET /metrics and GET /-/healthy, nothing else.
 *
 * There is no thread of its own: requests are answered within metrics_server_wait(). A page is written at the first
 * request after an update, and is used for all requests until the next update. A slow reader does not delay others; it
 * keeps its page alive, one of METRICS_CONNECTIONS at a time.
 */
#ifndef RTOP_TUI_METRICS_SERVE_H
#define RTOP_TUI_METRICS_SERVE_H

#include <stdbool.h>
#include <stddef.h>

struct rtop_error;
struct metrics;
struct metrics_server;

enum {
  METRICS_CONNECTIONS = 16,
  METRICS_IDLE_SECONDS = 15, /* seconds after which an inactive connection is closed */
  METRICS_ADDRESS_BYTES = 128,
};

/* Is the text "[ADDRESS:]PORT"? An address is numeric, IPv6 in brackets, by default 127.0.0.1. Port 0: any free one. */
bool metrics_address_is(const char *text);

/* Opens a server; the metrics must outlive the server. NULL, with one clear sentence in error->text, on failure. */
struct metrics_server *metrics_server_open(const char *address, const struct metrics *metrics,
                                           struct rtop_error *error);
void metrics_server_close(struct metrics_server **server);
/* "http://127.0.0.1:9464/metrics" */
const char *metrics_server_url(const struct metrics_server *server);
/* Answers requests until the time is up or a signal comes. */
void metrics_server_wait(struct metrics_server *server, int milliseconds);

#endif
