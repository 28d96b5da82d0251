/* What a user, a shell or a terminal hands in: the command line, expressions, patterns, and the bytes that a
 * terminal sends, in pieces. Whatever is taken must be within what the rest counts on. */
#include "tui/escape.h"
#include "tui/lens.h"
#include "tui/methods.h"
#include "tui/options.h"
#include "tui/regexp.h"
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_WORDS_MAX = 24 };

static void demand(bool right)
{
  if (!right)
    abort();
}

/* Said and forgotten: a fuzzer needs the terminal for itself. */
static void be_quiet(int *out, int *err)
{
  int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  fflush(stdout);
  *out = dup(STDOUT_FILENO);
  *err = dup(STDERR_FILENO);
  dup2(null, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
  close(null);
}

static void be_heard(int out, int err)
{
  fflush(stdout);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  close(out);
  close(err);
}

static void command_line(char *text, size_t size)
{
  char name[] = "rperf-top", *words[INPUT_WORDS_MAX + 2] = {name};
  struct rtop_options options;
  int count = 1, out, err;
  for (size_t at = 0; at < size && count <= INPUT_WORDS_MAX; at += strlen(text + at) + 1)
    words[count++] = text + at;
  optind = 0;
  be_quiet(&out, &err);
  int status = rtop_options_parse(&options, count, words);
  be_heard(out, err);
  demand(status >= -1 && status <= 2);
  if (status >= 0)
    return;
  demand(options.pid_count >= 0 && options.pid_count <= RTOP_PIDS_MAX);
  demand(options.replay_count >= 0 && options.replay_count <= RTOP_REPLAYS_MAX);
  demand(options.delay_seconds > 0 && options.refreshes >= 0);
}

static void expression(const char *text)
{
  regex_t compiled;
  if (rtop_regexp_compile(&compiled, text) != 0)
    return;
  regexec(&compiled, "OrdersController#index /app/controllers/orders.rb", 0, NULL, 0);
  regfree(&compiled);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 2 || size > 8192)
    return 0;
  char *text = malloc(size);
  memcpy(text, data + 1, size - 1);
  text[size - 1] = '\0';
  switch (data[0] % 3) {
  case 0: command_line(text, size); break;
  case 1: expression(text); break;
  default: {
    struct escape escape = {0};
    for (size_t i = 0; i + 1 < size; i++)
      escape_take(&escape, (unsigned char)text[i]);
  } break;
  }
  free(text);
  return 0;
}
