/* SPDX-License-Identifier: MIT */
/* Makes what is sent of a process. */
#include "push.h"

#include "push_otlp.h"
#include "tui/export/export.h"
#include "tui/methods/methods.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Escapes a label value for the name of a profile, where commas and braces are separators, and then for a query. */
static void item_tag(FILE *out, const char *key, const char *value)
{
  fprintf(out, "%%2C%s%%3D", key);
  for (size_t i = 0; i < 100 && value[i]; i++) {
    unsigned char c = (unsigned char)value[i];
    if ((isascii(c) && isalnum(c)) || strchr("._-", c)) putc(c, out);
    else if (strchr("/:@+", c)) fprintf(out, "%%%02X", c);
    else putc('_', out);
  }
}

/* name=NAME{pid=…,host=…}&from=…&until=… */
static char *item_query(const struct push_process *process, int64_t start_ns, int64_t end_ns)
{
  char *text = NULL;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  if (!out) return NULL;
  fputs("name=", out);
  for (const char *at = process->name; *at; at++) fprintf(out, *at == '/' ? "%%%02X" : "%c", (unsigned char)*at);
  fprintf(out, "%%7Bpid%%3D%d", (int)process->pid);
  item_tag(out, "host", process->host);
  item_tag(out, "command", process->command);
  fprintf(out, "%%7D&from=%lld&until=%lld&spyName=rperf-top", (long long)(start_ns / 1000000000),
          (long long)(end_ns / 1000000000));
  if (fclose(out) == 0) return text;
  free(text);
  return NULL;
}

static bool item_pprof(const struct push_process *process, struct rtop_profile *profile, const struct rtop_sum *sum,
                       bool gzip, FILE *out)
{
  const struct rtop_methods_options options = { .mode = RTOP_MODE_WALL, .sort = RTOP_SORT_SELF };
  pid_t pids[RTOP_SOURCES_MAX];
  for (int i = 0; i < RTOP_SOURCES_MAX; i++) pids[i] = process->pid;
  const struct rtop_export export = {
    .profile = profile,
    .sum = sum,
    .options = &options,
    .labelled = true,
    .clock_offset_ns = process->clock_offset_ns,
    .command = process->command,
    .ruby = process->ruby,
    .pids = pids,
    .pid_count = process->pid ? RTOP_SOURCES_MAX : 0,
  };
  return rtop_export_write(&export, (struct rtop_file_kind){ RTOP_FILE_PPROF, gzip }, out);
}

static bool item_otlp(const struct push_process *process, struct rtop_profile *profile, const struct rtop_sum *sum,
                      FILE *out)
{
  char *text = NULL;
  size_t bytes;
  FILE *plain = open_memstream(&text, &bytes), *packed = export_gzip_open(out);
  bool fine = plain && packed && item_pprof(process, profile, sum, false, plain);
  if (plain && fclose(plain) != 0) fine = false;
  fine = fine && push_otlp_write(process, (const uint8_t *)text, bytes, packed);
  if (packed && fclose(packed) != 0) fine = false;
  free(text);
  return fine;
}

struct push_item *push_item_make(enum push_kind kind, const struct push_process *process, struct rtop_profile *profile,
                                 const struct rtop_sum *sum)
{
  struct push_item *item = calloc(1, sizeof *item);
  char *body = NULL;
  FILE *out = item ? open_memstream(&body, &item->bytes) : NULL;
  bool fine = out != NULL;
  if (fine) {
    item->start_ns = sum->span.start_ns + process->clock_offset_ns;
    item->end_ns = sum->span.end_ns + process->clock_offset_ns;
    item->query = kind == PUSH_PYROSCOPE ? item_query(process, item->start_ns, item->end_ns) : strdup("");
    fine = item->query && (kind == PUSH_PYROSCOPE ? item_pprof(process, profile, sum, true, out)
                                                  : item_otlp(process, profile, sum, out));
  }
  if (out && fclose(out) != 0) fine = false;
  if (item) item->body = (unsigned char *)body;
  if (fine) return item;
  push_item_free(item);
  return NULL;
}
