/* What a user, a shell or a terminal hands in: the command line, expressions, patterns, words of settings, names, and
 * the bytes that a terminal sends, in pieces. Whatever is taken must be within what the rest counts on. */
#include "shm/base/error.h"
#include "shm/base/label_text.h"
#include "shm/base/pattern.h"
#include "tui/cli/options.h"
#include "tui/export/file_formats.h"
#include "tui/history/lens.h"
#include "tui/methods/methods.h"
#include "tui/tables/columns.h"
#include "tui/term/escape.h"
#include "tui/term/theme_name.h"
#include "tui/text/budget.h"
#include "tui/text/regexp.h"
#include "tui/text/text.h"
#include <fcntl.h>
#include <getopt.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

/* The locale says how wide a character is. */
int LLVMFuzzerInitialize(int *count, char ***arguments)
{
  (void)count;
  (void)arguments;
  return setlocale(LC_CTYPE, "C.UTF-8") ? 0 : 1;
}

enum { INPUT_WORDS_MAX = 24 };

static void demand(bool right)
{
  if (!right) abort();
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
  char name[] = "rperf-top", *words[INPUT_WORDS_MAX + 2] = { name };
  struct rtop_options options;
  int count = 1, out, err;
  for (size_t at = 0; at < size && count <= INPUT_WORDS_MAX; at += strlen(text + at) + 1) words[count++] = text + at;
  optind = 0;
  be_quiet(&out, &err);
  int status = rtop_options_parse(&options, count, words);
  demand(fflush(stdout) == 0);
  be_heard(out, err);
  demand(status >= -1 && status <= 2);
  if (status >= 0) return;
  demand(options.pid_count >= 0 && options.pid_count <= RTOP_PIDS_MAX);
  demand(options.replay_count >= 0 && options.replay_count <= RTOP_REPLAYS_MAX);
  demand(options.delay_seconds > 0 && options.refreshes >= 0);
}

static void expression(const char *text)
{
  regex_t compiled;
  if (rtop_regexp_compile(&compiled, text) != 0) return;
  regexec(&compiled, "OrdersController#index /app/controllers/orders.rb", 0, NULL, 0);
  regfree(&compiled);
}

/* A list of patterns, a line, then names that it is asked about. */
static void patterns(const char *text, size_t bytes)
{
  const char *line = memchr(text, '\1', bytes), *names = line ? line + 1 : text + bytes;
  size_t name_bytes = bytes - (size_t)(names - text), half = name_bytes / 2;
  struct rtop_error error = { 0 };
  struct rtop_patterns *list = rtop_patterns_create(text, line ? (size_t)(line - text) : bytes, &error);
  demand(list || error.text[0] != '\0');
  rtop_pattern_glob(text, bytes - name_bytes, names, name_bytes);
  if (!list) return;
  for (int is_c = 0; is_c < 2; is_c++)
    rtop_patterns_match(list, &(struct rtop_pattern_frame){ .label = names,
                                                            .label_bytes = half,
                                                            .path = is_c ? "" : names + half,
                                                            .path_bytes = is_c ? 0 : name_bytes - half,
                                                            .namespace_label = names,
                                                            .namespace_bytes = half / 2,
                                                            .is_c = is_c });
  demand(rtop_patterns_count(list) <= RTOP_PATTERNS_MAX);
  rtop_patterns_destroy(&list);
}

/* A set of labels is read, written and read again: it must be the same. */
static void labels(const char *text, size_t bytes)
{
  struct rtop_label_buffer read[RTOP_LABEL_PAIRS_MAX], again;
  struct rtop_label set[RTOP_LABEL_PAIRS_MAX];
  char out[RTOP_LABEL_TEXT_MAX];
  size_t at = 0, count = 0;
  while (count < RTOP_LABEL_PAIRS_MAX && rtop_label_text_next(text, bytes, &at, &read[count])) {
    set[count] =
        (struct rtop_label){ read[count].key, read[count].value, strlen(read[count].key), strlen(read[count].value) };
    count++;
  }
  size_t written = rtop_label_text_write(set, count, out, sizeof out);
  demand(written <= sizeof out);
  at = 0;
  for (size_t i = 0; rtop_label_text_next(out, written, &at, &again); i++)
    demand(i < count && strcmp(again.key, read[i].key) == 0 && strcmp(again.value, read[i].value) == 0);
  rtop_label_text_fits(text, bytes, count ? read[0].key : "a=b*");
  rtop_label_text_fits(text, bytes, "key=v?l*");
}

/* Names on their way to the terminal: no control character, no more columns than there are. */
static void names(const char *bytes, size_t count)
{
  char clean[256], cut[128];
  size_t length = rtop_text_sanitize(clean, sizeof clean, bytes, count);
  demand(length < sizeof clean && strlen(clean) == length);
  for (size_t i = 0; i < length; i++) demand((unsigned char)clean[i] >= ' ' && clean[i] != 127);
  demand(rtop_text_width(clean) >= 0);
  for (int columns = 0; columns < 40; columns += 3) {
    demand(rtop_text_cut(cut, sizeof cut, clean, columns) <= columns);
    demand(rtop_text_width(cut) <= columns);
    demand(rtop_text_cut_left(cut, sizeof cut, clean, columns) <= columns);
    demand(rtop_text_width(cut) <= columns);
    rtop_text_cut_left(cut, 1 + (size_t)columns / 3, clean, columns);
  }
  rtop_text_contains(clean, "aB");
  rtop_text_contains(clean, "");
}

static void figures(const char *bytes, size_t count)
{
  char text[32], words[128];
  uint64_t number = 0;
  memcpy(&number, bytes, count < sizeof number ? count : sizeof number);
  for (int shift = 0; shift < 64; shift += 7) {
    rtop_text_count(text, sizeof text, (double)(number >> shift));
    rtop_text_duration(text, sizeof text, (int64_t)(number >> shift));
    rtop_text_bytes(text, sizeof text, number >> shift);
    for (int limit = 0; limit < RTOP_BUDGET_LIMITS; limit++) {
      struct rtop_budget budget = { .source_bytes = number >> shift };
      demand(rtop_budget_max((enum rtop_budget_limit)limit, number >> shift) <= INT64_MAX);
      rtop_budget_say((enum rtop_budget_limit)limit, number >> shift, words, sizeof words);
      demand(!rtop_budget_spend(&budget, (enum rtop_budget_limit)limit, UINT64_MAX) && budget.over);
      demand(!rtop_budget_spend(&budget, (enum rtop_budget_limit)limit, 0));
    }
  }
}

/* As keys of the chooser do it. */
static void use_column(struct columns_choice *choice, int key)
{
  struct columns_shown shown;
  columns_fit(&shown, choice, key, RTOP_SORT_ALLOC, 0);
  columns_scroll_max(choice, key / 2, RTOP_SORT_ALLOC);
  enum rtop_sort_key column = (enum rtop_sort_key)(key % RTOP_SORT_KEYS);
  enum rtop_sort_key sort = (enum rtop_sort_key)(key % RTOP_SORT_KEYS);
  if (key & 1) columns_toggle(choice, column);
  columns_move(choice, column, key & 2 ? 1 : -1);
  columns_has(choice, sort);
  columns_scroll_max(choice, key, sort);
  columns_fit(&shown, choice, key, sort, 0);
  demand(columns_info(column) != NULL);
}

static void words(const char *text)
{
  struct columns_choice choice = { 0 };
  struct rtop_file_kind kind;
  enum theme_name theme;
  enum rtop_file_format format = RTOP_FILE_PPROF;
  const char *problem = NULL;
  char out[512];
  if (columns_parse(&choice, text, &problem)) {
    columns_write(&choice, out, sizeof out);
    demand(columns_parse(&choice, out, &problem));
    for (int i = 0; text[i] && i < 40; i++) use_column(&choice, (unsigned char)text[i]);
  }
  rtop_file_format_parse(text, &format);
  demand(rtop_file_format_name(format)[0] != '\0' && rtop_file_endings()[0] != '\0');
  rtop_file_kind(text, &kind);
  rtop_file_is_recording(text);
  rtop_file_kind_parse(text, &kind);
  rtop_file_format_shows_difference(format);
  theme_name_parse(text, &theme);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 2 || size > 8192) return 0;
  char *text = malloc(size);
  memcpy(text, data + 1, size - 1);
  text[size - 1] = '\0';
  switch (data[0] % 8) {
  case 0: command_line(text, size); break;
  case 1: expression(text); break;
  case 2: patterns(text, size - 1); break;
  case 3: labels(text, size - 1); break;
  case 4: names(text, size - 1); break;
  case 5: figures(text, size - 1); break;
  case 6: words(text); break;
  default: {
    struct escape escape = { 0 };
    for (size_t i = 0; i + 1 < size; i++) {
      int row, column;
      if (escape_take(&escape, (unsigned char)text[i]) == ESCAPE_DONE && escape_position(&escape, &row, &column))
        demand(row > 0 && column > 0);
    }
  } break;
  }
  free(text);
  return 0;
}
