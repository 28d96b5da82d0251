/* SPDX-License-Identifier: MIT */
/* Progress of reading a long recording, on a terminal. */
#include "batch_progress.h"

#include "batch_watch.h"
#include "shm/base/clock.h"
#include "tui/text/text.h"
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const int64_t progress_first_ns = 300000000, progress_step_ns = 100000000;
enum { PROGRESS_BAR_MAX = 40, PROGRESS_BAR_MIN = 5 };

void batch_progress_show(struct batch_progress *progress, double share, int64_t now_ns)
{
  char bar[PROGRESS_BAR_MAX + 1], what[256];
  if (!progress->out || now_ns - progress->started_ns < progress_first_ns ||
      (progress->drawn_ns && now_ns - progress->drawn_ns < progress_step_ns))
    return;
  share = share < 0 ? 0 : share > 1 ? 1 : share;
  int room = progress->columns - 9; /* brackets, spaces, per cent */
  int width = rtop_text_cut_left(what, sizeof what, progress->what, room > 60 ? room - PROGRESS_BAR_MAX : room / 2);
  int columns = room - width;
  columns = columns > PROGRESS_BAR_MAX ? PROGRESS_BAR_MAX : columns;
  int filled = (int)(share * columns);
  for (int i = 0; i < columns; i++) bar[i] = i < filled ? '#' : '.';
  bar[columns > 0 ? columns : 0] = '\0';
  if (columns >= PROGRESS_BAR_MIN) fprintf(progress->out, "\r%s [%s] %3d%%", what, bar, (int)(share * 100));
  else fprintf(progress->out, "\r%3d%%", (int)(share * 100));
  fflush(progress->out);
  progress->drawn_ns = now_ns;
}

static void progress_take(void *context, double share)
{
  batch_progress_show(context, share, clock_now_ns());
}

void batch_progress_start(struct batch_progress *progress, struct rtop_session *session, const char *what, bool reports)
{
  struct winsize size = { 0 };
  *progress = (struct batch_progress){ .what = what, .columns = 80, .started_ns = clock_now_ns() };
  if (rtop_session_state(session) != RTOP_FEED_REPLAY || !isatty(STDERR_FILENO) || (reports && isatty(STDOUT_FILENO)))
    return;
  progress->out = stderr;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) progress->columns = size.ws_col;
  rtop_session_tell_progress(session, progress_take, progress);
}

void batch_progress_end(struct batch_progress *progress, struct rtop_session *session)
{
  rtop_session_tell_progress(session, NULL, NULL);
  if (progress->out && progress->drawn_ns) fprintf(progress->out, "\r%*s\r", progress->columns - 1, "");
  progress->out = NULL;
}
