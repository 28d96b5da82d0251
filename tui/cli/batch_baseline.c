#include "batch_baseline.h"

#include "options_session.h"
#include "shm/base/error.h"
#include <stdio.h>

bool batch_baseline_open(const struct rtop_options *options, struct rtop_session **session)
{
  struct rtop_options before = *options;
  struct rtop_error error = { 0 };
  int status;
  *session = NULL;
  if (options->replay_count < 2) return true;
  before.replay_count--;
  *session = rtop_session_open(&before, &status, &error);
  if (!*session) fprintf(stderr, "rperf-top: %s\n", error.text);
  while (*session && rtop_session_poll(*session) > 0)
    ;
  return *session != NULL;
}
