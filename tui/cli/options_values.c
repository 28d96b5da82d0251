/* SPDX-License-Identifier: MIT */
/* Parses the arguments of single options. */
#include "options_impl.h"

#include "shm/channel/control.h"
#include "tui/feed/session.h"
#include "tui/metrics/metrics_serve.h"
#include "tui/metrics/metrics_top.h"
#include "tui/push/push.h"
#include "tui/recording/recording_write.h"
#include "tui/ssh/ssh.h"
#include "tui/text/text.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int options_flag(bool *flag)
{
  *flag = true;
  return -1;
}

static int options_text(const char **option, const char *text)
{
  *option = text;
  return -1;
}

static int options_action(struct rtop_options *options, enum rtop_action action)
{
  options->action = action;
  return -1;
}

static int options_json(struct rtop_options *options)
{
  options->batch = options->json = true;
  return -1;
}

/* A plain decimal number within bounds. */
static bool options_number(const char *text, double least, double most, double *number)
{
  char *end;
  errno = 0;
  *number = strtod(text, &end);
  /* strtod() also accepts nan, inf and hexadecimal numbers, which are no durations */
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

/* Adds a name, which is part of a command line; processes are searched when watching begins. */
static int options_name(struct rtop_options *options, const char *name)
{
  if (options->name_count == RTOP_NAMES_MAX) return options_usage("-p takes at most %d names", RTOP_NAMES_MAX);
  options->names[options->name_count++] = name;
  options->action = RTOP_ACTION_WATCH;
  return -1;
}

/* Parses process numbers, separated by commas or by white space as in the output of pgrep. */
int options_pids(struct rtop_options *options, const char *text)
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

int options_replay(struct rtop_options *options, const char *text)
{
  if (options->replay_count == RTOP_REPLAYS_MAX)
    return options_usage("-r takes at most %d recordings", RTOP_REPLAYS_MAX);
  options->replays[options->replay_count++] = text;
  options->action = RTOP_ACTION_REPLAY;
  return -1;
}

static int options_host(struct rtop_options *options, const char *option, const char *host)
{
  char name[100];
  const char *problem = rtop_ssh_host_problem(host);
  rtop_text_sanitize(name, sizeof name, host, strlen(host));
  if (problem) return options_usage("%s takes the name of a host: '%s' %s", option, name, problem);
  for (int i = 0; i < options->host_count; i++)
    if (strcmp(options->hosts[i], host) == 0) return -1;
  if (options->host_count == RTOP_HOSTS_MAX) return options_usage("at most %d hosts can be watched", RTOP_HOSTS_MAX);
  options->hosts[options->host_count++] = strdup(host); /* for as long as the program runs */
  return -1;
}

static int options_ssh(struct rtop_options *options, const char *text)
{
  return options_host(options, "--ssh", text);
}

/* Reads a file with a host a line; what follows a # is a comment. */
static int options_hosts(struct rtop_options *options, const char *path)
{
  static char text[RTOP_HOSTS_MAX * 512];
  static const char blanks[] = " \t\r";
  FILE *file = fopen(path, "re");
  size_t bytes = file ? fread(text, 1, sizeof text - 1, file) : 0;
  bool failed = !file || ferror(file), more = file && !feof(file);
  int status = failed ? options_usage("--hosts cannot read %s: %s", path, strerror(errno)) : -1,
      before = options->host_count;
  if (file) fclose(file);
  if (more && !failed) return options_usage("--hosts: %s is too long for a list of hosts", path);
  text[bytes] = '\0';
  char *rest = text;
  for (char *line; status < 0 && (line = strsep(&rest, "\n"));) {
    line += strspn(line, blanks);
    line[strcspn(line, "#")] = '\0';
    for (size_t end = strlen(line); end > 0 && strchr(blanks, line[end - 1]);) line[--end] = '\0';
    if (*line) status = options_host(options, "--hosts", line);
  }
  if (status < 0 && options->host_count == before && before == 0)
    return options_usage("--hosts: %s names no host", path);
  return status;
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

/* Parses "100M": a number and optionally k, M or G. */
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

static int options_regex(const char *name, const char *text, const char **regex)
{
  const char *problem = rtop_methods_check_regex(text);
  *regex = text;
  return problem ? options_usage("%s '%s': %s", name, text, problem) : -1;
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

const char *options_view_names(void)
{
  static char names[128];
  names[0] = '\0';
  for (int view = 0; view < VIEW_DATA_COUNT; view++) {
    strcat(names, view ? " " : "");
    strcat(names, keys_view_name((enum view_id)view));
  }
  return names;
}

const char *options_format_names(void)
{
  static char names[128];
  names[0] = '\0';
  for (int format = 0; format < RTOP_FILE_FORMATS; format++) {
    strcat(names, format ? " " : "");
    strcat(names, rtop_file_format_name((enum rtop_file_format)format));
  }
  return names;
}

static int options_view(struct rtop_options *options, const char *text)
{
  if (keys_view_parse(text, &options->view)) return -1;
  return options_usage("--view takes one of %s, not '%s'", options_view_names(), text);
}

/* Adds patterns to those of earlier --exclude options. */
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

/* Adds a label filter; work must match all filters. */
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

static int options_label_end(const char *name, char *keys, const char *text)
{
  const char *problem = rtop_lens_add_key(keys, text);
  return problem ? options_usage("%s '%s': %s", name, text, problem) : -1;
}

static int options_stall_method(struct stall_limits *limits, const char *text)
{
  limits->method = strcmp(text, "off") != 0;
  return !limits->method || strcmp(text, "on") == 0
             ? -1
             : options_usage("--stall-method takes on or off: '%s' is neither", text);
}

/* Off: such stalls are not looked for. */
static int options_stall(const char *name, struct stall_limits *limits, enum stall_cause cause, const char *text)
{
  double number = 0;
  if (strcmp(text, "off") != 0 && !options_number(text, 0.01, 1e5, &number))
    return options_usage("%s takes %s, 0.01 or more, or off: '%s' is not", name,
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

/* Adds a method to trace. The spelling is checked only by the process. */
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

static int options_fail_if(struct rtop_options *options, const char *text)
{
  const char *why;
  if (options->fail_if_count == FAIL_IF_MAX) return options_usage("--fail-if takes at most %d conditions", FAIL_IF_MAX);
  if (!fail_if_parse(&options->fail_if[options->fail_if_count++], text, &why))
    return options_usage("--fail-if: '%s': %s", text, why);
  return -1;
}

/* Parses "50ms", "1s" or "200us"; a number without a unit is in seconds. */
static int options_time_us(const char *name, const char *text, uint32_t *time_us)
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
    return options_usage("%s takes a time from 1us to an hour, as 50ms, 1s, 0.2 (seconds): '%s' is not", name, text);
  *time_us = (uint32_t)(value * us + 0.5);
  return -1;
}

static int options_slower(struct rtop_options *options, const char *text)
{
  return options_time_us("--slower", text, &options->slower_us);
}

static int options_slower_requests(struct rtop_options *options, const char *text)
{
  uint32_t us = 0;
  int status = options_time_us("--slower-requests", text, &us);
  options->stall.request_ns = (int64_t)us * 1000;
  return status;
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

static int options_format(struct rtop_options *options, const char *text)
{
  options->format = text;
  if (rtop_file_kind_parse(text, &options->output_kind)) return -1;
  if (strcmp(text, "rpt") == 0)
    return options_usage("--format: a recording is written to a file that ends in .rpt, or as --stream");
  return options_usage("--format takes %s, also with .gz behind it, not '%s'", rtop_file_format_names(), text);
}

static int options_env(struct rtop_options *options, const char *text)
{
  options->action = RTOP_ACTION_ENV;
  if (rtop_env_kind_parse(text, &options->env)) return -1;
  return options_usage("--env takes shell, docker, systemd or procfile, not '%s'", text);
}

int options_take(struct rtop_options *options, enum rtop_option option, const char *text)
{
  struct rtop_options *const o = options; /* as options.def calls it */
  const char *name = option_rows[option].said;
#define OPTION(id, letter, name, argument, value, take, ...)                                                           \
  if (option == RTOP_OPTION_##id) return take;
#include "options.def"
  return 2;
}
