/* Saves a span of a profile as a recording. */
#include "recording_impl.h"

#include <errno.h>

static void span_window(void *context, uint32_t source, const struct rtop_window *window, const uint32_t *nodes,
                        size_t node_count)
{
  recorder_add_window(context, source, window, nodes, node_count);
}

static void span_gap(void *context, uint32_t source, int64_t start_ns, int64_t end_ns)
{
  recorder_add_gap(context, source, start_ns, end_ns);
}

static void span_mark(void *context, uint32_t source, int64_t time_ns, const char *name, size_t name_bytes)
{
  recorder_add_mark(context, source, time_ns, name, name_bytes);
}

bool rtop_recording_save_span(struct rtop_profile *profile, struct rtop_span span,
                              const struct rtop_feed_info *const *infos, uint32_t count, const char *path,
                              struct rtop_error *error)
{
  struct rtop_recorder *recorder = recorder_open(path, profile, 0, error);
  if (!recorder) return false;
  for (uint32_t source = 0; source < count; source++) rtop_recorder_source(recorder, source, infos[source]);
  struct rtop_profile_tap to = { .context = recorder, .window = span_window, .gap = span_gap, .mark = span_mark };
  if (!rtop_profile_replay(profile, span, &to)) recorder_fail(recorder, ENOMEM);
  return rtop_recorder_close(&recorder, error);
}
