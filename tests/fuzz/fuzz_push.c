/* What a server answers when profiles are pushed to it: any bytes on a connection that the sender has opened, in pieces, and
 * what stands in an answer of OTLP. Nothing of it reaches a terminal as it is, and all that was sent is accounted for. */
#include "fuzz.h"
#include "shm/base/error.h"
#include "tui/push/push_otlp.h"
#include "tui/push/push_send.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

enum { ANSWER_MAX = 1 << 20, LAST_MS = 2000, DRAIN_US = 100000 };
static int listener = -1;
static char address[64] = "http://127.0.0.1:1";

/* The server: takes one request after the other and answers each with these bytes. */
struct server {
  const uint8_t *data;
  size_t size;
  bool polite; /* reads the request first */
};

/* At another address of this machine's own each time: those of connections that are just over are not free. */
static void listen_anew(void)
{
  static uint32_t number;
  number = (number + 1) % 0xffff00;
  struct sockaddr_in place = { .sin_family = AF_INET, .sin_addr.s_addr = htonl((127u << 24) + number + 1) };
  socklen_t bytes = sizeof place;
  char host[32];
  listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  demand(listener >= 0 && bind(listener, (struct sockaddr *)&place, bytes) == 0 && listen(listener, 8) == 0);
  demand(getsockname(listener, (struct sockaddr *)&place, &bytes) == 0);
  demand(inet_ntop(AF_INET, &place.sin_addr, host, sizeof host) != NULL);
  snprintf(address, sizeof address, "http://%s:%u", host, ntohs(place.sin_port));
}

static void is_printable(const char *text)
{
  for (; *text; text++) demand((unsigned char)*text >= 32 && *text != 127);
}

static void serve_one(const struct server *server, int fd)
{
  char request[4096];
  if (server->polite) recv(fd, request, sizeof request, 0);
  for (size_t at = 0, piece = server->size / 3 + 1; at < server->size; at += piece)
    if (send(fd, server->data + at, server->size - at < piece ? server->size - at : piece, MSG_NOSIGNAL) < 0) break;
  shutdown(fd, SHUT_WR);
  while (recv(fd, request, sizeof request, 0) > 0)
    ;
  close(fd);
}

/* Until nobody listens any more. */
static void *serve(void *context)
{
  for (int fd; (fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0;) {
    /* What it sends after its answer is of no use; but it may keep the connection. */
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){ .tv_usec = DRAIN_US }, sizeof(struct timeval));
    serve_one(context, fd);
  }
  return NULL;
}

static struct push_item *item(int64_t start_ns)
{
  struct push_item *made = calloc(1, sizeof *made);
  demand(made != NULL);
  made->query = strdup("name=x");
  made->body = calloc(1, 100);
  demand(made->query && made->body);
  made->bytes = 100;
  made->start_ns = start_ns;
  return made;
}

/* Two requests; both are sent, refused, or still there. */
static void send_two(enum push_kind kind)
{
  struct push_queue queue = { 0 };
  struct rtop_error error;
  struct push_sender *sender = push_sender_open(address, kind, NULL, &error);
  demand(sender && push_queue_add(&queue, item(1)) && push_queue_add(&queue, item(2)));
  push_sender_last(sender, &queue, LAST_MS);
  push_sender_wait(sender, &queue, 0);
  const struct push_counts *counts = push_sender_counts(sender);
  demand(counts->failures <= 2 && counts->sent + queue.count <= 2 && counts->sent_bytes == counts->sent * 100);
  if (kind == PUSH_PYROSCOPE) demand(counts->sent + counts->refused + queue.count == 2);
  const char *said = push_sender_said(sender);
  demand(said || (counts->failures == 0 && counts->refused == 0));
  if (said) is_printable(said);
  demand(push_sender_said(sender) == NULL);
  push_queue_clear(&queue);
  push_sender_close(&sender);
}

static void answer_with(const uint8_t *data, size_t size, uint8_t how)
{
  struct server server = { data, size, how & 1 };
  pthread_t thread;
  listen_anew();
  demand(pthread_create(&thread, NULL, serve, &server) == 0);
  send_two(how & 2 ? PUSH_OTLP : PUSH_PYROSCOPE);
  shutdown(listener, SHUT_RDWR);
  pthread_join(thread, NULL);
  close(listener);
}

static void ask_otlp(const uint8_t *data, size_t size, size_t room)
{
  char why[200];
  uint64_t refused = push_otlp_refused(data, size, why, room);
  demand(memchr(why, '\0', room) != NULL && refused <= INT64_MAX);
  is_printable(why);
}

/* A file of headers: the user's own, but not always what he meant. */
static void take_headers(const uint8_t *data, size_t size)
{
  struct rtop_error error = { 0 };
  char path[64];
  int fd = fuzz_file(data, size, path);
  struct push_sender *sender = push_sender_open(address, PUSH_OTLP, path, &error);
  demand((sender == NULL) == (error.text[0] != '\0'));
  if (sender) push_sender_close(&sender);
  close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static uint8_t answer[ANSWER_MAX + 64];
  if (size < 3 || size > 1000000) return 0;
  uint8_t kind = data[0] % 8, how = data[1], often = data[2];
  data += 3;
  size -= 3;
  if (kind < 3) ask_otlp(data, size, 1 + how % 200);
  if (kind == 3) take_headers(data, size);
  if (kind < 4) return 0;
  size_t all = 0, times = kind == 4 ? (size_t)often * often : 1;
  if (kind == 5) all = (size_t)snprintf((char *)answer, 64, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", size);
  if (kind == 6) all = (size_t)snprintf((char *)answer, 64, "HTTP/1.1 %u ", 100 + often * 2u);
  for (size_t i = 0; i < times && all + size <= ANSWER_MAX; i++) {
    memcpy(answer + all, data, size);
    all += size;
  }
  answer_with(answer, all, how);
  return 0;
}
