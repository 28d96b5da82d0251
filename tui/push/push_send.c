/* SPDX-License-Identifier: MIT */
/* What goes through libcurl. */
#include "push_send.h"

#include "push_otlp.h"
#include "shm/base/clock.h"
#include "shm/base/error.h"
#include "shm/base/version.h"
#include "tui/text/interrupt.h"
#include "tui/text/text.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef RTOP_HAVE_CURL
#include <curl/curl.h>

enum { SEND_HEADERS_MAX = 16 << 10, SEND_WHY = 200, SEND_SLICE_MS = 100 };

struct push_sender {
  CURLM *multi;
  CURL *easy;
  curl_mime *form;
  struct curl_slist *headers;
  char *url;
  enum push_kind kind;
  bool busy, failing; /* busy: a request is being sent; failing: the last request failed */
  unsigned tries;     /* in vain, one after the other */
  int64_t next_ms;
  uint8_t answer[PUSH_ANSWER_BYTES];
  size_t answer_bytes, answer_all;
  struct push_counts counts;
  char said[SEND_WHY + 160], refusal[SEND_WHY];
  bool says;
};

/* Description of the types of values for Pyroscope. */
static const char send_kinds[] =
    "{\"samples\":{\"units\":\"samples\",\"aggregation\":\"sum\",\"display-name\":\"samples\",\"sampled\":false},"
    "\"cpu\":{\"units\":\"nanoseconds\",\"aggregation\":\"sum\",\"display-name\":\"cpu\",\"sampled\":false},"
    "\"wall\":{\"units\":\"nanoseconds\",\"aggregation\":\"sum\",\"display-name\":\"wall\",\"sampled\":false},"
    "\"blame\":{\"units\":\"nanoseconds\",\"aggregation\":\"sum\",\"display-name\":\"blame\",\"sampled\":false},"
    "\"allocations\":{\"units\":\"objects\",\"aggregation\":\"sum\",\"display-name\":\"allocations\",\"sampled\":false}"
    "}";

static size_t send_answer(char *bytes, size_t size, size_t count, void *context)
{
  struct push_sender *sender = context;
  size_t all = size * count, room = sizeof sender->answer - sender->answer_bytes, taken = all < room ? all : room;
  memcpy(sender->answer + sender->answer_bytes, bytes, taken);
  sender->answer_bytes += taken;
  sender->answer_all += all;
  return sender->answer_all <= PUSH_ANSWER_MAX ? all : 0;
}

/* ---- headers ------------------------------------------------------------------------------------------------ */

static bool send_add_header(struct push_sender *sender, const char *line)
{
  struct curl_slist *headers = curl_slist_append(sender->headers, line);
  if (headers) sender->headers = headers;
  return headers != NULL;
}

/* Is the line "Name: value", without characters that would begin another header? */
static bool send_is_header(const char *line)
{
  size_t name = strcspn(line, ":");
  if (name == 0 || !line[name]) return false;
  for (size_t i = 0; line[i]; i++) {
    unsigned char c = (unsigned char)line[i];
    if (i < name ? !(isalnum(c) || c == '-' || c == '_') : c < 32 && c != '\t') return false;
  }
  return true;
}

static bool send_take_lines(struct push_sender *sender, char *text, const char *path, struct rtop_error *error)
{
  char *next = text;
  for (int number = 1; next; number++) {
    char *line = strsep(&next, "\n");
    line[strcspn(line, "\r")] = '\0';
    if (!*line || *line == '#') continue;
    if (!send_is_header(line)) {
      rtop_error_set(error, RTOP_ERROR_SYSTEM, EINVAL, "line %d of %.120s is no header (Name: value)", number, path);
      return false;
    }
    if (!send_add_header(sender, line)) return false;
  }
  return true;
}

static bool send_read_headers(struct push_sender *sender, const char *path, struct rtop_error *error)
{
  char text[SEND_HEADERS_MAX + 1];
  struct stat status;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd >= 0 && fstat(fd, &status) == 0 && !S_ISREG(status.st_mode)) errno = EINVAL;
  ssize_t bytes = fd >= 0 && S_ISREG(status.st_mode) ? read(fd, text, sizeof text) : -1;
  if (bytes < 0) rtop_error_set(error, RTOP_ERROR_SYSTEM, errno, "cannot read %.120s: %s", path, strerror(errno));
  else if (bytes > SEND_HEADERS_MAX)
    rtop_error_set(error, RTOP_ERROR_LIMIT, 0, "%.120s has more than %d bytes", path, SEND_HEADERS_MAX);
  if (fd >= 0) close(fd);
  if (bytes < 0 || bytes > SEND_HEADERS_MAX) return false;
  text[bytes] = '\0';
  bool fine = send_take_lines(sender, text, path, error);
  explicit_bzero(text, sizeof text);
  return fine;
}

static bool send_authorize(struct push_sender *sender, struct rtop_error *error)
{
  const char *value = getenv("RPERF_TOP_PUSH_AUTHORIZATION");
  char *line = NULL;
  if (!value || !*value) return true;
  bool fine = asprintf(&line, "Authorization: %s", value) >= 0 && send_is_header(line) && send_add_header(sender, line);
  if (!fine) rtop_error_set(error, RTOP_ERROR_SYSTEM, EINVAL, "RPERF_TOP_PUSH_AUTHORIZATION is no value of a header");
  free(line);
  return fine;
}

static bool send_headers(struct push_sender *sender, const char *path, struct rtop_error *error)
{
  bool fine = send_add_header(sender, "Expect:"); /* without this, a server that does not
                                                     support "Expect" would delay requests */
  if (sender->kind == PUSH_OTLP)
    fine = fine && send_add_header(sender, "Content-Type: application/x-protobuf") &&
           send_add_header(sender, "Content-Encoding: gzip");
  return fine && (!path || send_read_headers(sender, path, error)) && send_authorize(sender, error);
}

/* ---- a request ---------------------------------------------------------------------------------------------- */

static bool send_options(struct push_sender *sender)
{
  CURL *easy = sender->easy;
  bool fine = curl_easy_setopt(easy, CURLOPT_HTTPHEADER, sender->headers) == CURLE_OK &&
              curl_easy_setopt(easy, CURLOPT_USERAGENT, "rperf-top/" RPERF_TOP_VERSION) == CURLE_OK &&
              curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, send_answer) == CURLE_OK &&
              curl_easy_setopt(easy, CURLOPT_WRITEDATA, sender) == CURLE_OK &&
              curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
              curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK &&
              curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)PUSH_TIMEOUT_MS) == CURLE_OK;
#if CURL_AT_LEAST_VERSION(7, 85, 0)
  return fine && curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK;
#else
  return fine && curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS)) == CURLE_OK;
#endif
}

struct push_sender *push_sender_open(const char *url, enum push_kind kind, const char *headers,
                                     struct rtop_error *error)
{
  struct push_sender *sender = calloc(1, sizeof *sender);
  *error = (struct rtop_error){ 0 };
  bool fine = sender && curl_global_init(CURL_GLOBAL_DEFAULT) == 0;
  if (fine) {
    sender->kind = kind;
    sender->url = push_url_whole(url, kind);
    sender->multi = curl_multi_init();
    sender->easy = curl_easy_init();
    fine = sender->url && sender->multi && sender->easy && send_headers(sender, headers, error) && send_options(sender);
  }
  if (fine) return sender;
  if (!error->text[0]) rtop_error_set(error, RTOP_ERROR_SYSTEM, ENOMEM, "out of memory");
  push_sender_close(&sender);
  return NULL;
}

static void send_stop(struct push_sender *sender)
{
  if (sender->busy) curl_multi_remove_handle(sender->multi, sender->easy);
  curl_mime_free(sender->form);
  sender->form = NULL;
  sender->busy = false;
}

void push_sender_close(struct push_sender **handle)
{
  struct push_sender *sender = *handle;
  *handle = NULL;
  if (!sender) return;
  send_stop(sender);
  curl_easy_cleanup(sender->easy);
  curl_multi_cleanup(sender->multi);
  curl_slist_free_all(sender->headers);
  free(sender->url);
  free(sender);
}

static bool send_part(curl_mime *form, const char *name, const char *file, const void *bytes, size_t count)
{
  curl_mimepart *part = curl_mime_addpart(form);
  return part && curl_mime_name(part, name) == CURLE_OK && curl_mime_filename(part, file) == CURLE_OK &&
         curl_mime_data(part, bytes, count) == CURLE_OK;
}

static bool send_body(struct push_sender *sender, const struct push_item *item)
{
  if (sender->kind == PUSH_OTLP)
    return curl_easy_setopt(sender->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)item->bytes) == CURLE_OK &&
           curl_easy_setopt(sender->easy, CURLOPT_POSTFIELDS, item->body) == CURLE_OK;
  sender->form = curl_mime_init(sender->easy);
  return sender->form && send_part(sender->form, "profile", "profile.pprof", item->body, item->bytes) &&
         send_part(sender->form, "sample_type_config", "sample_type_config.json", send_kinds, strlen(send_kinds)) &&
         curl_easy_setopt(sender->easy, CURLOPT_MIMEPOST, sender->form) == CURLE_OK;
}

/* Starts a request. False: memory ran out. */
static bool send_start(struct push_sender *sender, struct push_queue *queue)
{
  char *url = NULL;
  const struct push_item *item = queue->first;
  sender->answer_bytes = sender->answer_all = 0;
  bool fine = asprintf(&url, "%s%s%s", sender->url, *item->query ? "?" : "", item->query) >= 0 &&
              curl_easy_setopt(sender->easy, CURLOPT_URL, url) == CURLE_OK && send_body(sender, item) &&
              curl_multi_add_handle(sender->multi, sender->easy) == CURLM_OK;
  free(url);
  sender->busy = queue->sending = fine;
  if (!fine) send_stop(sender);
  return fine;
}

/* ---- what came of it ----------------------------------------------------------------------------------------- */

static void send_say(struct push_sender *sender, const char *what, const char *why)
{
  snprintf(sender->said, sizeof sender->said, "%s %.100s: %s", what, sender->url, why);
  sender->says = true;
}

/* Returns a random pause of half to one and a half times the given one, so that many clients do not return to a
   server at once. */
static int64_t send_vary(int64_t pause_ms)
{
  uint16_t chance = 0;
  if (getrandom(&chance, sizeof chance, GRND_NONBLOCK) != sizeof chance) chance = (uint16_t)clock_now_ns();
  return pause_ms / 2 + pause_ms * chance / UINT16_MAX;
}

static void send_later(struct push_sender *sender, const char *why)
{
  curl_off_t asked_s = 0;
  int64_t pause_ms = sender->tries < 7 ? (int64_t)PUSH_PAUSE_MS << sender->tries : PUSH_PAUSE_MAX_MS;
  pause_ms = send_vary(pause_ms < PUSH_PAUSE_MAX_MS ? pause_ms : PUSH_PAUSE_MAX_MS);
  curl_easy_getinfo(sender->easy, CURLINFO_RETRY_AFTER, &asked_s);
  int64_t asked_ms = asked_s < PUSH_ASKED_MAX_MS / 1000 ? (int64_t)asked_s * 1000 : PUSH_ASKED_MAX_MS;
  sender->next_ms = clock_now_ms() + (asked_ms > pause_ms ? asked_ms : pause_ms);
  sender->tries++;
  sender->counts.failures++;
  if (!sender->failing) send_say(sender, "cannot send profiles to", why);
  sender->failing = true;
}

static void send_refused(struct push_sender *sender, uint64_t profiles, const char *why)
{
  sender->counts.refused += profiles;
  if (strcmp(sender->refusal, why) == 0) return;
  snprintf(sender->refusal, sizeof sender->refusal, "%s", why);
  send_say(sender, "profiles are refused by", why);
}

static void send_took(struct push_sender *sender, const struct push_item *item)
{
  char why[SEND_WHY];
  sender->counts.sent++;
  sender->counts.sent_bytes += item->bytes;
  if (sender->failing) send_say(sender, "profiles are sent again to", "it answers");
  sender->failing = false;
  uint64_t refused =
      sender->kind == PUSH_OTLP ? push_otlp_refused(sender->answer, sender->answer_bytes, why, sizeof why) : 0;
  if (refused) send_refused(sender, refused, *why ? why : "it does not say why");
}

static void send_judge(struct push_sender *sender, struct push_queue *queue, CURLcode result)
{
  char why[SEND_WHY], answer[120];
  long code = 0;
  curl_easy_getinfo(sender->easy, CURLINFO_RESPONSE_CODE, &code);
  bool again = code < 200 || code == 408 || code == 429 || code >= 500;
  rtop_text_sanitize(answer, sizeof answer, (const char *)sender->answer, sender->answer_bytes);
  if (result != CURLE_OK && again) snprintf(why, sizeof why, "%s", curl_easy_strerror(result));
  else snprintf(why, sizeof why, "HTTP status %ld%s%s", code, *answer ? ": " : "", answer);
  queue->sending = false;
  if (again) {
    send_later(sender, why);
    return;
  }
  sender->tries = 0;
  if (code < 300) send_took(sender, queue->first);
  else send_refused(sender, 1, why);
  push_queue_pop(queue);
}

/* Continues the current request, or starts the next one. */
static void send_step(struct push_sender *sender, struct push_queue *queue)
{
  int running, left;
  if (!sender->busy && queue->first && clock_now_ms() >= sender->next_ms && !send_start(sender, queue))
    send_later(sender, "out of memory");
  if (!sender->busy) return;
  curl_multi_perform(sender->multi, &running);
  for (CURLMsg *message; (message = curl_multi_info_read(sender->multi, &left));) {
    CURLcode result = message->data.result;
    if (message->msg != CURLMSG_DONE) continue;
    send_stop(sender);
    send_judge(sender, queue, result);
    break;
  }
}

void push_sender_wait(struct push_sender *sender, struct push_queue *queue, int milliseconds)
{
  int64_t end_ms = clock_now_ms() + milliseconds, left_ms = milliseconds;
  do {
    send_step(sender, queue);
    int64_t until_ms = queue->first && sender->next_ms < end_ms ? sender->next_ms : end_ms;
    left_ms = until_ms - clock_now_ms();
    /* libcurl misses signals that come just before it waits, so the wait is divided into short slices. */
    if (sender->busy) curl_multi_poll(sender->multi, NULL, 0, SEND_SLICE_MS, NULL);
    else if (left_ms > 0) interrupt_wait((int)left_ms);
    left_ms = end_ms - clock_now_ms();
  } while (left_ms > 0 && !interrupt_signal());
}

void push_sender_last(struct push_sender *sender, struct push_queue *queue, int milliseconds)
{
  int64_t end_ms = clock_now_ms() + milliseconds;
  uint64_t failures = sender->counts.failures;
  sender->next_ms = 0;
  while (queue->first && sender->counts.failures == failures && clock_now_ms() < end_ms) {
    send_step(sender, queue);
    if (sender->busy) curl_multi_poll(sender->multi, NULL, 0, SEND_SLICE_MS, NULL);
  }
  send_stop(sender);
  queue->sending = false;
}

const struct push_counts *push_sender_counts(const struct push_sender *sender)
{
  return &sender->counts;
}

const char *push_sender_said(struct push_sender *sender)
{
  bool says = sender->says;
  sender->says = false;
  return says ? sender->said : NULL;
}

#else

struct push_sender *push_sender_open(const char *url, enum push_kind kind, const char *headers,
                                     struct rtop_error *error)
{
  (void)url, (void)kind, (void)headers;
  rtop_error_set(error, RTOP_ERROR_SYSTEM, 0,
                 "this rperf-top was built without libcurl, which --push needs: install libcurl4-gnutls-dev or "
                 "libcurl4-openssl-dev and build it again");
  return NULL;
}

void push_sender_close(struct push_sender **sender)
{
  *sender = NULL;
}

void push_sender_wait(struct push_sender *sender, struct push_queue *queue, int milliseconds)
{
  (void)sender, (void)queue;
  interrupt_wait(milliseconds);
}

void push_sender_last(struct push_sender *sender, struct push_queue *queue, int milliseconds)
{
  (void)sender, (void)queue, (void)milliseconds;
}

const struct push_counts *push_sender_counts(const struct push_sender *sender)
{
  static const struct push_counts nothing;
  (void)sender;
  return &nothing;
}

const char *push_sender_said(struct push_sender *sender)
{
  (void)sender;
  return NULL;
}
#endif
