/* SPDX-License-Identifier: MIT */
/* Says what threads waited for. */
#include "wait_words.h"

#include "tui/text/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAIT_TOLD = 3, WAIT_LEAST_PARTS = 20 };

const char wait_heading[] = "    WAIT THREADS  LONGEST  WAITED FOR, BEHIND WHAT";

static const struct {
  const char *name, *key, *group;
} wait_names[RTOP_WAIT_KINDS] = {
  [RTOP_WAITS_UNKNOWN] = { "not known", "unknown", "not known" },
  [RTOP_WAITS_MUTEX] = { "Mutex", "mutex", "locks" },
  [RTOP_WAITS_MONITOR] = { "Monitor", "monitor", "locks" },
  [RTOP_WAITS_QUEUE] = { "Queue", "queue", "queues" },
  [RTOP_WAITS_SIZED_ROOM] = { "SizedQueue", "sized_queue", "queues" },
  [RTOP_WAITS_CONDITION] = { "condition", "condition", "conditions" },
  [RTOP_WAITS_IO] = { "I/O", "io", "I/O" },
  [RTOP_WAITS_SLEEP] = { "sleep", "sleep", "sleep" },
  [RTOP_WAITS_THREAD] = { "thread", "thread", "threads" },
  [RTOP_WAITS_CHILD] = { "child process", "child", "child processes" },
  [RTOP_WAITS_OTHER] = { "other", "other", "other" },
};

const char *wait_kind_name(enum rtop_wait_kind kind)
{
  return kind < RTOP_WAIT_KINDS ? wait_names[kind].name : "";
}

const char *wait_kind_key(enum rtop_wait_kind kind)
{
  return kind < RTOP_WAIT_KINDS ? wait_names[kind].key : "";
}

struct wait_group {
  const char *name;
  uint64_t ns;
};

static int wait_compare_groups(const void *left, const void *right)
{
  const struct wait_group *a = left, *b = right;
  return a->ns != b->ns ? (a->ns > b->ns ? -1 : 1) : strcmp(a->name, b->name);
}

/* Groups kinds that have the same name. */
static size_t wait_groups(const struct wait_sums *sums, struct wait_group groups[RTOP_WAIT_KINDS])
{
  size_t count = 0;
  for (int kind = 0; kind < RTOP_WAIT_KINDS; kind++) {
    bool same = count && strcmp(groups[count - 1].name, wait_names[kind].group) == 0;
    if (!same) groups[count++] = (struct wait_group){ .name = wait_names[kind].group };
    groups[count - 1].ns += sums->kind_ns[kind];
  }
  qsort(groups, count, sizeof *groups, wait_compare_groups);
  return count;
}

static int wait_percent(const struct wait_sums *sums, uint64_t ns)
{
  return sums->all_ns ? (int)(100 * (double)ns / (double)sums->all_ns + 0.5) : 0;
}

void wait_kinds_words(char *out, size_t bytes, const struct wait_sums *sums)
{
  struct wait_group groups[RTOP_WAIT_KINDS];
  struct phrase text = { out, bytes, 0 };
  size_t count = wait_groups(sums, groups);
  out[0] = '\0';
  if (!sums->blocked_ns) return;
  phrase_add(&text, "blocked %d%% of thread time", wait_percent(sums, sums->blocked_ns));
  for (size_t i = 0; i < count && wait_percent(sums, groups[i].ns) > 0; i++)
    phrase_add(&text, "%s %s %d%%", i ? "," : ":", groups[i].name, wait_percent(sums, groups[i].ns));
}

/* Writes a name such as "Bank#enter"; with file and line if many frames have this name: "block
   in <main> (bank.rb:7)". */
static void wait_add_name(struct phrase *text, const struct rtop_symbols *symbols, uint32_t frame)
{
  const struct rtop_symbol *symbol = rtop_symbols_get(symbols, frame);
  const char *slash = strrchr(symbol->path, '/');
  bool common = symbol->label[0] == '<' || strncmp(symbol->label, "block ", strlen("block ")) == 0;
  phrase_add(text, "%s", symbol->label);
  if (common && rtop_symbol_has_source(symbol) && symbol->line)
    phrase_add(text, " (%s:%u)", slash ? slash + 1 : symbol->path, symbol->line);
}

static void wait_row_line(struct wait_line *line, const struct rtop_symbols *symbols, const struct wait_row *row)
{
  char wait[24], longest[24] = "-";
  rtop_text_duration(wait, sizeof wait, (int64_t)row->wait_ns);
  if (row->longest_ns) rtop_text_duration(longest, sizeof longest, (int64_t)row->longest_ns);
  *line = (struct wait_line){ .row = row };
  struct phrase text = { line->text, sizeof line->text, 0 };
  phrase_add(&text, "%8s %7u %8s  %s", wait, row->threads, longest, wait_kind_name(row->kind));
  if (!row->place) return;
  phrase_add(&text, " in ");
  wait_add_name(&text, symbols, row->place);
}

static void wait_behind_line(struct wait_line *line, const struct rtop_symbols *symbols, const struct wait_row *row,
                             const struct wait_behind *behind)
{
  char wait[24];
  rtop_text_duration(wait, sizeof wait, (int64_t)behind->wait_ns);
  *line = (struct wait_line){ .row = row, .behind = true };
  struct phrase text = { line->text, sizeof line->text, 0 };
  phrase_add(&text, "%8s %7s %8s    ", wait, "", "");
  phrase_add(&text, behind->frame || behind->known ? "behind " : "holder not known");
  if (behind->frame) wait_add_name(&text, symbols, behind->frame);
  if (behind->took) phrase_add(&text, " < ");
  if (behind->took) wait_add_name(&text, symbols, behind->took);
  if (!behind->known) return;
  if (behind->frame) phrase_add(&text, ", ");
  if (behind->thread.name[0]) phrase_add(&text, "%s", behind->thread.name);
  else phrase_add(&text, "thread %u", behind->thread.native_id);
}

static void wait_rest_line(struct wait_line *line, const struct wait_row *row, uint64_t rest_ns, size_t count)
{
  char wait[24];
  rtop_text_duration(wait, sizeof wait, (int64_t)rest_ns);
  *line = (struct wait_line){ .row = row, .behind = true };
  snprintf(line->text, sizeof line->text, "%8s %7s %8s    behind %zu other%s", wait, "", "", count,
           count == 1 ? "" : "s");
}

/* Of one row; returns how many. */
static size_t wait_row_lines(const struct wait_sums *sums, const struct rtop_symbols *symbols,
                             const struct wait_row *row, struct wait_line lines[WAIT_TOLD + 2])
{
  const struct wait_behind *behind = wait_row_behind(sums, row);
  uint64_t rest_ns = 0;
  size_t count = 1, told = 0;
  wait_row_line(&lines[0], symbols, row);
  for (size_t i = 0; i < row->behind_count; i++) {
    bool shown = told < WAIT_TOLD && behind[i].wait_ns * WAIT_LEAST_PARTS >= row->wait_ns;
    rest_ns += shown ? 0 : behind[i].wait_ns;
    told += shown;
    if (shown) wait_behind_line(&lines[count++], symbols, row, &behind[i]);
  }
  if (rest_ns) wait_rest_line(&lines[count++], row, rest_ns, row->behind_count - told);
  return count;
}

size_t wait_lines(const struct wait_sums *sums, const struct rtop_symbols *symbols, uint64_t least_ns,
                  struct wait_line *lines, size_t most)
{
  size_t count = 0;
  for (size_t i = 0; i < sums->count; i++) {
    struct wait_line of_row[WAIT_TOLD + 2];
    const struct wait_row *row = &sums->rows[i];
    if (row->wait_ns < least_ns) continue;
    size_t rows = wait_row_lines(sums, symbols, row, of_row), room = most - count;
    if (rows > room && count > 0) return count;
    rows = rows < room ? rows : room;
    for (size_t at = 0; at < rows; at++) lines[count++] = of_row[at];
  }
  return count;
}
