/* SPDX-License-Identifier: MIT */
/* Saves the last data of processes that die. */
#include "death_action.h"

#include "options.h"
#include "shm/base/clock.h"
#include "shm/base/error.h"
#include "tui/export/export.h"
#include "tui/report/report.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { DEATH_TRIES = 100, DEATH_TITLE_COLUMNS = 200 };
static const int64_t death_span_ns = DEATH_SECONDS * INT64_C(1000000000), death_judged_ns = INT64_C(5000000000);
static const int64_t death_calm_ns = INT64_C(400000000); /* delay (ns) after the end of a process, since
                                                            its cause becomes known a little later */

void death_action_open(struct death_action *action, const struct rtop_options *options)
{
  *action = (struct death_action){ .folder = options->save_on_death };
}

static bool death_is_one(const struct rtop_feed_end *end)
{
  static const char *const causes[] = { "signal", "memory", "vanished" };
  for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++)
    if (strcmp(end->cause, causes[i]) == 0) return true;
  return false;
}

/* Returns the end of the process's last window; 0: the profile holds none of its data. */
static int64_t death_instant(const struct rtop_session *session, int place)
{
  struct rtop_profile *profile = rtop_session_profile((struct rtop_session *)session);
  struct rtop_span last = rtop_profile_last_alone(profile, (uint32_t)place, 1);
  return last.end_ns > last.start_ns ? last.end_ns : 0;
}

/* Makes the verdict on the process's last seconds. */
static void death_verdict(struct rtop_session *session, int place, int64_t end_ns, struct verdict_words *words)
{
  struct rtop_profile *profile = rtop_session_profile(session);
  struct verdict_maker maker = { 0 };
  struct rtop_sum sum = { 0 };
  struct verdict verdict;
  words->text[0] = '\0';
  if (rtop_profile_sum(profile, (struct rtop_span){ end_ns - death_judged_ns, end_ns }, &sum)) {
    rtop_profile_open_blame(profile, &sum);
    rtop_profile_alone(profile, (uint32_t)place, &sum);
    const struct verdict_say say = { .symbols = rtop_profile_symbols(profile), .process = "", .stall_process = "" };
    if (verdict_make(&maker, &sum, profile, (uint32_t)place, NULL, &verdict) && verdict.kind != VERDICT_NONE)
      verdict_words(words, &verdict, &say, DEATH_TITLE_COLUMNS);
  }
  verdict_maker_destroy(&maker);
  rtop_sum_destroy(&sum);
}

/* Makes a random name for a file that is being written; it gets its final name when it is complete. */
static bool death_name_for_now(const struct death_action *action, const char *ending, char *path, size_t bytes)
{
  uint64_t random;
  if (getrandom(&random, sizeof random, 0) != sizeof random) return false;
  errno = ENAMETOOLONG;
  return (size_t)snprintf(path, bytes, "%s/.death-%016llx.%s", action->folder, (unsigned long long)random, ending) <
         bytes;
}

/* Renames a file unless the new name exists: a link replaces no file, nor does such a rename, where there
   are no links. */
static bool death_give_name(const char *from, const char *to)
{
  if (link(from, to) == 0) return unlink(from) == 0;
  return errno != EEXIST && syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0;
}

/* Gives the file its final name, with a number after it if the name exists. `path` becomes the final name. */
static bool death_keep(const struct death_action *action, const char *name, const char *ending, char *path,
                       size_t bytes)
{
  char final[PATH_MAX];
  for (int i = 1; i <= DEATH_TRIES; i++) {
    char number[16] = "";
    if (i > 1) snprintf(number, sizeof number, "-%d", i);
    if ((size_t)snprintf(final, sizeof final, "%s/%s%s.%s", action->folder, name, number, ending) >= sizeof final) {
      errno = ENAMETOOLONG;
      return false;
    }
    if (death_give_name(path, final)) return (size_t)snprintf(path, bytes, "%s", final) < bytes;
    if (errno != EEXIST) return false;
  }
  return false;
}

static bool death_save_page(struct rtop_session *session, struct rtop_span span, const char *title, const char *path)
{
  struct rtop_methods_options methods = { 0 };
  struct rtop_report report = { 0 };
  bool fine = rtop_report_take_span(&report, session, &methods, span);
  if (fine) {
    const struct rtop_export export = {
      .profile = rtop_session_profile(session),
      .sum = &report.sum,
      .options = &methods,
      .clock_offset_ns = report.clock_offset_ns,
      .command = title,
      .ruby = report.ruby,
      .pids = report.source_pids,
      .pid_count = report.source_count,
    };
    fine = rtop_export_save(&export, path);
  } else errno = ENOMEM;
  int problem = errno;
  rtop_report_destroy(&report);
  errno = problem;
  return fine;
}

static void death_failed(struct death_action *action, const char *path, const char *why)
{
  int problem = errno;
  unlink(path);
  snprintf(action->said, sizeof action->said, "cannot save the last words of a process in %.200s: %.150s",
           action->folder, why ? why : strerror(problem));
}

static bool death_write_page(struct death_action *action, struct rtop_session *session, struct rtop_span span,
                             const char *name, const char *title)
{
  char path[PATH_MAX] = "";
  bool fine = death_name_for_now(action, "html", path, sizeof path) && death_save_page(session, span, title, path) &&
              death_keep(action, name, "html", path, sizeof path);
  if (fine) snprintf(action->said, sizeof action->said, "%.200s: saved %.280s", title, path);
  else death_failed(action, path, NULL);
  return fine;
}

static bool death_write_recording(struct death_action *action, struct rtop_session *session, struct rtop_span span,
                                  const char *name)
{
  char path[PATH_MAX] = "";
  struct rtop_error error = { 0 };
  bool fine = death_name_for_now(action, "rpt", path, sizeof path) &&
              rtop_session_save_span(session, span, path, &error) && death_keep(action, name, "rpt", path, sizeof path);
  if (!fine) death_failed(action, path, error.text[0] ? error.text : NULL);
  return fine;
}

static void death_save(struct death_action *action, struct rtop_session *session, int place,
                       const struct rtop_feed_end *end)
{
  static struct verdict_words words; /* large */
  char name[128], stamp[32] = "", title[1024];
  const struct rtop_feed_info *info = rtop_session_info(session, place);
  int64_t end_ns = death_instant(session, place);
  struct tm parts;
  if (end_ns == 0 || action->saved >= DEATH_FILES_MAX) return;
  time_t seconds = (time_t)((end_ns + rtop_session_clock_offset_ns(session)) / 1000000000);
  if (localtime_r(&seconds, &parts)) strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &parts);
  snprintf(name, sizeof name, "death-%d-%s-%s", (int)info->pid, stamp, end->cause);
  death_verdict(session, place, end_ns, &words);
  snprintf(title, sizeof title, "%d %.200s: %.64s%s%.600s", (int)info->pid, info->command, end->text,
           words.text[0] ? "; before that: " : "", words.text);
  struct rtop_span bounds = rtop_profile_bounds(rtop_session_profile(session));
  struct rtop_span span = { end_ns - death_span_ns, end_ns };
  if (span.start_ns < bounds.start_ns) span.start_ns = bounds.start_ns;
  action->saved++; /* counted whether or not saving succeeds, so that files on the disk are bounded */
  if (death_write_recording(action, session, span, name)) death_write_page(action, session, span, name, title);
}

/* Saves the data of a process if it has died. True: they were saved. */
static bool death_look(struct death_action *action, struct rtop_session *session, int place, bool at_once)
{
  struct death_seen *seen = &action->seen[place];
  enum rtop_feed_state state = rtop_session_feed_state(session, place);
  bool lives = state == RTOP_FEED_LIVE || state == RTOP_FEED_STALLED;
  struct rtop_feed_end end;
  if (seen->opened != rtop_session_opened(session, place))
    *seen = (struct death_seen){ .opened = rtop_session_opened(session, place) };
  seen->lived = seen->lived || lives;
  if (lives || seen->done || !seen->lived || state == RTOP_FEED_REPLAY) return false;
  int64_t now_ns = clock_now_ns();
  if (seen->over_since_ns == 0) seen->over_since_ns = now_ns;
  if (!at_once && now_ns - seen->over_since_ns < death_calm_ns) return false;
  seen->done = true;
  if (!rtop_session_feed_end(session, place, &end) || !death_is_one(&end) || rtop_session_feed_replaced(session, place))
    return false;
  death_save(action, session, place, &end);
  return true;
}

static void death_look_all(struct death_action *action, struct rtop_session *session, bool at_once)
{
  for (int i = 0; action->folder && session && i < rtop_session_count(session); i++)
    if (death_look(action, session, i, at_once) && !at_once)
      return; /* the screen must not wait; the other
                                                                        deaths are handled at the next poll */
}

void death_action_poll(struct death_action *action, struct rtop_session *session)
{
  death_look_all(action, session, false);
}

void death_action_close(struct death_action *action, struct rtop_session *session)
{
  death_look_all(action, session, true);
  memset(action->seen, 0, sizeof action->seen); /* another session counts from one again */
}
