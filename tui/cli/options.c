/* SPDX-License-Identifier: MIT */
/* Parses the command line: each option (options.def), then the combination. */
#include "options_impl.h"

#include "shm/base/version.h"
#include "tui/metrics/metrics_top.h"
#include "tui/push/push.h"
#include "tui/recording/recording_write.h"
#include "tui/text/output_status.h"
#include <ctype.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

/* Minimum percentage of the frame at which a text report lists a method. */
static const double options_batch_min = 0.1;

static const struct option long_options[] = {
#define OPTION(id, letter, name, argument, ...) { name, argument##_argument, NULL, OPTION_LONG + RTOP_OPTION_##id },
#include "options.def"
  { NULL, 0, NULL, 0 },
};

/* Returns the letters for getopt_long(), which is to stop at the first other word (+) and to report
   missing arguments (:). */
static const char *options_letters(void)
{
  static char letters[2 * RTOP_OPTIONS + 3] = "+:";
  size_t used = 2;
  for (enum rtop_option option = RTOP_OPTION_NONE + 1; option < RTOP_OPTIONS; option++) {
    if (!option_rows[option].letter) continue;
    letters[used++] = option_rows[option].letter;
    if (option_rows[option].argument == required_argument) letters[used++] = ':';
  }
  return letters;
}

/* Is the next word another number for -p? `-p $(pgrep ruby)` gives each number a word of its own. */
static bool options_pid_follows(enum rtop_option option, int argc, char **argv)
{
  const char *word = optind < argc ? argv[optind] : "";
  return option == RTOP_OPTION_PID && strcmp(argv[optind - 1], "--") != 0 && *word &&
         strspn(word, "0123456789, \t\n") == strlen(word);
}

/* Is the next word a target: numbers, a recording or, if it is the only target, the name of a process? */
static bool options_is_target(const struct rtop_options *options, int argc, char **argv)
{
  const char *word = optind < argc ? argv[optind] : "", *ending = strrchr(word, '.');
  bool alone = optind + 1 == argc || (optind < argc && argv[optind + 1][0] == '-');
  if (!*word || (optind > 1 && strcmp(argv[optind - 1], "--") == 0)) return false;
  if (strspn(word, "0123456789,") == strlen(word) || rtop_file_is_recording(word)) return true;
  if (options->pid_count || options->replay_count || !alone || (ending && strcmp(ending, ".rb") == 0)) return false;
  return isalpha((unsigned char)*word) && !strchr(word, '/') && access(word, F_OK) != 0;
}

static int options_target(struct rtop_options *options, const char *word)
{
  return rtop_file_is_recording(word) ? options_replay(options, word) : options_pids(options, word);
}

static const enum rtop_option options_of_settings[RTOP_SETTINGS] = {
#define SETTING(id, name, help, option) RTOP_OPTION_##option,
#include "settings.def"
};

bool rtop_setting_is_option(enum rtop_setting setting)
{
  return options_of_settings[setting] != RTOP_OPTION_NONE;
}

static void options_note(struct rtop_options *options, enum rtop_option option)
{
  if (option == RTOP_OPTION_NONE) return; /* a target */
  options->has[option] = true;
  for (int setting = 0; setting < RTOP_SETTINGS; setting++)
    if (options_of_settings[setting] == option) options->given |= 1u << setting;
}

static int options_unknown(int got, char **argv)
{
  const char *text = argv[optind - 1];
  if (got == ':' && option_of(optopt) == RTOP_OPTION_PID)
    return options_usage("option %s needs a process number or a name (was none found?)", text);
  if (got == ':') return options_usage("option %s needs a value", text);
  if (optopt && optopt < OPTION_LONG) return options_usage("unknown option -%c", optopt);
  return options_usage("unknown option, or unexpected value: %s", text);
}

static int options_rest(struct rtop_options *options, int argc, char **argv)
{
  bool dashes = optind > 1 && strcmp(argv[optind - 1], "--") == 0;
  if (optind == argc) return dashes ? options_usage("-- needs a command after it") : -1;
  if (!dashes) return options_usage("unexpected argument '%s' (put a command to start after --)", argv[optind]);
  options->command = argv + optind;
  options->action = RTOP_ACTION_RUN;
  return -1;
}

static int options_done(const struct rtop_options *options)
{
  if (options->action == RTOP_ACTION_ENV) return rtop_env_print(options->env, stdout);
  if (options->action == RTOP_ACTION_HELP) options_help_write(false, stdout);
  else if (options->action == RTOP_ACTION_HELP_ALL) options_help_write(true, stdout);
  else if (options->action == RTOP_ACTION_VERSION) puts("rperf-top " RPERF_TOP_VERSION);
  else if (options->action == RTOP_ACTION_LIST_COLUMNS) columns_list(stdout);
  else if (options->action == RTOP_ACTION_LIST_KEYS) keys_write_list(stdout);
  else if (options->action == RTOP_ACTION_LIST_OPTIONS) options_list_write(stdout);
  else return -1;
  return rtop_output_status(stdout);
}

/* Returns the default of -m: busy time for output to people, all wall time for output to programs. */
static enum rtop_mode options_usual_mode(const struct rtop_options *options)
{
  bool page = options->output && !options->records && options->output_kind.format == RTOP_FILE_HTML;
  bool file = (options->output && !page) || options->stat || (options->batch && options->json);
  return file ? RTOP_MODE_WALL : RTOP_MODE_BUSY;
}

/* Reads all words up to a command, or up to the first that is neither an option nor a target. */
static int options_read(struct rtop_options *options, int argc, char **argv)
{
  enum rtop_option last = RTOP_OPTION_NONE;
  int status = -1;
  while (status < 0) {
    int got = getopt_long(argc, argv, options_letters(), long_options, NULL);
    enum rtop_option option = got == -1 ? RTOP_OPTION_NONE : option_of(got);
    bool pid = got == -1 && options_pid_follows(last, argc, argv);
    if (got == -1 && !pid && !options_is_target(options, argc, argv)) break;
    if (got == '?' || got == ':') return options_unknown(got, argv);
    last = got == -1 ? last : option;
    status = got != -1 ? options_take(options, option, optarg)
             : pid     ? options_pids(options, argv[optind++])
                       : options_target(options, argv[optind++]);
    bool all = option == RTOP_OPTION_HELP && optind < argc && strcmp(argv[optind], "all") == 0;
    options->action = all ? RTOP_ACTION_HELP_ALL : options->action;
    options_note(options, option);
    if (status < 0) status = options_done(options);
  }
  return status;
}

int rtop_options_parse(struct rtop_options *options, int argc, char **argv)
{
  *options = (struct rtop_options){
    .action = RTOP_ACTION_CHOOSE,
    .delay_seconds = 1,
    .frame_seconds = 1,
    .methods = { .sort = RTOP_SORT_SELF, .min_percent = -1 },
    .stall = STALL_LIMITS_USUAL,
    .metrics_top = METRICS_TOP_USUAL,
    .push_name = "ruby",
    .interval_seconds = PUSH_INTERVAL_USUAL,
  };
  opterr = 0;
  optind = 0; /* resets getopt, since tests parse more than once */
  int status = options_read(options, argc, argv);
  if (status < 0) status = options_rest(options, argc, argv);
  if (status < 0) status = options_check(options);
  if (!(options->given & RTOP_GIVEN_MODE)) options->methods.mode = options_usual_mode(options);
  if (options->methods.min_percent < 0)
    options->methods.min_percent = options->batch && !options->json ? options_batch_min : 0;
  return status;
}
