#include "app_baseline.h"
#include "options.h"
#include "session.h"

struct rtop_session *app_baseline_open(const struct rtop_options *options, struct rtop_error *error)
{
  if (options->action != RTOP_ACTION_REPLAY || options->replay_count < 2) {
    return NULL;
  }
  struct rtop_session *session = rtop_session_open_replay(options->replays[options->replay_count - 2], error);
  while (session != NULL && rtop_session_poll(session) > 0) {
  }
  return session;
}
