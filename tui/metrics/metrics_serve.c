/* SPDX-License-Identifier: MIT */
/* Serves HTTP with libmicrohttpd, if the viewer is built with it. */
#include "metrics_serve.h"

#include "metrics.h"
#include "metrics_text.h"
#include "shm/base/clock.h"
#include "shm/base/error.h"
#include "tui/text/interrupt.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union serve_address {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
};

static bool serve_port(const char *text, in_port_t *port)
{
  size_t digits = strspn(text, "0123456789");
  long number = strtol(text, NULL, 10);
  if (digits == 0 || digits > 5 || text[digits] || number > 65535) return false;
  *port = htons((in_port_t)number);
  return true;
}

static bool serve_parse(const char *text, union serve_address *address)
{
  char host[64] = "127.0.0.1";
  const char *colon = strrchr(text, ':'), *port = colon ? colon + 1 : text;
  *address = (union serve_address){ 0 };
  if (colon) {
    bool brackets = *text == '[' && colon > text + 1 && colon[-1] == ']';
    size_t bytes = (size_t)(colon - text) - (brackets ? 2 : 0);
    if (bytes == 0 || bytes >= sizeof host) return false;
    memcpy(host, text + brackets, bytes);
    host[bytes] = '\0';
    if (brackets) {
      address->v6.sin6_family = AF_INET6;
      return inet_pton(AF_INET6, host, &address->v6.sin6_addr) == 1 && serve_port(port, &address->v6.sin6_port);
    }
  }
  address->v4.sin_family = AF_INET;
  return inet_pton(AF_INET, host, &address->v4.sin_addr) == 1 && serve_port(port, &address->v4.sin_port);
}

bool metrics_address_is(const char *text)
{
  union serve_address address;
  return serve_parse(text, &address);
}

#ifdef RTOP_HAVE_MICROHTTPD
#include <microhttpd.h>

enum { SERVE_MEMORY_BYTES = 16 << 10 };

struct serve_page {
  struct MHD_Response *response; /* NULL: nobody has asked for it */
  uint64_t snapshot;
};

struct metrics_server {
  struct MHD_Daemon *daemon;
  const struct metrics *metrics;
  struct serve_page pages[METRICS_FORMATS];
  struct MHD_Response *healthy, *nothing, *only_get, *early;
  int fd;
  char url[METRICS_ADDRESS_BYTES];
};

static bool serve_wants_open(struct MHD_Connection *connection)
{
  const char *accept = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
  return !accept || !strstr(accept, "text/plain") || strstr(accept, "application/openmetrics-text");
}

static void serve_drop(struct MHD_Response **response)
{
  if (*response) MHD_destroy_response(*response);
  *response = NULL;
}

static struct MHD_Response *serve_write(const struct metrics *metrics, enum metrics_format format)
{
  size_t bytes;
  char *text = metrics_page(metrics, format, &bytes);
  struct MHD_Response *response = text ? MHD_create_response_from_buffer(bytes, text, MHD_RESPMEM_MUST_FREE) : NULL;
  if (!response) free(text);
  else MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, metrics_content_type(format));
  return response;
}

static enum MHD_Result serve_metrics(struct metrics_server *server, struct MHD_Connection *connection)
{
  enum metrics_format format = serve_wants_open(connection) ? METRICS_OPEN : METRICS_PLAIN;
  struct serve_page *page = &server->pages[format];
  uint64_t snapshot = server->metrics->snapshots;
  if (snapshot == 0) return MHD_queue_response(connection, MHD_HTTP_SERVICE_UNAVAILABLE, server->early);
  if (!page->response || page->snapshot != snapshot) {
    serve_drop(&page->response);
    page->response = serve_write(server->metrics, format);
    page->snapshot = snapshot;
  }
  return page->response ? MHD_queue_response(connection, MHD_HTTP_OK, page->response) : MHD_NO;
}

/* Answers a request. libmicrohttpd calls this after the head, where an answer would close the connection, and again at
 * the end; a call in between means a body, which is not accepted and closes the connection. */
static enum MHD_Result serve_answer(void *context, struct MHD_Connection *connection, const char *url,
                                    const char *method, const char *version, const char *upload, size_t *upload_bytes,
                                    void **request)
{
  struct metrics_server *server = context;
  bool healthy = strcmp(url, "/-/healthy") == 0;
  (void)version, (void)upload;
  if (!healthy && strcmp(url, "/metrics") != 0)
    return MHD_queue_response(connection, MHD_HTTP_NOT_FOUND, server->nothing);
  if (strcmp(method, MHD_HTTP_METHOD_GET) != 0)
    return MHD_queue_response(connection, MHD_HTTP_METHOD_NOT_ALLOWED, server->only_get);
  if (!*request) {
    *request = server;
    return MHD_YES;
  }
  if (*upload_bytes) return MHD_NO;
  return healthy ? MHD_queue_response(connection, MHD_HTTP_OK, server->healthy) : serve_metrics(server, connection);
}

static struct MHD_Response *serve_words(const char *words)
{
  struct MHD_Response *response =
      MHD_create_response_from_buffer(strlen(words), (void *)(uintptr_t)words, MHD_RESPMEM_PERSISTENT);
  if (response) MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/plain; charset=utf-8");
  return response;
}

/* Finds the port that the system chose for port 0. */
static void serve_name(struct metrics_server *server, union serve_address *address)
{
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_LISTEN_FD);
  char host[INET6_ADDRSTRLEN] = "";
  socklen_t bytes = sizeof *address;
  if (info) getsockname(info->listen_fd, &address->any, &bytes);
  bool v6 = address->any.sa_family == AF_INET6;
  if (v6) inet_ntop(AF_INET6, &address->v6.sin6_addr, host, sizeof host);
  else inet_ntop(AF_INET, &address->v4.sin_addr, host, sizeof host);
  snprintf(server->url, sizeof server->url, "http://%s%s%s:%u/metrics", v6 ? "[" : "", host, v6 ? "]" : "",
           ntohs(v6 ? address->v6.sin6_port : address->v4.sin_port));
}

static bool serve_words_all(struct metrics_server *server)
{
  server->healthy = serve_words("rperf-top serves\n");
  server->nothing = serve_words("here are only /metrics and /-/healthy\n");
  server->only_get = serve_words("GET only\n");
  server->early = serve_words("nothing was read yet\n");
  return server->healthy && server->nothing && server->early && server->only_get &&
         MHD_add_response_header(server->only_get, MHD_HTTP_HEADER_ALLOW, "GET") == MHD_YES;
}

struct metrics_server *metrics_server_open(const char *text, const struct metrics *metrics, struct rtop_error *error)
{
  union serve_address address;
  struct metrics_server *server = calloc(1, sizeof *server);
  if (!server || !serve_words_all(server) || !serve_parse(text, &address)) {
    rtop_error_set(error, RTOP_ERROR_SYSTEM, ENOMEM, "out of memory");
    metrics_server_close(&server);
    return NULL;
  }
  server->metrics = metrics;
  unsigned flags = MHD_USE_EPOLL | (address.any.sa_family == AF_INET6 ? MHD_USE_IPv6 : 0);
  errno = 0;
  server->daemon = MHD_start_daemon(flags, 0, NULL, NULL, serve_answer, server, MHD_OPTION_SOCK_ADDR, &address.any,
                                    MHD_OPTION_CONNECTION_LIMIT, METRICS_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
                                    METRICS_IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                                    (size_t)SERVE_MEMORY_BYTES, MHD_OPTION_LISTENING_ADDRESS_REUSE, 1u, MHD_OPTION_END);
  const union MHD_DaemonInfo *info =
      server->daemon ? MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
  if (!info) {
    rtop_error_set(error, RTOP_ERROR_SYSTEM, errno, "cannot serve on %.100s: %s", text,
                   errno ? strerror(errno) : "libmicrohttpd does not say why");
    metrics_server_close(&server);
    return NULL;
  }
  server->fd = info->epoll_fd;
  serve_name(server, &address);
  return server;
}

void metrics_server_close(struct metrics_server **handle)
{
  struct metrics_server *server = *handle;
  *handle = NULL;
  if (!server) return;
  if (server->daemon) MHD_stop_daemon(server->daemon);
  for (int i = 0; i < METRICS_FORMATS; i++) serve_drop(&server->pages[i].response);
  serve_drop(&server->healthy);
  serve_drop(&server->nothing);
  serve_drop(&server->only_get);
  serve_drop(&server->early);
  free(server);
}

const char *metrics_server_url(const struct metrics_server *server)
{
  return server->url;
}

void metrics_server_wait(struct metrics_server *server, int milliseconds)
{
  int64_t end_ms = clock_now_ms() + milliseconds, left_ms = milliseconds;
  MHD_UNSIGNED_LONG_LONG idle_ms;
  do {
    if (MHD_get_timeout(server->daemon, &idle_ms) == MHD_YES && (int64_t)idle_ms < left_ms) left_ms = (int64_t)idle_ms;
    interrupt_wait_for(server->fd, POLLIN, (int)left_ms);
    MHD_run(server->daemon);
    left_ms = end_ms - clock_now_ms();
  } while (left_ms > 0 && !interrupt_signal());
}

#else

struct metrics_server *metrics_server_open(const char *address, const struct metrics *metrics, struct rtop_error *error)
{
  (void)address, (void)metrics;
  rtop_error_set(error, RTOP_ERROR_SYSTEM, 0,
                 "this rperf-top was built without libmicrohttpd, which --metrics PORT needs: install "
                 "libmicrohttpd-dev and build it again, or use --metrics FILE.prom");
  return NULL;
}

void metrics_server_close(struct metrics_server **server)
{
  *server = NULL;
}

const char *metrics_server_url(const struct metrics_server *server)
{
  (void)server;
  return "";
}

void metrics_server_wait(struct metrics_server *server, int milliseconds)
{
  (void)server;
  interrupt_wait(milliseconds);
}
#endif
