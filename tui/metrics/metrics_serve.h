/* SPDX-License-Identifier: MIT */
/* Serves the page by HTTP: GET /metrics and GET /-/healthy, nothing else.
 *
 * There is no thread: who waits, waits in metrics_server_wait(), and requests are answered meanwhile. A page is written when
 * it is first asked for after a look, and is the answer until the next one. A reader that is slow holds nothing up; it
 * keeps the page that it reads, one of METRICS_CONNECTIONS at a time.
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
  METRICS_IDLE_SECONDS = 15, /* a connection on which so long nothing moves is closed */
  METRICS_ADDRESS_BYTES = 128,
};

/* "[ADDRESS:]PORT": an address is a number, an IPv6 one in brackets; without one it is 127.0.0.1. Port 0: any that is
 * free. False: it is not. */
bool metrics_address_is(const char *text);

/* The figures must stay as long as the server. NULL: one clear sentence in error->text. */
struct metrics_server *metrics_server_open(const char *address, const struct metrics *metrics,
                                           struct rtop_error *error);
void metrics_server_close(struct metrics_server **server);
/* "http://127.0.0.1:9464/metrics" */
const char *metrics_server_url(const struct metrics_server *server);
/* Until it is time, or a signal came. */
void metrics_server_wait(struct metrics_server *server, int milliseconds);

#endif
