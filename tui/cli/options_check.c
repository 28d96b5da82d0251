/* SPDX-License-Identifier: MIT */
/* Checks the combination of options: those that each needs and excludes (options.def), and rules for more than two. */
#include "options_impl.h"

#include "tui/export/export.h"
#include "tui/feed/session.h"
#include <assert.h>
#include <string.h>

/* The conditions in options.def on which options depend. */
enum option_need {
  NEED_NOTHING,
#define CONDITION(id, ...) NEED_##id,
#include "options.def"
};

/* Determines the format and destination of -o. */
static int options_check_output(struct rtop_options *options)
{
  const char *output = options->output;
  if (options->stat) {
    options->stat_output = output;
    options->output = NULL;
    options->has[RTOP_OPTION_OUTPUT] = false;
    return -1;
  }
  if (!output || options->format || rtop_file_kind(output, &options->output_kind)) return -1;
  options->records = rtop_file_is_recording(output);
  if (options->records) return -1;
  if (rtop_export_file_is_stdout(output))
    return options_usage("-o %s needs --format: %s", output, rtop_file_format_names());
  return options_usage("-o writes files that end in .rpt, or, also with .gz, %s, or what --format says:"
                       " '%s' does not",
                       rtop_file_endings(), output);
}

/* Targets are processes, recordings or a command to start, but only one of these kinds. */
static int options_check_targets(const struct rtop_options *options)
{
  bool live = options->pid_count || options->name_count;
  if (options->command && live) return options_usage("-p and a command cannot be combined");
  if (options->replay_count && (options->command || live))
    return options_usage("-r cannot be combined with -p or a command");
  for (int i = 0; i + 1 < options->replay_count; i++)
    if (strcmp(options->replays[i], "-") == 0)
      return options_usage("standard input cannot be what is compared with: -r - is the last");
  return -1;
}

static int options_check_comparison(const struct rtop_options *options)
{
  enum rtop_file_format format = options->output_kind.format;
  if (!options->output || options->replay_count < 2) return -1;
  if (options->records || !rtop_file_format_shows_difference(format))
    return options_usage("two recordings can be compared in .txt, .collapsed, .csv and .svg, not '%s'",
                         options->format ? options->format : options->output);
  if (options->view == VIEW_LABELS && format == RTOP_FILE_CSV)
    return options_usage("labels of two recordings cannot be compared");
  return -1;
}

static int options_exclude_each_other(const struct rtop_options *options, enum rtop_option option, const char *others)
{
  for (size_t bytes; *others; others += bytes + strspn(others + bytes, " ")) {
    bytes = strcspn(others, " ");
    enum rtop_option other = option_find(others, bytes);
    if (options->has[option] && options->has[other])
      return options_usage("%s and %s cannot be combined", option_rows[option].said, option_rows[other].said);
  }
  return -1;
}

/* Checks the rules of options.def, in their order. */
static int options_check_rules(const struct rtop_options *options)
{
  const struct rtop_options *const o = options; /* as options.def calls it */
  static const struct {
    enum rtop_option option;
    const char *others;
    enum option_need need;
  } rules[] = {
#define EXCLUDES(id, options) { RTOP_OPTION_##id, options, NEED_NOTHING },
#define NEEDS(id, condition) { RTOP_OPTION_##id, "", NEED_##condition },
#include "options.def"
  };
  const struct {
    const char *text;
    bool holds;
  } needs[] = {
    [NEED_NOTHING] = { "", true },
#define CONDITION(id, text, holds) [NEED_##id] = { text, holds },
#include "options.def"
  };
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
    enum rtop_option option = rules[i].option;
    int status = options_exclude_each_other(options, option, rules[i].others);
    if (status >= 0) return status;
    if (options->has[option] && !needs[rules[i].need].holds)
      return options_usage("%s needs %s", option_rows[option].said, needs[rules[i].need].text);
  }
  return -1;
}

/* Checks --max-size, which drops old windows of a full recording. With -F, a recording is written at once at the end of
 * the frame, so there are none to drop. */
static int options_check_size(const struct rtop_options *options)
{
  if (!options->size_max_bytes || !(options->given & RTOP_GIVEN_FRAME) || options->frame_seconds <= 0) return -1;
  return options_usage("--max-size and -F cannot be combined: a span is saved at its end");
}

static int options_check_slower(const struct rtop_options *options)
{
  if (!options->slower_us || options->trace_count || !(options->output || options->batch || options->stat)) return -1;
  return options_usage("--slower is of methods that are traced: --trace METHOD");
}

/* Checks --trace-all and --allocations, which take their duration from -t. */
static int options_check_moment(struct rtop_options *options)
{
  static_assert((int)RTOP_SITES_SECONDS == (int)RTOP_WHOLE_SECONDS, "one default");
  static_assert((int)RTOP_SITES_SECONDS_MAX == (int)RTOP_WHOLE_SECONDS_MAX, "one limit");
  const char *name = options->whole ? "--trace-all" : "--allocations";
  options->whole_seconds = options->time_seconds > 0 ? options->time_seconds : RTOP_WHOLE_SECONDS;
  if (!options->whole && !options->sites) return -1;
  if (options->stream || options->metrics || options->push)
    return options_usage("%s tells of its own, or goes with -o or --stat", name);
  bool exports = options->whole && options->output && !options->records;
  if (exports && !rtop_file_format_shows_calls(options->output_kind.format))
    return options_usage("--trace-all: counts of calls have no place in a file like '%s'", options->output);
  if ((exports || !options->output) && !options->stat && options->whole_seconds > RTOP_WHOLE_SECONDS_MAX)
    return options_usage("%s takes at most %d s", name, RTOP_WHOLE_SECONDS_MAX);
  return -1;
}

/* Determines the kind of server for --push. Labels are always sent with the stacks. */
static int options_check_push(struct rtop_options *options)
{
  if (!options->push) return -1;
  if (!options->push_kind) options->push_kind = push_url_kind(options->push);
  if (!options->push_kind)
    return options_usage("--push: the path of the URL does not tell: add --push-as pyroscope or otlp");
  options->lens.labels = true;
  return -1;
}

/* Checks --state, which selects states that -m must not leave out: without -m the mode becomes wall time. */
static int options_check_state(struct rtop_options *options)
{
  const unsigned off = 1U << RTOP_STATE_WAITING | 1U << RTOP_STATE_BLOCKED;
  const struct rtop_lens_look *lens = &options->lens;
  bool none = lens->states && !(lens->states & ~off) && options->methods.mode == RTOP_MODE_BUSY;
  if (!lens->states) return -1;
  if (!(options->given & RTOP_GIVEN_MODE)) options->methods.mode = RTOP_MODE_WALL;
  else if (none) return options_usage("-m busy leaves out waiting and blocked: with this --state nothing is left");
  options->given |= RTOP_GIVEN_MODE;
  return -1;
}

int options_check(struct rtop_options *options)
{
  int status = options_check_output(options);
  if (status < 0) status = options_check_targets(options);
  if (status < 0) status = options_check_rules(options);
  if (status < 0) status = options_check_size(options);
  if (status < 0) status = options_check_comparison(options);
  if (status < 0) status = options_check_slower(options);
  if (status < 0) status = options_check_moment(options);
  if (status < 0) status = options_check_push(options);
  return status < 0 ? options_check_state(options) : status;
}
