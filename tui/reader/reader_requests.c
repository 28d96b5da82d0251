/* SPDX-License-Identifier: MIT */
/* Labelled work of a sum: latencies, slow requests, and whom they wait behind. */
#include "reader_sum.h"

#include "tui/methods/slow_words.h"
#include "tui/text/reserve.h"
#include <stdlib.h>

enum { REQUEST_TEXT = 2048, REQUESTS_LOOKED_AT = 256 };

static_assert((int)RPERF_TOP_CAUSES == (int)RTOP_WORK_CAUSES && (int)RPERF_TOP_CAUSE_IO == (int)RTOP_WORK_IO &&
                  (int)RPERF_TOP_CAUSE_OTHER == (int)RTOP_WORK_OTHER &&
                  (int)RTOP_WORK_CAUSES <= (int)RPERF_TOP_CAUSES_ROOM,
              "causes are copied by number");
static_assert((int)RPERF_TOP_BEHIND_LOCK == (int)RTOP_PAIR_LOCK &&
                  (int)RPERF_TOP_BEHIND_HANDOVER + 1 == (int)RTOP_PAIR_CAUSES,
              "causes of waits are copied by number");

static struct rperf_top_latency latency_of(const struct work_time *time)
{
  return (struct rperf_top_latency){
    .count = time->some,
    .sum_ns = time->sum_ns,
    .max_ns = time->longest_ns,
    .p50_ns = time->known ? time->p50_ns : 0,
    .p90_ns = time->known ? time->p90_ns : 0,
    .p99_ns = time->known ? time->p99_ns : 0,
    .known = time->known || !time->some, /* of a cause that never occurred, all are 0 */
  };
}

static bool add_behind(struct rperf_top_sum *to, const struct sum_work *work, const struct rperf_top_label *label,
                       const struct behind_row *row)
{
  const char *place = row->place ? rtop_symbols_get(work->symbols, row->place)->label : "";
  if (!rtop_reserve(&to->behind, &to->behind_capacity, to->behind_count + 1, sizeof *to->behind)) return false;
  struct rperf_top_behind *behind = &to->behind[to->behind_count++];
  *behind = (struct rperf_top_behind){
    .key = label->key,
    .value = label->value,
    .holder = sum_text(to, row->holder),
    .method = sum_text(to, place),
    .cause = row->cause,
    .count = row->count,
    .wait_ns = row->wait_ns,
  };
  return behind->holder && behind->method;
}

bool sum_copy_latency(struct rperf_top_sum *to, const struct sum_work *work, const struct label_row *row,
                      struct rperf_top_label *label)
{
  struct rperf_top_latency *latency = &to->latencies[(size_t)(label - to->labels) * RPERF_TOP_CAUSES];
  struct behind_rows behind;
  to->timed = work->labels.counted;
  if (!work->labels.counted) return true;
  if (row->work) {
    label->ended = row->work->ended;
    label->open = row->work->open;
    label->oldest_ns = row->work->oldest_ns;
    for (int cause = 0; cause < RPERF_TOP_CAUSES; cause++) latency[cause] = latency_of(&row->work->of[cause]);
  }
  label_row_behind(&work->labels, row, work->symbols, &behind);
  for (size_t i = 0; i < behind.count; i++)
    if (!add_behind(to, work, label, &behind.rows[i])) return false;
  return true;
}

static const char *frame_text(struct rperf_top_sum *to, const struct sum_work *work, uint32_t frame)
{
  return sum_text(to, frame ? rtop_symbols_get(work->symbols, frame)->label : "");
}

static bool tell_holder(struct rperf_top_sum *to, const struct sum_work *work, const struct slow_holder *holder,
                        const char **thread, const char **method)
{
  bool seen = holder->seen_ns > 0;
  *thread = sum_text(to, seen && holder->thread ? holder->thread : "");
  *method = frame_text(to, work, seen ? holder->frame : 0);
  return *thread && *method;
}

static bool add_request(struct rperf_top_sum *to, const struct sum_work *work, struct off_ways *ways,
                        const struct slow_row *row, bool looks)
{
  const struct rtop_feed_info *info = rtop_session_info(work->reader->session, (int)row->source);
  const struct rtop_slow_call *call = &row->call;
  struct rperf_top_request *request = &to->requests[to->request_count++];
  struct slow_look look = { 0 };
  char labels[REQUEST_TEXT];
  if (looks && !slow_look(&look, work->profile, ways, row->source, call)) return false;
  bool seen = look.node && look.seen_ns;
  slow_label_words(labels, sizeof labels, call, work->symbols);
  *request = (struct rperf_top_request){
    .labels = sum_text(to, labels),
    .thread = sum_text(to, row->thread ? row->thread : ""),
    .method = frame_text(to, work, seen ? look.frame : 0),
    .start_ns = call->end_ns - (int64_t)call->total_ns,
    .end_ns = call->end_ns,
    .serial = call->serial,
    .pid = info ? info->pid : 0,
    .native_id = row->native_id,
    .cause = (uint32_t)slow_largest(call),
    .took_ns = { [RPERF_TOP_CAUSE_WHOLE] = call->total_ns },
    .share = seen ? (double)look.there_ns / (double)look.seen_ns : 0,
  };
  for (int cause = RPERF_TOP_CAUSE_RUNNING; cause < RPERF_TOP_CAUSES; cause++)
    request->took_ns[cause] = call->work_ns[cause];
  return request->labels && request->thread && request->method &&
         tell_holder(to, work, &look.gvl, &request->gvl_thread, &request->gvl_method) &&
         tell_holder(to, work, &look.lock, &request->lock_thread, &request->lock_method);
}

bool sum_copy_requests(struct rperf_top_sum *to, const struct sum_work *work)
{
  const struct slow_list *list = &work->labels.blocks;
  struct off_ways ways = { 0 };
  bool fine = true;
  if (!work->labels.counted || !list->count) return true;
  to->requests = calloc(list->count, sizeof *to->requests);
  fine = to->requests;
  for (size_t i = 0; i < list->count && fine; i++)
    fine = add_request(to, work, &ways, &list->rows[i], list->count - i <= REQUESTS_LOOKED_AT);
  off_ways_destroy(&ways);
  return fine;
}

const struct rperf_top_latency *rperf_top_sum_latency(const struct rperf_top_sum *sum, size_t label, uint32_t cause)
{
  bool there = sum->timed && label < sum->label_count && cause < RPERF_TOP_CAUSES;
  const struct rperf_top_latency *latency = there ? &sum->latencies[label * RPERF_TOP_CAUSES] : NULL;
  return latency && latency->count ? latency + cause : NULL;
}

size_t rperf_top_sum_request_count(const struct rperf_top_sum *sum)
{
  return sum->request_count;
}

const struct rperf_top_request *rperf_top_sum_request(const struct rperf_top_sum *sum, size_t index)
{
  return index < sum->request_count ? &sum->requests[index] : NULL;
}

size_t rperf_top_sum_behind_count(const struct rperf_top_sum *sum)
{
  return sum->behind_count;
}

const struct rperf_top_behind *rperf_top_sum_behind(const struct rperf_top_sum *sum, size_t index)
{
  return index < sum->behind_count ? &sum->behind[index] : NULL;
}

const char *rperf_top_cause_name(uint32_t cause)
{
  if (cause == RPERF_TOP_CAUSE_WHOLE) return "whole";
  return cause < RPERF_TOP_CAUSES ? work_cause_name((enum rtop_work_cause)cause) : "";
}
