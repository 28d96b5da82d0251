/* SPDX-License-Identifier: MIT */
/* The command line, read option by option and then as a whole. */
#include "options.h"

#include "options_help.h"
#include "shm/base/version.h"
#include "shm/channel/control.h"
#include "tui/export/export.h"
#include "tui/feed/session.h"
#include "tui/metrics/metrics_serve.h"
#include "tui/metrics/metrics_top.h"
#include "tui/push/push.h"
#include "tui/recording/recording_write.h"
#include "tui/text/output_status.h"
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  OPTION_HZ = 256,
  OPTION_FILTER,
  OPTION_THREAD,
  OPTION_MIN,
  OPTION_MAX_SIZE,
  OPTION_DUMP_SCREEN,
  OPTION_VIEW,
  OPTION_STAT,
  OPTION_EXCLUDE,
  OPTION_ONLY_MINE,
  OPTION_NO_C,
  OPTION_MERGE,
  OPTION_LABEL,
  OPTION_STATE,
  OPTION_LABEL_ROOT,
  OPTION_LABEL_LEAF,
  OPTION_THEME,
  OPTION_NO_HEADER,
  OPTION_NO_FOOTER,
  OPTION_CONFIG,
  OPTION_COLUMNS,
  OPTION_LIST_COLUMNS,
  OPTION_LIST_KEYS,
  OPTION_ENV,
  OPTION_ON_STALL,
  OPTION_SAVE_ON_STALL,
  OPTION_INJECT,
  OPTION_YES,
  OPTION_NO_FOLLOW,
  OPTION_BY_PROCESS,
  OPTION_STREAM,
  OPTION_METRICS,
  OPTION_METRICS_TOP,
  OPTION_PUSH,
  OPTION_PUSH_AS,
  OPTION_PUSH_NAME,
  OPTION_PUSH_HEADERS,
  OPTION_INTERVAL,
  OPTION_TRACE,
  OPTION_SLOWER,
  OPTION_TRACE_ALL,
  OPTION_ALLOCATIONS,
  OPTION_FORMAT,
  OPTION_STALL, /* + enum stall_cause */
};

static const char push_name_usual[] = "ruby";

/* Percent of the frame below which a text report leaves methods out. */
static const double options_batch_min = 0.1;

static const char short_options[] = "+:p:r:lo:t:bJn:d:F:m:s:MUC:hV";
static const struct option long_options[] = {
  { "pid", required_argument, NULL, 'p' },
  { "replay", required_argument, NULL, 'r' },
  { "inject", no_argument, NULL, OPTION_INJECT },
  { "no-follow", no_argument, NULL, OPTION_NO_FOLLOW },
  { "yes", no_argument, NULL, OPTION_YES },
  { "by-process", no_argument, NULL, OPTION_BY_PROCESS },
  { "list", no_argument, NULL, 'l' },
  { "output", required_argument, NULL, 'o' },
  { "format", required_argument, NULL, OPTION_FORMAT },
  { "time", required_argument, NULL, 't' },
  { "batch", no_argument, NULL, 'b' },
  { "json", no_argument, NULL, 'J' },
  { "count", required_argument, NULL, 'n' },
  { "delay", required_argument, NULL, 'd' },
  { "frame", required_argument, NULL, 'F' },
  { "mode", required_argument, NULL, 'm' },
  { "sort", required_argument, NULL, 's' },
  { "stat", no_argument, NULL, OPTION_STAT },
  { "stream", no_argument, NULL, OPTION_STREAM },
  { "hz", required_argument, NULL, OPTION_HZ },
  { "filter", required_argument, NULL, OPTION_FILTER },
  { "thread", required_argument, NULL, OPTION_THREAD },
  { "min", required_argument, NULL, OPTION_MIN },
  { "max-size", required_argument, NULL, OPTION_MAX_SIZE },
  { "exclude", required_argument, NULL, OPTION_EXCLUDE },
  { "only-mine", no_argument, NULL, OPTION_ONLY_MINE },
  { "no-c", no_argument, NULL, OPTION_NO_C },
  { "merge", required_argument, NULL, OPTION_MERGE },
  { "label", required_argument, NULL, OPTION_LABEL },
  { "state", required_argument, NULL, OPTION_STATE },
  { "label-root", required_argument, NULL, OPTION_LABEL_ROOT },
  { "label-leaf", required_argument, NULL, OPTION_LABEL_LEAF },
  { "theme", required_argument, NULL, OPTION_THEME },
  { "no-header", no_argument, NULL, OPTION_NO_HEADER },
  { "no-footer", no_argument, NULL, OPTION_NO_FOOTER },
  { "mouse", no_argument, NULL, 'M' },
  { "config", required_argument, NULL, OPTION_CONFIG },
  { "stall-blocked", required_argument, NULL, OPTION_STALL + STALL_BLOCKED },
  { "stall-no-safepoint", required_argument, NULL, OPTION_STALL + STALL_NO_SAFEPOINT },
  { "stall-waiting", required_argument, NULL, OPTION_STALL + STALL_WAITING },
  { "stall-gc", required_argument, NULL, OPTION_STALL + STALL_GC },
  { "stall-method", required_argument, NULL, OPTION_STALL + STALL_METHOD },
  { "stall-stopped", required_argument, NULL, OPTION_STALL + STALL_STOPPED },
  { "stall-many-waits", required_argument, NULL, OPTION_STALL + STALL_MANY_WAITS },
  { "on-stall", required_argument, NULL, OPTION_ON_STALL },
  { "metrics", required_argument, NULL, OPTION_METRICS },
  { "trace", required_argument, NULL, OPTION_TRACE },
  { "slower", required_argument, NULL, OPTION_SLOWER },
  { "trace-all", optional_argument, NULL, OPTION_TRACE_ALL },
  { "allocations", optional_argument, NULL, OPTION_ALLOCATIONS },
  { "metrics-top", required_argument, NULL, OPTION_METRICS_TOP },
  { "push", required_argument, NULL, OPTION_PUSH },
  { "push-as", required_argument, NULL, OPTION_PUSH_AS },
  { "push-name", required_argument, NULL, OPTION_PUSH_NAME },
  { "push-headers", required_argument, NULL, OPTION_PUSH_HEADERS },
  { "interval", required_argument, NULL, OPTION_INTERVAL },
  { "save-on-stall", required_argument, NULL, OPTION_SAVE_ON_STALL },
  { "columns", required_argument, NULL, OPTION_COLUMNS },
  { "list-columns", no_argument, NULL, OPTION_LIST_COLUMNS },
  { "list-keys", no_argument, NULL, OPTION_LIST_KEYS },
  { "env", optional_argument, NULL, OPTION_ENV },
  { "view", required_argument, NULL, OPTION_VIEW },
  { "dump-screen", required_argument, NULL, OPTION_DUMP_SCREEN },
  { "ascii", no_argument, NULL, 'U' },
  { "color", required_argument, NULL, 'C' },
  { "help", no_argument, NULL, 'h' },
  { "version", no_argument, NULL, 'V' },
  { NULL, 0, NULL, 0 },
};

/* Prints one line on stderr; returns the exit status of wrong usage. */
static int __attribute__((format(printf, 1, 2))) options_usage(const char *format, ...)
{
  va_list arguments;
  fputs("rperf-top: ", stderr);
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputs(". Try 'rperf-top --help'\n", stderr);
  return 2;
}

/* A plain decimal number within bounds. */
static bool options_number(const char *text, double least, double most, double *number)
{
  char *end;
  errno = 0;
  *number = strtod(text, &end);
  /* strtod also takes nan, inf and hexadecimal; none of them is a length of time. */
  if (end == text || *end || errno || strspn(text, "0123456789.+-eE") != strlen(text)) return false;
  return *number >= least && *number <= most;
}

static int options_seconds(const char *option, const char *text, double least, double *seconds)
{
  if (options_number(text, least, 1e7, seconds)) return -1;
  return options_usage("%s takes seconds, %g or more: '%s' is not", option, least, text);
}

static int options_whole(const char *option, const char *text, long most, long *number)
{
  char *end;
  errno = 0;
  *number = strtol(text, &end, 10);
  if (end != text && !*end && !errno && *number >= 1 && *number <= most) return -1;
  return options_usage("%s takes a whole number from 1 to %ld: '%s' is not", option, most, text);
}

static int options_pid(struct rtop_options *options, pid_t pid)
{
  for (int i = 0; i < options->pid_count; i++)
    if (options->pids[i] == pid) return -1;
  if (options->pid_count == RTOP_PIDS_MAX) return options_usage("-p takes at most %d processes", RTOP_PIDS_MAX);
  options->pids[options->pid_count++] = pid;
  return -1;
}

/* Part of a command line; what it stands for is looked up when it is watched. */
static int options_name(struct rtop_options *options, const char *name)
{
  if (options->name_count == RTOP_NAMES_MAX) return options_usage("-p takes at most %d names", RTOP_NAMES_MAX);
  options->names[options->name_count++] = name;
  options->action = RTOP_ACTION_WATCH;
  return -1;
}

/* Parted by commas, or by what a shell leaves between the lines of pgrep. */
static int options_pids(struct rtop_options *options, const char *text)
{
  static const char blanks[] = " \t\n";
  const char *at = text + strspn(text, blanks);
  if (!*at) return options_usage("-p needs a process number or a name (was none found?)");
  if (isalpha((unsigned char)*at) || *at == '/' || *at == '_') return options_name(options, at);
  do {
    char *end = NULL;
    errno = 0;
    long pid = *at >= '0' && *at <= '9' ? strtol(at, &end, 10) : 0;
    if (errno || pid < 1 || pid > INT32_MAX || (*end && *end != ',' && !strchr(blanks, *end)))
      return options_usage("-p takes process numbers, such as -p 4711,4712: '%s' is not", text);
    int status = options_pid(options, (pid_t)pid);
    if (status >= 0) return status;
    at = end + strspn(end, blanks);
    bool comma = *at == ',';
    at += comma ? 1 + strspn(at + 1, blanks) : 0;
    if (comma && !*at) return options_usage("-p takes process numbers, such as -p 4711,4712: '%s' is not", text);
  } while (*at);
  options->action = RTOP_ACTION_WATCH;
  return -1;
}

/* Another number behind those of -p: `-p $(pgrep ruby)` makes a word of each. */
static bool options_pid_follows(int option, int argc, char **argv)
{
  const char *word = optind < argc ? argv[optind] : "";
  return option == 'p' && strcmp(argv[optind - 1], "--") != 0 && *word &&
         strspn(word, "0123456789, \t\n") == strlen(word);
}

static int options_replay(struct rtop_options *options, const char *text)
{
  if (options->replay_count == RTOP_REPLAYS_MAX)
    return options_usage("-r takes at most %d recordings", RTOP_REPLAYS_MAX);
  options->replays[options->replay_count++] = text;
  options->action = RTOP_ACTION_REPLAY;
  return -1;
}

/* Is the next word what to watch: numbers, a recording, or, alone, the name of a process? */
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

static int options_metrics(struct rtop_options *options, const char *text)
{
  static const char ending[] = ".prom";
  size_t bytes = strlen(text);
  options->metrics = text;
  options->metrics_file = bytes >= sizeof ending && strcmp(text + bytes - strlen(ending), ending) == 0;
  if (options->metrics_file || metrics_address_is(text)) return -1;
  return options_usage("--metrics takes PORT, ADDRESS:PORT or FILE.prom, not '%s'", text);
}

static int options_push(struct rtop_options *options, const char *text)
{
  const char *problem = push_url_problem(text);
  options->push = text;
  return problem ? options_usage("--push: the URL %s", problem) : -1;
}

static int options_push_as(struct rtop_options *options, const char *text)
{
  if (push_kind_parse(text, &options->push_kind)) return -1;
  return options_usage("--push-as takes pyroscope or otlp: '%s' is neither", text);
}

static int options_push_name(struct rtop_options *options, const char *text)
{
  options->push_name = text;
  if (push_name_is(text)) return -1;
  return options_usage("--push-name takes letters, digits and . _ - /: '%s' has others, or none", text);
}

static int options_interval(struct rtop_options *options, const char *text)
{
  if (options_number(text, PUSH_INTERVAL_MIN, PUSH_INTERVAL_MAX, &options->interval_seconds)) return -1;
  return options_usage("--interval takes seconds, %g to %d: '%s' is not", PUSH_INTERVAL_MIN, PUSH_INTERVAL_MAX, text);
}

/* "100M": a number and, if wanted, k, M or G. */
static int options_max_size(struct rtop_options *options, const char *text)
{
  static const char units[] = "kMG";
  char *end;
  errno = 0;
  unsigned long long number = strtoull(text, &end, 10);
  const char *unit = *end ? strchr(units, *end == 'K' ? 'k' : *end) : NULL;
  int shift = unit ? 10 * (int)(unit - units + 1) : 0;
  bool right =
      *text >= '0' && *text <= '9' && !errno && (!*end || (unit && !end[1])) && number <= UINT64_MAX >> 1 >> shift;
  options->size_max_bytes = right ? (uint64_t)number << shift : 0;
  if (right && options->size_max_bytes >= RTOP_RECORDING_BYTES_MIN) return -1;
  return options_usage("--max-size takes 1M or more, such as 100M or 2G: '%s' is not", text);
}

static int options_frame(struct rtop_options *options, const char *text)
{
  options->frame_seconds = 0;
  return strcmp(text, "all") == 0 ? -1 : options_seconds("-F", text, 0.1, &options->frame_seconds);
}

static int options_mode(struct rtop_options *options, const char *text)
{
  if (rtop_mode_parse(text, &options->methods.mode)) return -1;
  return options_usage("-m takes busy, cpu or wall, not '%s'", text);
}

static int options_sort(struct rtop_options *options, const char *text)
{
  if (rtop_sort_key_parse(text, &options->methods.sort)) return -1;
  char names[256] = "";
  for (int key = 0; key < RTOP_SORT_KEYS; key++) {
    strcat(names, " ");
    strcat(names, rtop_sort_key_name((enum rtop_sort_key)key));
  }
  return options_usage("-s takes one of%s, not '%s'", names, text);
}

static int options_regex(const char *option, const char *text, const char **regex)
{
  const char *problem = rtop_methods_check_regex(text);
  *regex = text;
  return problem ? options_usage("%s '%s': %s", option, text, problem) : -1;
}

static int options_filter(struct rtop_options *options, const char *text)
{
  options->methods.filter_invert = *text == '!';
  return options_regex("--filter", text + (*text == '!'), &options->methods.filter);
}

static int options_hz(struct rtop_options *options, const char *text)
{
  long hz;
  int status = options_whole("--hz", text, RTOP_RATE_HZ_MAX, &hz);
  options->rate_hz = status < 0 ? (uint32_t)hz : options->rate_hz;
  return status;
}

static int options_color(struct rtop_options *options, const char *text)
{
  static const char *const names[] = { "auto", "never", "always" };
  for (int i = 0; i < 3; i++)
    if (strcmp(names[i], text) == 0) {
      options->color = (enum rtop_color)i;
      return -1;
    }
  return options_usage("-C takes auto, always or never, not '%s'", text);
}

static int options_min(struct rtop_options *options, const char *text)
{
  if (options_number(text, 0, 100, &options->methods.min_percent)) return -1;
  return options_usage("--min takes a percentage from 0 to 100: '%s' is not", text);
}

static int options_columns(struct rtop_options *options, const char *text)
{
  const char *problem;
  if (columns_parse(&options->columns, text, &problem)) return -1;
  return options_usage("--columns: %s (--list-columns lists them)", problem);
}

static int options_theme(struct rtop_options *options, const char *text)
{
  if (theme_name_parse(text, &options->theme)) return -1;
  return options_usage("--theme takes default, light, blue or mono, not '%s'", text);
}

static const int options_of_settings[RTOP_SETTINGS] = {
#define SETTING(id, name, help, option) option,
#include "settings.def"
};

bool rtop_setting_is_option(enum rtop_setting setting)
{
  return options_of_settings[setting] != 0;
}

static unsigned options_given(int option)
{
  for (int setting = 0; setting < RTOP_SETTINGS; setting++)
    if (options_of_settings[setting] == option) return 1u << setting;
  return 0;
}

static int options_view(struct rtop_options *options, const char *text)
{
  if (keys_view_parse(text, &options->view)) return -1;
  char names[128] = "";
  for (int view = 0; view < VIEW_DATA_COUNT; view++) {
    strcat(names, " ");
    strcat(names, keys_view_name((enum view_id)view));
  }
  return options_usage("--view takes one of%s, not '%s'", names, text);
}

/* Each adds to those before it. */
static int options_exclude(struct rtop_lens_look *lens, const char *text)
{
  size_t used = strlen(lens->exclude), bytes = sizeof lens->exclude - used;
  const char *problem = rtop_lens_check(text);
  if (problem) return options_usage("--exclude '%s': %s", text, problem);
  if ((size_t)snprintf(lens->exclude + used, bytes, "%s%s", used ? "," : "", text) >= bytes)
    return options_usage("the patterns of --exclude are longer than %zu bytes", sizeof lens->exclude - 1);
  problem = rtop_lens_check(lens->exclude);
  return problem ? options_usage("--exclude: %s", problem) : -1;
}

static int options_merge(struct rtop_lens_look *lens, const char *text)
{
  if (rtop_merge_parse(text, &lens->merge)) return -1;
  return options_usage("--merge takes method, line, class, file, gem or label, not '%s'", text);
}

/* Each narrows down what is left by those before it. */
static int options_label(struct rtop_lens_look *lens, const char *text)
{
  size_t used = strlen(lens->label), bytes = sizeof lens->label - used;
  if (*text == '\0' || *text == '=' || strchr(text, '\n'))
    return options_usage("--label takes KEY=VALUE or KEY: '%s' is neither", text);
  if ((size_t)snprintf(lens->label + used, bytes, "%s%s", used ? "\n" : "", text) >= bytes)
    return options_usage("--label: more than %zu bytes", sizeof lens->label - 1);
  return -1;
}

static int options_state(struct rtop_lens_look *lens, const char *text)
{
  if (rtop_states_parse(text, &lens->states)) return -1;
  return options_usage("--state takes running, waiting, blocked or gc, several with commas: '%s' does not", text);
}

static int options_label_end(const char *option, char *keys, const char *text)
{
  const char *problem = rtop_lens_add_key(keys, text);
  return problem ? options_usage("%s '%s': %s", option, text, problem) : -1;
}

/* Off: such stalls are not looked for. */
static int options_stall(struct stall_limits *limits, enum stall_cause cause, const char *text)
{
  double number = 0;
  bool off = strcmp(text, "off") == 0;
  if (cause == STALL_METHOD) {
    limits->method = !off;
    return off || strcmp(text, "on") == 0 ? -1 : options_usage("--stall-method takes on or off: '%s' is neither", text);
  }
  if (!off && !options_number(text, 0.01, 1e5, &number))
    return options_usage("--stall-%s takes %s, 0.01 or more, or off: '%s' is not", stall_cause_name(cause),
                         cause == STALL_WAITING || cause == STALL_MANY_WAITS ? "a number of threads" : "seconds", text);
  int64_t ns = (int64_t)(number * 1e9);
  switch (cause) {
  case STALL_BLOCKED: limits->blocked_ns = ns; break;
  case STALL_NO_SAFEPOINT: limits->no_safepoint_ns = ns; break;
  case STALL_GC: limits->gc_ns = ns; break;
  case STALL_STOPPED: limits->stopped_ns = ns; break;
  case STALL_MANY_WAITS: limits->many_waits = number; break;
  default: limits->waiting = number;
  }
  return -1;
}

/* How it is spelt is the process's affair. */
static int options_trace(struct rtop_options *options, const char *text)
{
  bool forced;
  if (options->trace_count == RTOP_TRACES_MAX)
    return options_usage("--trace takes at most %d methods", RTOP_TRACES_MAX);
  if (rtop_session_trace_name(text, &forced) == 0)
    return options_usage("--trace takes Class#method or Class.method: '%s' is neither", text);
  options->traces[options->trace_count++] = text;
  return -1;
}

/* "50ms", "1s", "200us"; a number alone is seconds. */
static int options_slower(struct rtop_options *options, const char *text)
{
  static const struct {
    const char *name;
    double us;
  } units[] = { { "us", 1 }, { "ms", 1e3 }, { "s", 1e6 } };
  char number[32];
  double value, us = 1e6;
  size_t bytes = strcspn(text, "mus");
  bool known = text[bytes] == '\0';
  for (size_t i = 0; !known && i < sizeof units / sizeof units[0]; i++)
    if ((known = strcmp(text + bytes, units[i].name) == 0)) us = units[i].us;
  snprintf(number, sizeof number, "%.*s", (int)(bytes < sizeof number ? bytes : sizeof number - 1), text);
  if (!known || bytes >= sizeof number || !options_number(number, 0, 3600e6, &value) || value * us < 1 ||
      value * us > 3600e6)
    return options_usage("--slower takes a time from 1us to an hour, as 50ms, 1s, 0.2 (seconds): '%s' is not", text);
  options->slower_us = (uint32_t)(value * us + 0.5);
  return -1;
}

static int options_trace_all(struct rtop_options *options, const char *text)
{
  static const struct {
    const char *text, *how;
  } known[] = { { "", "r" }, { "ruby", "r" }, { "c", "" }, { "force", "r!" }, { "c,force", "!" }, { "force,c", "!" } };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    if (strcmp(text ? text : "", known[i].text) != 0) continue;
    options->whole = true;
    snprintf(options->whole_how, sizeof options->whole_how, "%s", known[i].how);
    return -1;
  }
  return options_usage("--trace-all takes c, force, or both with a comma: '%s' is neither", text);
}

static int options_allocations(struct rtop_options *options, const char *text)
{
  if (text && strcmp(text, "bytes") != 0)
    return options_usage("--allocations takes bytes, for their order: '%s' is not", text);
  options->sites = true;
  options->sites_by_bytes = text != NULL;
  return -1;
}

/* Its time is that of -t, as far as it goes. */
static int options_check_moment(struct rtop_options *options, bool target)
{
  static_assert((int)RTOP_SITES_SECONDS == (int)RTOP_WHOLE_SECONDS, "one default");
  static_assert((int)RTOP_SITES_SECONDS_MAX == (int)RTOP_WHOLE_SECONDS_MAX, "one limit");
  const char *name = options->whole ? "--trace-all" : "--allocations";
  options->whole_seconds = options->time_seconds > 0 ? options->time_seconds : RTOP_WHOLE_SECONDS;
  if (!options->whole && !options->sites) return -1;
  if (options->whole && options->sites) return options_usage("--trace-all and --allocations cannot be combined");
  if (!target) return options_usage("%s needs -p PID or -- COMMAND", name);
  if (options->stream || options->metrics || options->push)
    return options_usage("%s tells of its own, or goes with -o or --stat", name);
  bool exports = options->whole && options->output && !options->records;
  if (exports && !rtop_file_format_shows_calls(options->output_kind.format))
    return options_usage("--trace-all: counts of calls have no place in a file like '%s'", options->output);
  if ((exports || !options->output) && !options->stat && options->whole_seconds > RTOP_WHOLE_SECONDS_MAX)
    return options_usage("%s takes at most %d s", name, RTOP_WHOLE_SECONDS_MAX);
  return -1;
}

static int options_format(struct rtop_options *options, const char *text)
{
  options->format = text;
  if (rtop_file_kind_parse(text, &options->output_kind)) return -1;
  if (strcmp(text, "rpt") == 0)
    return options_usage("--format: a recording is written to a file that ends in .rpt, or as --stream");
  return options_usage("--format takes %s, also with .gz behind it, not '%s'", rtop_file_format_names(), text);
}

/* In which format is it written, and where? */
static int options_check_output(struct rtop_options *options)
{
  const char *output = options->output;
  if (options->format && (!output || options->stat)) return options_usage("--format needs -o FILE of a profile");
  if (options->stat) {
    options->stat_output = output;
    options->output = NULL;
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

static int options_env(struct rtop_options *options, const char *text)
{
  options->action = RTOP_ACTION_ENV;
  if (rtop_env_kind_parse(text, &options->env)) return -1;
  return options_usage("--env takes shell, docker, systemd or procfile, not '%s'", text);
}

static int options_take(struct rtop_options *options, int option)
{
  switch (option) {
  case 'p': return options_pids(options, optarg);
  case 'r': return options_replay(options, optarg);
  case OPTION_INJECT: options->inject = true; return -1;
  case OPTION_YES: options->yes = true; return -1;
  case OPTION_NO_FOLLOW: options->alone = true; return -1;
  case OPTION_BY_PROCESS: options->lens.processes = true; return -1;
  case 'l': options->action = RTOP_ACTION_LIST; return -1;
  case 'h': options->action = RTOP_ACTION_HELP; return -1;
  case 'V': options->action = RTOP_ACTION_VERSION; return -1;
  case 'o': options->output = optarg; return -1;
  case 'b': options->batch = true; return -1;
  case 'J': options->batch = options->json = true; return -1;
  case 'U': options->ascii = true; return -1;
  case 't': return options_seconds("-t", optarg, 0.001, &options->time_seconds);
  case 'd': return options_seconds("-d", optarg, 0.1, &options->delay_seconds);
  case 'n': return options_whole("-n", optarg, 1000000000, &options->refreshes);
  case 'F': return options_frame(options, optarg);
  case 'm': return options_mode(options, optarg);
  case 's': return options_sort(options, optarg);
  case 'C': return options_color(options, optarg);
  case OPTION_FORMAT: return options_format(options, optarg);
  case OPTION_STAT: options->stat = true; return -1;
  case OPTION_STREAM: options->stream = true; return -1;
  case OPTION_HZ: return options_hz(options, optarg);
  case OPTION_FILTER: return options_filter(options, optarg);
  case OPTION_THREAD: return options_regex("--thread", optarg, &options->methods.thread_filter);
  case OPTION_MAX_SIZE: return options_max_size(options, optarg);
  case OPTION_MIN: return options_min(options, optarg);
  case OPTION_EXCLUDE: return options_exclude(&options->lens, optarg);
  case OPTION_ONLY_MINE: options->lens.only_mine = true; return -1;
  case OPTION_NO_C: options->lens.no_c = true; return -1;
  case OPTION_LABEL: return options_label(&options->lens, optarg);
  case OPTION_STATE: return options_state(&options->lens, optarg);
  case OPTION_LABEL_ROOT: return options_label_end("--label-root", options->lens.label_root, optarg);
  case OPTION_LABEL_LEAF: return options_label_end("--label-leaf", options->lens.label_leaf, optarg);
  case OPTION_MERGE: return options_merge(&options->lens, optarg);
  case OPTION_COLUMNS: return options_columns(options, optarg);
  case OPTION_LIST_COLUMNS: options->action = RTOP_ACTION_LIST_COLUMNS; return -1;
  case OPTION_ENV: return options_env(options, optarg);
  case OPTION_LIST_KEYS: options->action = RTOP_ACTION_LIST_KEYS; return -1;
  case OPTION_THEME: return options_theme(options, optarg);
  case OPTION_NO_HEADER: options->no_header = true; return -1;
  case OPTION_NO_FOOTER: options->no_footer = true; return -1;
  case OPTION_CONFIG: options->config = optarg; return -1;
  case 'M': options->mouse = true; return -1;
  case OPTION_VIEW: return options_view(options, optarg);
  case OPTION_DUMP_SCREEN: options->dump_screen = optarg; return -1;
  case OPTION_ON_STALL: options->on_stall = optarg; return -1;
  case OPTION_METRICS: return options_metrics(options, optarg);
  case OPTION_METRICS_TOP: return options_whole("--metrics-top", optarg, METRICS_TOP_MAX, &options->metrics_top);
  case OPTION_PUSH: return options_push(options, optarg);
  case OPTION_PUSH_AS: return options_push_as(options, optarg);
  case OPTION_PUSH_NAME: return options_push_name(options, optarg);
  case OPTION_PUSH_HEADERS: options->push_headers = optarg; return -1;
  case OPTION_INTERVAL: return options_interval(options, optarg);
  case OPTION_TRACE: return options_trace(options, optarg);
  case OPTION_SLOWER: return options_slower(options, optarg);
  case OPTION_TRACE_ALL: return options_trace_all(options, optarg);
  case OPTION_ALLOCATIONS: return options_allocations(options, optarg);
  case OPTION_SAVE_ON_STALL: options->save_on_stall = optarg; return -1;
  default: break;
  }
  if (option >= OPTION_STALL && option < OPTION_STALL + STALL_MARK)
    return options_stall(&options->stall, (enum stall_cause)(option - OPTION_STALL), optarg);
  return 2;
}

static int options_unknown(int option, char **argv)
{
  const char *text = argv[optind - 1];
  if (option == ':' && (optopt == 'p' || strcmp(text, "--pid") == 0))
    return options_usage("option %s needs a process number or a name (was none found?)", text);
  if (option == ':') return options_usage("option %s needs a value", text);
  if (optopt && optopt < 256) return options_usage("unknown option -%c", optopt);
  return options_usage("unknown option, or unexpected value: %s", text);
}

static int options_check_metrics(const struct rtop_options *options)
{
  if (!options->metrics && options->metrics_top != METRICS_TOP_USUAL)
    return options_usage("--metrics-top needs --metrics");
  if (!options->metrics) return -1;
  if (options->output || options->batch || options->stat)
    return options_usage("--metrics and %s cannot be combined", options->output ? "-o"
                                                                : options->stat ? "--stat"
                                                                                : "-b");
  if (options->action == RTOP_ACTION_WATCH || options->action == RTOP_ACTION_RUN) return -1;
  return options_usage("--metrics needs -p PID, -p NAME, -p all or -- COMMAND");
}

static int options_check_push(struct rtop_options *options)
{
  const char *alone = options->push_kind                                 ? "--push-as"
                      : options->push_headers                            ? "--push-headers"
                      : options->push_name != push_name_usual            ? "--push-name"
                      : options->interval_seconds != PUSH_INTERVAL_USUAL ? "--interval"
                                                                         : NULL;
  const char *other = options->output    ? "-o"
                      : options->stat    ? "--stat"
                      : options->batch   ? "-b"
                      : options->stream  ? "--stream"
                      : options->metrics ? "--metrics"
                                         : NULL;
  if (!options->push) return alone ? options_usage("%s needs --push URL", alone) : -1;
  if (other) return options_usage("--push and %s cannot be combined", other);
  if (options->action != RTOP_ACTION_WATCH && options->action != RTOP_ACTION_RUN)
    return options_usage("--push needs -p PID, -p NAME, -p all or -- COMMAND");
  if (!options->push_kind) options->push_kind = push_url_kind(options->push);
  if (!options->push_kind)
    return options_usage("--push: the path of the URL does not tell: add --push-as pyroscope or otlp");
  options->lens.labels = true; /* they go with the stacks */
  return -1;
}

/* Time of the states that are asked for counts, whatever else would. */
static int options_check_state(struct rtop_options *options)
{
  const unsigned off = 1U << RTOP_STATE_WAITING | 1U << RTOP_STATE_BLOCKED;
  const struct rtop_lens_look *lens = &options->lens;
  bool none = lens->states && !(lens->states & ~off) && options->methods.mode == RTOP_MODE_BUSY;
  if (!lens->states) return -1;
  if (!(options->given & RTOP_GIVEN_MODE)) options->methods.mode = RTOP_MODE_WALL;
  else if (none) return options_usage("-m busy leaves out waiting and blocked: with this --state nothing is left");
  options->given |= RTOP_GIVEN_MODE;
  if (options->metrics || options->push)
    return options_usage("--state and %s cannot be combined", options->metrics ? "--metrics" : "--push");
  return -1;
}

/* Do the options make sense together? */
static int options_check(struct rtop_options *options)
{
  bool target = options->action == RTOP_ACTION_WATCH || options->action == RTOP_ACTION_RUN;
  int status = options_check_output(options);
  if (status >= 0) return status;
  if (options->command && (options->pid_count || options->name_count))
    return options_usage("-p and a command cannot be combined");
  if (options->size_max_bytes && !options->records) return options_usage("--max-size needs -o FILE.rpt");
  if (options->size_max_bytes && (options->given & RTOP_GIVEN_FRAME) && options->frame_seconds > 0)
    return options_usage("--max-size and -F cannot be combined: a window is saved at its end");
  if (options->inject && !options->pid_count) return options_usage("--inject needs -p PID");
  if (options->yes && !options->inject) return options_usage("--yes needs --inject");
  if (options->replay_count && (options->command || options->pid_count || options->name_count))
    return options_usage("-r cannot be combined with -p or a command");
  for (int i = 0; i + 1 < options->replay_count; i++)
    if (strcmp(options->replays[i], "-") == 0)
      return options_usage("standard input cannot be what is compared with: -r - is the last");
  if (options->output && options->batch) return options_usage("-o and -b cannot be combined");
  const char *output = options->output;
  enum rtop_file_format format = options->output_kind.format;
  if (output && options->replay_count > 1 && (options->records || !rtop_file_format_shows_difference(format)))
    return options_usage("two recordings can be compared in .txt, .collapsed, .csv and .svg, not '%s'",
                         options->format ? options->format : output);
  if (output && options->replay_count > 1 && options->view == VIEW_LABELS && format == RTOP_FILE_CSV)
    return options_usage("labels of two recordings cannot be compared");
  if ((options->output || options->batch || options->stat) && options->action == RTOP_ACTION_CHOOSE)
    return options_usage("%s needs -p PID, -r FILE or -- COMMAND", options->output ? "-o"
                                                                   : options->stat ? "--stat"
                                                                                   : "-b");
  const char *other = options->output ? "-o" : options->batch ? "-b" : options->stat ? "--stat" : NULL;
  if (options->stream && other) return options_usage("--stream and %s cannot be combined", other);
  if (options->stream && !target) return options_usage("--stream needs -p PID or -- COMMAND");
  if (options->trace_count && !target) return options_usage("--trace needs -p PID or -- COMMAND");
  if (options->slower_us && !target) return options_usage("--slower needs -p PID or -- COMMAND");
  if (options->slower_us && !options->trace_count && (options->output || options->batch || options->stat))
    return options_usage("--slower is of methods that are traced: --trace METHOD");
  int moment = options_check_moment(options, target);
  if (moment >= 0) return moment;
  int metrics = options_check_metrics(options);
  if (metrics >= 0) return metrics;
  int push = options_check_push(options);
  if (push >= 0) return push;
  int state = options_check_state(options);
  if (state >= 0) return state;
  if (options->time_seconds > 0 && !target) return options_usage("-t needs -p PID or -- COMMAND");
  return -1;
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
  if (options->action == RTOP_ACTION_HELP) fputs(options_help_short, stdout);
  else if (options->action == RTOP_ACTION_HELP_ALL) fputs(options_help, stdout);
  else if (options->action == RTOP_ACTION_VERSION) puts("rperf-top " RPERF_TOP_VERSION);
  else if (options->action == RTOP_ACTION_LIST_COLUMNS) columns_list(stdout);
  else if (options->action == RTOP_ACTION_LIST_KEYS) keys_write_list(stdout);
  else return -1;
  return rtop_output_status(stdout);
}

/* People look at what works; what programs read has all the time unless something else is asked for. */
static enum rtop_mode options_usual_mode(const struct rtop_options *options)
{
  bool page = options->output && !options->records && options->output_kind.format == RTOP_FILE_HTML;
  bool file = (options->output && !page) || options->stat || (options->batch && options->json);
  return file ? RTOP_MODE_WALL : RTOP_MODE_BUSY;
}

int rtop_options_parse(struct rtop_options *options, int argc, char **argv)
{
  int option, status = -1;
  *options = (struct rtop_options){
    .action = RTOP_ACTION_CHOOSE,
    .delay_seconds = 1,
    .frame_seconds = 1,
    .methods = { .sort = RTOP_SORT_SELF, .min_percent = -1 },
    .stall = STALL_LIMITS_USUAL,
    .metrics_top = METRICS_TOP_USUAL,
    .push_name = push_name_usual,
    .interval_seconds = PUSH_INTERVAL_USUAL,
  };
  opterr = 0;
  optind = 0; /* a fresh start, also when tests parse twice */
  int last = 0;
  while (status < 0) {
    option = getopt_long(argc, argv, short_options, long_options, NULL);
    bool pid = option == -1 && options_pid_follows(last, argc, argv);
    if (option == -1 && !pid && !options_is_target(options, argc, argv)) break;
    if (option == '?' || option == ':') return options_unknown(option, argv);
    last = option == -1 ? last : option;
    status = option != -1 ? options_take(options, option)
             : pid        ? options_pids(options, argv[optind++])
                          : options_target(options, argv[optind++]);
    bool all = option == 'h' && optind < argc && strcmp(argv[optind], "all") == 0;
    options->action = all ? RTOP_ACTION_HELP_ALL : options->action;
    options->given |= options_given(option);
    if (status < 0 && (status = options_done(options)) >= 0) return status;
  }
  if (status < 0) status = options_rest(options, argc, argv);
  if (status < 0) status = options_check(options);
  if (!(options->given & RTOP_GIVEN_MODE)) options->methods.mode = options_usual_mode(options);
  if (options->methods.min_percent < 0)
    options->methods.min_percent = options->batch && !options->json ? options_batch_min : 0;
  return status;
}
