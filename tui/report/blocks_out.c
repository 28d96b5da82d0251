/* SPDX-License-Identifier: MIT */
/* Writes slow blocks. */
#include "blocks_out.h"

#include "json_values.h"
#include "json.h"
#include "slow_out.h"
#include "tui/methods/slow_words.h"
#include "tui/text/text.h"
#include "tui/text/time_text.h"
#include <string.h>

enum { BLOCKS_TEXT = 512, BLOCKS_LINE = 1536, BLOCKS_ROWS = 20, BLOCKS_LOOKED_AT = 256 };

/* Returns the number of blocks left out. A block with several labels counts in each of their rows, so the largest
   number of any key is the right one. */
static bool blocks_left_out(const struct label_table *table, uint64_t *most)
{
  bool known = true;
  *most = 0;
  for (int key = 0; key < table->key_count; key++) {
    uint64_t sum = 0, count;
    for (size_t i = 0; i < table->count; i++) {
      const struct label_row *row = table->rows[i];
      bool other = strncmp(row->name, table->keys[key].name, row->key_bytes) != 0 ||
                   table->keys[key].name[row->key_bytes] != '\0';
      if (other || !row->work) continue;
      known = label_row_left_out(table, row, &count) && known;
      sum += count;
    }
    if (sum > *most) *most = sum;
  }
  return known;
}

static void blocks_text_row(const struct rtop_report *report, struct off_ways *ways, const struct slow_row *row,
                            FILE *out, int columns)
{
  char line[BLOCKS_LINE], cut[BLOCKS_LINE], when[16], total[24], label[BLOCKS_TEXT], causes[BLOCKS_TEXT];
  const struct rtop_slow_call *call = &row->call;
  struct slow_look look;
  int64_t real_ns = call->end_ns + report->clock_offset_ns;
  time_text_clock(when, sizeof when, real_ns, false);
  rtop_text_duration(total, sizeof total, (int64_t)call->total_ns);
  slow_label_words(label, sizeof label, call, report->symbols);
  slow_causes_words(causes, sizeof causes, call);
  snprintf(line, sizeof line, "%s.%03d%10s  %s  [%s]  %s", when, (int)(real_ns / 1000000 % 1000), total, label,
           row->thread[0] ? row->thread : "-", causes);
  rtop_text_cut(cut, sizeof cut, line, columns > 40 ? columns - 4 : 36);
  fprintf(out, "    %s\n", cut);
  if (!slow_look(&look, report->profile, ways, row->source, call)) return;
  slow_where_words(line, sizeof line, &look, call, report->symbols);
  rtop_text_cut(cut, sizeof cut, line, columns > 40 ? columns - 6 : 34);
  fprintf(out, "      %s\n", cut);
}

void blocks_write_text(const struct rtop_report *report, FILE *out, int columns)
{
  const struct slow_list *list = &report->labels.blocks;
  struct off_ways ways = { 0 };
  char slower[24], calls[16];
  uint64_t left_out = 0;
  if (!report->slower_requests_ns) return;
  if (!rtop_symbols_labelled(report->symbols)) fprintf(out, "No request is known: no work has labels\n");
  if (!report->labels.counted) return;
  bool known = blocks_left_out(&report->labels, &left_out);
  rtop_text_duration(slower, sizeof slower, (int64_t)report->slower_requests_ns);
  rtop_text_count(calls, sizeof calls, (double)(list->count + left_out));
  fprintf(out, "Requests that took %s or longer: %s%s", slower, known ? "" : "at least ", calls);
  if (left_out) fprintf(out, ", %llu are not listed", (unsigned long long)left_out);
  size_t skip = list->count > BLOCKS_ROWS ? list->count - BLOCKS_ROWS : 0;
  if (skip) fprintf(out, ", the last %d", BLOCKS_ROWS);
  putc('\n', out);
  if (list->count) fprintf(out, "    %-12s%10s  %s\n", "ended", "total", "labels  [thread]  causes");
  for (size_t i = skip; i < list->count; i++) blocks_text_row(report, &ways, &list->rows[i], out, columns);
  off_ways_destroy(&ways);
}

/* ---- JSON ----------------------------------------------------------------------------------------------- */

static json_t *blocks_name(const struct rtop_report *report, uint32_t frame)
{
  return frame ? json_text(rtop_symbols_get(report->symbols, frame)->label) : json_null();
}

static json_t *blocks_share(uint64_t there_ns, uint64_t seen_ns)
{
  return json_real(seen_ns ? (double)there_ns / (double)seen_ns : 0);
}

static json_t *blocks_where(const struct rtop_report *report, const struct slow_look *look)
{
  if (!look->node) return json_null();
  json_t *object = json_object();
  json_object_set_new(object, "cause", json_text(work_cause_name(look->cause)));
  json_object_set_new(object, "name", blocks_name(report, look->frame));
  json_object_set_new(object, "share", blocks_share(look->there_ns, look->seen_ns));
  json_object_set_new(object, "stack", rtop_json_stack(report, look->node));
  return object;
}

static json_t *blocks_holder(const struct rtop_report *report, const struct slow_holder *holder)
{
  if (!holder->seen_ns) return json_null();
  json_t *object = json_object();
  json_object_set_new(object, "thread", json_integer((json_int_t)(holder->serial & INT64_MAX)));
  json_object_set_new(object, "thread_name", json_text(holder->thread));
  json_object_set_new(object, "name", blocks_name(report, holder->frame));
  json_object_set_new(object, "share", blocks_share(holder->there_ns, holder->seen_ns));
  json_object_set_new(object, "labels",
                      slow_labels(report, rtop_symbols_get_node(report->symbols, holder->node)->labels));
  return object;
}

static json_t *blocks_row(const struct rtop_report *report, struct off_ways *ways, const struct slow_row *row,
                          bool looks)
{
  const struct rtop_slow_call *call = &row->call;
  struct slow_look look = { .gvl.thread = "", .lock.thread = "" };
  json_t *object = json_object(), *causes = json_object();
  char label[BLOCKS_TEXT];
  if (looks && !slow_look(&look, report->profile, ways, row->source, call)) look.node = 0;
  slow_label_words(label, sizeof label, call, report->symbols);
  slow_json_about(report, row, object);
  json_object_set_new(object, "native_id", row->native_id ? json_integer(row->native_id) : json_null());
  json_object_set_new(object, "label", json_text(label));
  json_object_set_new(object, "labels", slow_labels(report, row->labels));
  for (enum rtop_work_cause cause = RTOP_WORK_RUNNING; cause < RTOP_WORK_CAUSES; cause++)
    json_object_set_new(causes, work_cause_name(cause), json_seconds(call->work_ns[cause]));
  json_object_set_new(object, "causes", causes);
  json_object_set_new(object, "where", blocks_where(report, &look));
  json_object_set_new(object, "gvl_holder", blocks_holder(report, &look.gvl));
  json_object_set_new(object, "lock_holder", blocks_holder(report, &look.lock));
  return object;
}

void blocks_json(json_t *object, const struct rtop_report *report)
{
  const struct slow_list *list = &report->labels.blocks;
  struct off_ways ways = { 0 };
  uint64_t left_out = 0, slower_ns = report->slower_requests_ns;
  if (!report->labels.counted || (!list->count && !slower_ns)) return;
  bool known = blocks_left_out(&report->labels, &left_out);
  json_t *slow = json_object(), *requests = json_array();
  json_object_set_new(slow, "slower", slower_ns ? json_seconds(slower_ns) : json_null());
  json_object_set_new(slow, "left_out",
                      slower_ns && known ? json_integer((json_int_t)(left_out & INT64_MAX)) : json_null());
  for (size_t i = 0; i < list->count; i++) {
    bool looks = list->count - i <= BLOCKS_LOOKED_AT;
    json_array_append_new(requests, blocks_row(report, &ways, &list->rows[i], looks));
  }
  json_object_set_new(slow, "requests", requests);
  json_object_set_new(object, "slow_requests", slow);
  off_ways_destroy(&ways);
}
