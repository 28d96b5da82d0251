/* SPDX-License-Identifier: MIT */
/* rperf-top: parses the command line and runs the requested action. */
#include "tui/app/app.h"
#include "tui/cli/batch.h"
#include "tui/cli/list_print.h"
#include "tui/cli/options.h"

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sets the locale. If the environment names a UTF-8 locale that is not installed here (ssh passes LANG along), sets
 * C.UTF-8, which always exists: without UTF-8 the width of wide and accented characters would be wrong. */
static void main_locale(void)
{
  static const char *const variables[] = { "LC_ALL", "LC_CTYPE", "LANG" };
  const char *wish = NULL;
  for (size_t i = 0; i < 3 && !(wish && *wish); i++) wish = getenv(variables[i]);
  if (setlocale(LC_CTYPE, "") || !wish) return;
  if (strcasestr(wish, "utf-8") || strcasestr(wish, "utf8")) setlocale(LC_CTYPE, "C.UTF-8");
}

/* Without a screen: prints one plain snapshot, or the list of processes when no target was given. */
static int main_without_screen(const struct rtop_options *options, const char *reason)
{
  if (options->action == RTOP_ACTION_CHOOSE) return rtop_list_print(stdout);
  struct rtop_options plain = *options;
  plain.batch = true;
  plain.last_only = options->action == RTOP_ACTION_REPLAY && options->refreshes == 0;
  if (plain.refreshes == 0) plain.refreshes = 1;
  return rtop_batch_run(&plain, reason);
}

static int main_screen(const struct rtop_options *options)
{
  const char *reason = NULL;
  if (!options->dump_screen && !rtop_app_screen_possible(&reason))
    return main_without_screen(options, reason ? reason : "no screen");
  int status = rtop_app_run(options);
  if (status == RTOP_APP_NO_SCREEN) return main_without_screen(options, "this terminal cannot show a screen");
  return status;
}

int main(int argc, char **argv)
{
  struct rtop_options options;
  main_locale();
  int status = rtop_options_parse(&options, argc, argv);
  if (status >= 0) return status;
  if (options.action == RTOP_ACTION_LIST) return rtop_list_print(stdout);
  if (options.stream) return rtop_stream_run(&options);
  if (options.output) return rtop_export_run(&options);
  if (options.metrics) return rtop_metrics_run(&options);
  if (options.push) return rtop_push_run(&options);
  if (options.stat) return rtop_stat_run(&options);
  if ((options.whole || options.sites) && !options.stat) return rtop_whole_run(&options);
  return options.batch ? rtop_batch_run(&options, NULL) : main_screen(&options);
}
