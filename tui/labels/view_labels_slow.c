/* SPDX-License-Identifier: MIT */
/* The slowest blocks of the label under the cursor, below the table: what each block did, and where. */
#include "view_labels.h"

#include "tui/methods/slow_words.h"
#include "tui/stalls/slow_look.h"
#include "tui/term/draw.h"
#include "tui/text/text.h"
#include "tui/text/time_text.h"

enum { TABLE_LEAST = 4, EACH = 2, BEHIND_ROWS = 3, TEXT = 1024 };

static const struct labels_view *labels_view(const struct ui *ui)
{
  return ui->data[VIEW_LABELS];
}

static const struct label_row *row_here(const struct ui *ui)
{
  return labels_view_row(ui, labels_view(ui)->pager.cursor);
}

/* Did the work of the row wait for others by its own exact figures? Pairs may have found no room, or be unknown to an older
 * process. */
static bool waited(const struct label_row *row)
{
  const struct work_time *of = row->work ? row->work->of : NULL;
  return of && of[RTOP_WORK_GVL].sum_ns + of[RTOP_WORK_GC_OTHERS].sum_ns + of[RTOP_WORK_LOCK].sum_ns > 0;
}

/* Whom it waits behind, the longest waits first: a mean of a block where some ended. */
static void behind_text(const struct ui *ui, const struct label_row *row, char *text, size_t bytes)
{
  const struct rtop_symbols *symbols = rtop_profile_symbols(ui->profile);
  struct behind_rows behind;
  char words[DRAW_SENTENCE_BYTES - 48];
  uint64_t ended = row->work ? row->work->ended : 0;
  label_row_behind(&labels_view(ui)->table, row, symbols, &behind);
  behind_words(words, sizeof words, &behind, symbols, ended);
  snprintf(text, bytes, "waits behind%s: %s", ended ? ", mean of a block" : "",
           behind.count  ? words
           : waited(row) ? "not known"
                         : "nobody");
}

/* Rows that this sentence takes, as draw_sentence() wraps it from the second column on. */
static int behind_rows_shown(const struct ui *ui, const struct label_row *row, int columns)
{
  char text[DRAW_SENTENCE_BYTES];
  if (labels_view(ui)->table.behind.count == 0) return 0;
  behind_text(ui, row, text, sizeof text);
  return draw_sentence_rows(text, columns - 3, BEHIND_ROWS);
}

/* A heading, whom it waits behind, and two rows for each; at most half, and a few rows of the table stay. */
int labels_slow_rows(const struct ui *ui)
{
  const struct labels_view *view = labels_view(ui);
  const struct label_row *row = row_here(ui);
  bool asked = view->open || (ui->stalls.limits.request_ns > 0 && !view->closed);
  int room = ui->layout.part[PART_TABLE].rows, most = room - 1 - TABLE_LEAST;
  if (!asked || ui->layout.tiny || row == NULL || !view->table.counted || most < 1) return 0;
  int wanted = 1 + behind_rows_shown(ui, row, ui->layout.part[PART_TABLE].columns) + EACH * (int)row->block_count,
      half = room * 3 / 5;
  if (most > half) most = half;
  return wanted < most ? wanted : most;
}

static void heading_text(const struct ui *ui, const struct label_row *row, char *text, size_t bytes)
{
  const struct label_table *table = &labels_view(ui)->table;
  struct phrase phrase = { text, bytes, 0 };
  uint64_t left_out;
  char slower[24];
  bool known = label_row_left_out(table, row, &left_out);
  phrase_add(&phrase, "SLOW  %s: ", label_row_value(row));
  if (ui->stalls.limits.request_ns == 0) {
    bool ended = row->work && row->work->ended;
    if (row->block_count == 0 && ended) phrase_add(&phrase, "none was among the slowest of its 100 ms");
    else if (row->block_count == 0) phrase_add(&phrase, "no block of it has ended in this span");
    else phrase_add(&phrase, "the slowest %zu, newest first", row->block_count);
    return;
  }
  draw_time(slower, sizeof slower, (uint64_t)ui->stalls.limits.request_ns);
  phrase_add(&phrase, "%zu took %s or longer", row->block_count, slower);
  if (!known) phrase_add(&phrase, "; perhaps more, which found no room");
  else if (left_out > 0) phrase_add(&phrase, ", %llu more are not listed", (unsigned long long)left_out);
}

static void draw_block(struct ui *ui, const struct slow_row *slow, struct rect at)
{
  struct labels_view *view = ui->data[VIEW_LABELS];
  const struct rtop_symbols *symbols = rtop_profile_symbols(ui->profile);
  char when[16], total[24], causes[TEXT];
  struct slow_look look;
  time_text_clock(when, sizeof when, slow->call.end_ns + ui->source.clock_offset_ns, true);
  draw_time(total, sizeof total, slow->call.total_ns);
  slow_causes_words(causes, sizeof causes, &slow->call);
  draw_format(at.y, at.x, at.columns, FACE_NORMAL, "  %s %7s  %s  %s", when, total, causes,
              slow->thread[0] ? slow->thread : "");
  if (at.rows < EACH || !slow_look(&look, ui->profile, &view->ways, slow->source, &slow->call)) return;
  slow_where_words(causes, sizeof causes, &look, &slow->call, symbols);
  draw_format(at.y + 1, at.x, at.columns, FACE_NORMAL, "      %s", causes);
}

void labels_draw_slow(struct ui *ui, struct rect below)
{
  const struct label_table *table = &labels_view(ui)->table;
  const struct label_row *row = row_here(ui);
  char text[TEXT];
  heading_text(ui, row, text, sizeof text);
  draw_text(below.y, below.x, below.columns, FACE_LABEL, text);
  int y = 1;
  int rows = behind_rows_shown(ui, row, below.columns);
  if (rows > below.rows - y) rows = below.rows - y;
  if (rows > 0) {
    behind_text(ui, row, text, DRAW_SENTENCE_BYTES);
    draw_sentence(below.y + y, below.x + 1, rows, below.columns - 1, FACE_NORMAL, text);
    y += rows;
  }
  for (size_t i = row->block_count; i-- > 0 && y < below.rows; y += EACH)
    draw_block(ui, label_row_block(table, row, i),
               (struct rect){ below.y + y, below.x, below.rows - y, below.columns });
}
