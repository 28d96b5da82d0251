#include "app_baseline.h"
#include "tui/cli/options.h"
#include "tui/feed/session.h"

struct rtop_session *app_baseline_open(const struct rtop_options *options, struct rtop_error *error)
{
  if (options->action != RTOP_ACTION_REPLAY || options->replay_count < 2) return NULL;
  const char *path = options->replays[options->replay_count - 2];
  struct rtop_session *session = rtop_session_open_replay(path, error);
  while (session != NULL && rtop_session_poll(session) > 0) {
  }
  return session;
}
