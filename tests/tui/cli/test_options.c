#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tui/cli/options_impl.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { WORDS_MAX = 32 };

static char said[65536];           /* on stdout and stderr while parsing */
static char *words[WORDS_MAX + 1]; /* of the last command line: options point into them */
static char line_copy[512];

/* Parses a command line given as one string, catching what is printed. */
static int parse(struct rtop_options *options, const char *line)
{
  int count = 0, out[2], kept[2] = { dup(STDOUT_FILENO), dup(STDERR_FILENO) };
  snprintf(line_copy, sizeof line_copy, "rperf-top %s", line);
  for (char *word = strtok(line_copy, " "); word && count < WORDS_MAX; word = strtok(NULL, " ")) words[count++] = word;
  words[count] = NULL;
  assert_int_equal(pipe(out), 0);
  fcntl(out[1], F_SETPIPE_SZ, (int)sizeof said);
  fflush(stdout);
  dup2(out[1], STDOUT_FILENO);
  dup2(out[1], STDERR_FILENO);
  int status = rtop_options_parse(options, count, words);
  fflush(stdout);
  dup2(kept[0], STDOUT_FILENO);
  dup2(kept[1], STDERR_FILENO);
  close(kept[0]);
  close(kept[1]);
  close(out[1]);
  ssize_t got = read(out[0], said, sizeof said - 1);
  said[got > 0 ? got : 0] = '\0';
  close(out[0]);
  return status;
}

static void test_defaults(void **state)
{
  (void)state;
  struct rtop_options options;
  assert_int_equal(parse(&options, ""), -1);
  assert_string_equal(said, "");
  assert_int_equal(options.action, RTOP_ACTION_CHOOSE);
  assert_int_equal(options.rate_hz, 0);
  assert_true(options.frame_seconds == 1 && options.delay_seconds == 1 && options.time_seconds == 0);
  assert_int_equal(options.methods.sort, RTOP_SORT_SELF);
  assert_int_equal(options.methods.mode, RTOP_MODE_BUSY);
  assert_true(options.methods.min_percent == 0);
  assert_null(options.output);
  assert_null(options.command);
  assert_false(options.batch);
}

/* People see busy time; programs read what they always did, unless they ask. */
static void test_modes(void **state)
{
  (void)state;
  static const struct {
    const char *line;
    enum rtop_mode mode;
  } lines[] = {
    { "-p 1", RTOP_MODE_BUSY },
    { "-b -p 1", RTOP_MODE_BUSY },
    { "-b -J -p 1", RTOP_MODE_WALL },
    { "-o x.json -p 1", RTOP_MODE_WALL },
    { "--stat -- x", RTOP_MODE_WALL },
    { "-b -m wall -p 1", RTOP_MODE_WALL },
    { "-m wall -p 1", RTOP_MODE_WALL },
    { "-b -J -m busy -p 1", RTOP_MODE_BUSY },
    { "-o x.any --format html -p 1", RTOP_MODE_BUSY },
    { "-o x.html --format csv -p 1", RTOP_MODE_WALL },
    { "-o x.svg -m busy -p 1", RTOP_MODE_BUSY },
    { "-m cpu -p 1", RTOP_MODE_CPU },
    { "-o x.svg -m cpu -p 1", RTOP_MODE_CPU },
    { "-b --state waiting -p 1", RTOP_MODE_WALL }, /* its time is what is asked for */
    { "-b -m busy --state running,gc -p 1", RTOP_MODE_BUSY },
  };
  struct rtop_options options;
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
    assert_int_equal(parse(&options, lines[i].line), -1);
    assert_int_equal(options.methods.mode, lines[i].mode);
  }
}

static void test_states(void **state)
{
  (void)state;
  struct rtop_options options;
  assert_int_equal(parse(&options, "--state waiting -p 1"), -1);
  assert_int_equal(options.lens.states, 1 << RTOP_STATE_WAITING);
  assert_true(options.given & RTOP_GIVEN_MODE); /* no setting changes it */
  assert_int_equal(parse(&options, "--state gc,blocked -p 1"), -1);
  assert_int_equal(options.lens.states, 1 << RTOP_STATE_BLOCKED | 1 << RTOP_STATE_MARKING | 1 << RTOP_STATE_SWEEPING);
  assert_int_equal(parse(&options, "-p 1"), -1);
  assert_int_equal(options.lens.states, 0);
  static const char *const wrong[] = {
    "--state sleeping -p 1",
    "--state waiting, -p 1",
    "--state ,waiting -p 1",
    "-m busy --state waiting -p 1",
    "--state wait -p 1",
    "-m busy --state blocked,waiting -p 1",
    "--state waiting --metrics 9394 -p 1",
  };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) assert_int_equal(parse(&options, wrong[i]), 2);
}

static void test_everything(void **state)
{
  (void)state;
  struct rtop_options options;
  assert_int_equal(parse(&options, "-p 12,13,12 -p 14 -b -J -n 3 -d 0.5 -F 2.5 -m cpu -s total"
                                   " --hz 250 --filter !^a --thread x --min 1.5"),
                   -1);
  assert_int_equal(options.action, RTOP_ACTION_WATCH);
  assert_int_equal(options.pid_count, 3);
  assert_int_equal(options.pids[0], 12);
  assert_int_equal(options.pids[2], 14);
  assert_true(options.batch && options.json);
  assert_int_equal(options.refreshes, 3);
  assert_true(options.delay_seconds == 0.5 && options.frame_seconds == 2.5);
  assert_int_equal(options.methods.mode, RTOP_MODE_CPU);
  assert_int_equal(options.methods.sort, RTOP_SORT_TOTAL);
  assert_int_equal(options.rate_hz, 250);
  assert_string_equal(options.methods.filter, "^a");
  assert_true(options.methods.filter_invert);
  assert_string_equal(options.methods.thread_filter, "x");
  assert_true(options.methods.min_percent == 1.5);
}

static void test_long_forms_and_the_rest(void **state)
{
  (void)state;
  struct rtop_options options;
  assert_int_equal(parse(&options, "--pid=7 --output=/tmp/x.y/a.collapsed --time 2 --frame all -U"
                                   " -C never"),
                   -1);
  assert_string_equal(options.output, "/tmp/x.y/a.collapsed");
  assert_true(options.time_seconds == 2 && options.frame_seconds == 0);
  assert_true(options.ascii);
  assert_int_equal(options.color, RTOP_COLOR_NEVER);
  assert_int_equal(parse(&options, "--list"), -1);
  assert_int_equal(options.action, RTOP_ACTION_LIST);
  assert_int_equal(parse(&options, "-p 1 -b"), -1);
  assert_true(options.methods.min_percent == 0.1); /* what is next to nothing is left out */
  assert_int_equal(parse(&options, "-p 1 -b --min 0"), -1);
  assert_true(options.methods.min_percent == 0);
  assert_int_equal(parse(&options, "--dump-screen=80x24"), -1);
  assert_string_equal(options.dump_screen, "80x24");
  assert_int_equal(options.view, VIEW_METHODS);
  assert_int_equal(options.columns.count, 0);
  assert_true(options.given == RTOP_GIVEN_VIEW || options.given == 0);
  assert_int_equal(parse(&options, "-M --theme blue --no-header --no-footer --config x -s gc"), -1);
  assert_true(options.mouse && options.no_header && options.no_footer && options.theme == THEME_BLUE);
  assert_string_equal(options.config, "x");
  assert_int_equal(options.given,
                   RTOP_GIVEN_MOUSE | RTOP_GIVEN_THEME | RTOP_GIVEN_HEADER | RTOP_GIVEN_FOOTER | RTOP_GIVEN_SORT);
  assert_int_equal(parse(&options, "--columns self,gc -s total-cpu"), -1);
  assert_int_equal(options.columns.count, 3);
  assert_int_equal(options.columns.at[1], RTOP_SORT_GC);
  assert_int_equal(options.methods.sort, RTOP_SORT_TOTAL_CPU);
  assert_int_equal(parse(&options, "--view skyline"), -1);
  assert_int_equal(options.view, VIEW_SKYLINE);
}

/* As a shell gives them: $(pgrep ruby) is a word each, quoted it is lines. */
static void test_several_processes(void **state)
{
  (void)state;
  static const char *const lines[] = {
    "-p 1,22,333",       "-p 1 22 333", "-p 1 -p 22,333", "--pid 1 22 -p 333 22", "--pid=1 22 333 1 -b -n 1",
    "-b -p 1,22 333 -J",
  };
  struct rtop_options options;
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
    assert_int_equal(parse(&options, lines[i]), -1);
    assert_int_equal(options.action, RTOP_ACTION_WATCH);
    assert_int_equal(options.pid_count, 3);
    assert_int_equal(options.pids[0] + options.pids[1] * 10 + options.pids[2], 1 + 220 + 333);
  }
  char program[] = "rperf-top", option[] = "-p", quoted[] = " 1\n22 ,333\n", batch[] = "-b";
  char *argv[] = { program, option, quoted, batch, NULL };
  assert_int_equal(rtop_options_parse(&options, 4, argv), -1);
  assert_true(options.pid_count == 3 && options.pids[2] == 333 && options.batch);
  static const char *const bad[] = {
    "-p",     "-p 1x", "-p 1,", "-p ,1", "-p 1,,2", "-p 0", "-p -1", "-p 1 x", "-p 1 99999999999",
    "-p 1 0", "-p +1", "--pid",
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) assert_int_equal(parse(&options, bad[i]), 2);
  assert_int_equal(parse(&options, "-p 1 -- 2"), 2); /* -- ends the numbers, and a command excludes -p */
}

static void test_names(void **state)
{
  (void)state;
  struct rtop_options options;
  assert_int_equal(parse(&options, "-p puma -b"), -1);
  assert_int_equal(options.action, RTOP_ACTION_WATCH);
  assert_true(options.pid_count == 0 && options.name_count == 1 && !options.alone);
  assert_string_equal(options.names[0], "puma");
  assert_int_equal(parse(&options, "-p 12 -p puma -p /srv/app --no-follow"), -1);
  assert_true(options.pid_count == 1 && options.name_count == 2 && options.alone);
  assert_int_equal(parse(&options, "-p puma 12"), -1);
  assert_int_equal(options.pids[0], 12);
  assert_int_equal(parse(&options, "-p puma -- ruby"), 2);
  assert_int_equal(parse(&options, "-p puma -r x.rpt"), 2);
  assert_int_equal(parse(&options, "-p a -p b -p c -p d -p e -p f -p g -p h -p i"), 2);
}

static void test_command(void **state)
{
  (void)state;
  struct rtop_options options;
  assert_int_equal(parse(&options, "-b -n 2 -- ruby -b --help app.rb"), -1);
  assert_int_equal(options.action, RTOP_ACTION_RUN);
  assert_string_equal(options.command[0], "ruby");
  assert_string_equal(options.command[1], "-b");
  assert_string_equal(options.command[3], "app.rb");
  assert_null(options.command[4]);
  assert_true(options.batch);
}

static void test_what_is_hidden_and_merged(void **state)
{
  (void)state;
  struct rtop_options options;
  assert_int_equal(parse(&options, "-p 1"), -1);
  assert_false(options.lens.only_mine || options.lens.no_c || options.lens.exclude[0]);
  assert_int_equal(RTOP_MERGE_METHOD, options.lens.merge);
  assert_int_equal(parse(&options, "--exclude gem:rack --no-c --exclude a/,!b/ --merge file -p 1"), -1);
  assert_string_equal("gem:rack,a/,!b/", options.lens.exclude);
  assert_true(options.lens.no_c);
  assert_false(options.lens.only_mine);
  assert_int_equal(RTOP_MERGE_FILE, options.lens.merge);
  assert_int_equal(parse(&options, "--only-mine -p 1"), -1);
  assert_true(options.lens.only_mine);
  assert_string_equal("", options.lens.label);
  assert_int_equal(parse(&options, "--label user=7 --label endpoint=/a* --merge label -p 1"), -1);
  assert_string_equal("user=7\nendpoint=/a*", options.lens.label);
  assert_int_equal(RTOP_MERGE_LABEL, options.lens.merge);
}

/* What people type first. */
static void test_bare_targets(void **state)
{
  (void)state;
  struct rtop_options options;
  assert_int_equal(parse(&options, "4711"), -1);
  assert_true(options.action == RTOP_ACTION_WATCH && options.pid_count == 1 && options.pids[0] == 4711);
  assert_int_equal(parse(&options, "4711,4712 4713 -b"), -1);
  assert_true(options.pid_count == 3 && options.pids[2] == 4713 && options.batch);
  assert_int_equal(parse(&options, "-b puma -n 2"), -1);
  assert_true(options.name_count == 1 && strcmp(options.names[0], "puma") == 0 && options.refreshes == 2);
  assert_int_equal(parse(&options, "tests/no-such.rpt -J"), -1);
  assert_true(options.action == RTOP_ACTION_REPLAY && options.replay_count == 1 && options.json);
  /* A command to start needs --, and what is a file is not a name. */
  static const char *const none[] = { "ruby app.rb", "app.rb",           "./app",
                                      "tests",       "bin/rails server", "4711 -- ruby app.rb" };
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) assert_int_equal(parse(&options, none[i]), 2);
  assert_int_equal(parse(&options, "-- 4711"), -1);
  assert_true(options.action == RTOP_ACTION_RUN && options.pid_count == 0);
}

static void test_help_and_version(void **state)
{
  (void)state;
  struct rtop_options options;
  assert_int_equal(parse(&options, "--help"), 0);
  int lines = 0;
  for (char *line = strtok(said, "\n"); line; line = strtok(NULL, "\n"), lines++) assert_true(strlen(line) <= 80);
  assert_in_range(lines, 20, 50);
  assert_int_equal(parse(&options, "--help all"), 0);
  static const char *const named[] = {
    "--pid",       "--list",      "--output", "--time",   "--batch",     "--json",        "--count",
    "--delay",     "--frame",     "--mode",   "--sort",   "--hz",        "--filter",      "--thread",
    "--min",       "--ascii",     "--color",  "--help",   "--version",   "--dump-screen", "--view",
    "--exclude",   "--only-mine", "--no-c",   "--merge",  "--label",     "--columns",     "--list-columns",
    "--list-keys", "--theme",     "--mouse",  "--config", "--no-header", "--no-footer",
  };
  for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) assert_non_null(strstr(said, named[i]));
  for (char *line = strtok(said, "\n"); line; line = strtok(NULL, "\n")) assert_true(strlen(line) <= 88);
  assert_int_equal(parse(&options, "-V"), 0);
  assert_memory_equal(said, "rperf-top ", 10);
  assert_int_equal(parse(&options, "-b -h --nonsense"), 0);
  assert_int_equal(parse(&options, "--list-columns"), 0);
  assert_non_null(strstr(said, "total-blame    T.BLAME%"));
  assert_int_equal(parse(&options, "--list-keys"), 0);
  assert_non_null(strstr(said, "Ctrl-L"));
  assert_int_equal(parse(&options, "--list-options"), 0);
  assert_non_null(strstr(said, "\n-m,--mode busy cpu wall\n"));
}

/* What options.def says is about options that there are, and each has names of its own. */
static void test_table(void **state)
{
  (void)state;
  static const char *const others[] = {
#define EXCLUDES(id, options) options,
#include "tui/cli/options.def"
  };
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    assert_true(*others[i]);
    for (const char *at = others[i]; *at; at += strspn(at, " ")) {
      size_t bytes = strcspn(at, " ");
      assert_int_not_equal(option_find(at, bytes), RTOP_OPTION_NONE);
      at += bytes;
    }
  }
  for (enum rtop_option option = RTOP_OPTION_NONE + 1; option < RTOP_OPTIONS; option++) {
    const struct option_row *row = &option_rows[option];
    assert_int_equal(option_find(row->said, strlen(row->said)), option);
    if (row->letter) assert_int_equal(option_of(row->letter), option);
  }
}

/* One line that names the culprit and where to find help; status 2. */
static void test_bad_command_lines(void **state)
{
  (void)state;
  static const char *const bad[][2] = {
    { "--nonsense", "--nonsense" },
    { "-x", "-x" },
    { "-p", "-p" },
    { "-p 1,abc", "abc" },
    { "-p 0", "'0'" },
    { "-p -5", "-5" },
    { "-p 1,", "'1,'" },
    { "-p 1,,2", "1,,2" },
    { "-p 99999999999", "99999999999" },
    { "-p 1x", "1x" },
    { "-d 0", "-d" },
    { "-d x", "'x'" },
    { "-d nan -p 1", "nan" },
    { "-d inf", "inf" },
    { "-F 0", "-F" },
    { "-F none", "none" },
    { "-F 0x10", "0x10" },
    { "-t 0 -p 1", "-t" },
    { "-t -1 -p 1", "-1" },
    { "-n 0", "-n" },
    { "-n -3", "-3" },
    { "-n 1.5", "1.5" },
    { "-m real", "real" },
    { "-s colour", "colour" },
    { "--hz 0", "--hz" },
    { "--hz 10001", "10001" },
    { "--hz 1k", "1k" },
    { "--filter (", "--filter" },
    { "--thread [", "--thread" },
    { "--min 101", "101" },
    { "--min x", "'x'" },
    { "-C blue", "blue" },
    { "ruby app.rb", "ruby" },
    { "--", "--" },
    { "-p 1 -- ruby", "-p" },
    { "-b", "-b" },
    { "-J", "-J needs" },
    { "-p 1 -b --stream -J", "--stream and -b" },
    { "--stat -o a --stream -p 1", "--stream and --stat" },
    { "--yes -p 1", "--yes needs --inject" },
    { "--batch=3", "--batch=3" },
    { "--metrics-top 20 -p 1", "needs --metrics" },
    { "-o a.txt", "-o" },
    { "-o a.png -p 1", "a.png" },
    { "-o .txt -p 1", ".txt" },
    { "-o dir/.txt -p 1", "dir/.txt" },
    { "-o txt -p 1", "'txt'" },
    { "-o a.txt -b -p 1", "-b" },
    { "-o - -p 1", "-o - needs --format: text, collapsed" },
    { "-o /dev/stdout -p 1", "needs --format" },
    { "-o a.txt --format png -p 1", ", not 'png'" },
    { "-o - --format rpt -p 1", "--stream" },
    { "--format csv -p 1", "--format needs -o" },
    { "--stat -o a --format csv -p 1", "--format needs -o" },
    { "-o a.csv --format pprof -r a.rpt -r b.rpt", ", not 'pprof'" },
    { "-t 5", "-t" },
    { "--view city", "'city'" },
    { "--merge color", "color" },
    { "--exclude gem:", "gem:" },
    { "--label =x", "=x" },
    { "--label", "--label" },
    { "--exclude", "--exclude" },
    { "--only-mine=1", "--only-mine" },
    { "--theme pink", "'pink'" },
    { "--columns self,moon", "'moon'" },
    { "--view", "--view" },
    { "--metrics 70000 -p 1", "'70000'" },
    { "--metrics host:80 -p 1", "'host:80'" },
    { "--metrics ::1:80 -p 1", "'::1:80'" },
    { "--metrics [::1]80 -p 1", "'[::1]80'" },
    { "--metrics .prom -p 1", "'.prom'" },
    { "--metrics -1 -p 1", "'-1'" },
    { "--metrics 9464", "-p" },
    { "--metrics 9464 -r a.rpt", "-p" },
    { "--metrics 9464 -b -p 1", "-b" },
    { "--metrics 9464 --stat -p 1", "--stat" },
    { "--metrics 9464 -o a.txt -p 1", "-o" },
    { "--metrics-top 5 -p 1", "--metrics" },
    { "--metrics-top 101 -p 1", "101" },
    { "--push ftp://a/ingest -p 1", "http://" },
    { "--push http://me:secret@a/ingest -p 1", "password" },
    { "--push http://a/x -p 1", "--push-as" },
    { "--push http://a/ingest", "-p" },
    { "--push http://a/ingest -r a.rpt", "-p" },
    { "--push http://a/ingest -o a.txt -p 1", "-o" },
    { "--push http://a/ingest --metrics 9464 -p 1", "--metrics" },
    { "--push http://a/ingest --push-as folded -p 1", "'folded'" },
    { "--push http://a/ingest --push-name a{b} -p 1", "'a{b}'" },
    { "--push http://a/ingest --interval 0.1 -p 1", "'0.1'" },
    { "--push http://a/ingest --interval 61 -p 1", "'61'" },
    { "--push-as otlp -p 1", "--push URL" },
    { "--push-name a -p 1", "--push URL" },
    { "--push-headers a -p 1", "--push URL" },
    { "--interval 5 -p 1", "--push URL" },
    { "--help=yes", "--help" },
  };
  struct rtop_options options;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    if (parse(&options, bad[i][0]) != 2) fail_msg("'%s' was taken", bad[i][0]);
    if (!strstr(said, bad[i][1]) || !strstr(said, "Try 'rperf-top --help'")) fail_msg("'%s' says: %s", bad[i][0], said);
    assert_memory_equal(said, "rperf-top: ", 11);
    assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
  }
}

static void test_push(void **state)
{
  (void)state;
  struct rtop_options options;
  assert_int_equal(parse(&options, "--push http://a/ingest -p 1"), -1);
  assert_int_equal(options.push_kind, PUSH_PYROSCOPE);
  assert_string_equal(options.push_name, "ruby");
  assert_true(options.interval_seconds == 10);
  assert_int_equal(parse(&options, "--push https://a/v1development/profiles --interval 0.5 -p all"), -1);
  assert_int_equal(options.push_kind, PUSH_OTLP);
  assert_int_equal(parse(&options, "--push http://a/ingest --push-as otlp --push-name b -p 1"), -1);
  assert_int_equal(options.push_kind, PUSH_OTLP);
  assert_string_equal(options.push_name, "b");
}

static void test_metrics(void **state)
{
  (void)state;
  static const char *const lines[] = { "--metrics 9464 -p 1", "--metrics 0 -p all", "--metrics 10.0.0.1:9464 -p 1",
                                       "--metrics [::]:9464 -- ruby a.rb", "--metrics=[::1]:1 --metrics-top 100 -p 1" };
  struct rtop_options options;
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
    assert_int_equal(parse(&options, lines[i]), -1);
    assert_true(options.metrics && !options.metrics_file);
  }
  assert_int_equal(options.metrics_top, 100);
  assert_int_equal(parse(&options, "--metrics a/9464.prom -d 3 -p 1"), -1);
  assert_true(options.metrics_file && options.metrics_top == 20 && options.delay_seconds == 3);
}

static void test_recordings(void **state)
{
  (void)state;
  struct rtop_options options;
  assert_int_equal(parse(&options, "-r a.rpt --replay b.rpt -b"), -1);
  assert_int_equal(options.action, RTOP_ACTION_REPLAY);
  assert_int_equal(options.replay_count, 2);
  assert_string_equal(options.replays[0], "a.rpt");
  assert_string_equal(options.replays[1], "b.rpt");
  assert_int_equal(parse(&options, "-r a.rpt -o c.rpt"), -1);
  assert_int_equal(parse(&options, "-r 1 -r 2 -r 3 -r 4 -r 5 -r 6 -r 7 -r 8 -r 9"), 2);
  assert_int_equal(parse(&options, "-r a.rpt -p 1"), 2);
  assert_int_equal(parse(&options, "-r a.rpt -- ls"), 2);
}

static void test_max_size(void **state)
{
  (void)state;
  struct rtop_options options;
  static const struct {
    const char *text;
    uint64_t bytes;
  } right[] = { { "1048576", 1 << 20 }, { "2000k", 2048000 }, { "100M", 104857600 }, { "2G", UINT64_C(2) << 30 } };
  static const char *const wrong[] = { "0", "1", "1k", "100T", "M", "-5M", "1.5G", "100MB", "18446744073709551615G" };
  char line[100];
  assert_int_equal(parse(&options, "-p 1 -o a.rpt"), -1);
  assert_true(options.size_max_bytes == 0);
  for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
    snprintf(line, sizeof line, "-p 1 -o a.rpt --max-size %s", right[i].text);
    assert_int_equal(parse(&options, line), -1);
    assert_true(options.size_max_bytes == right[i].bytes);
  }
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    snprintf(line, sizeof line, "-p 1 -o a.rpt --max-size %s", wrong[i]);
    assert_int_equal(parse(&options, line), 2);
    assert_non_null(strstr(said, "--max-size"));
  }
  assert_int_equal(parse(&options, "-p 1 --max-size 10M"), 2);
  assert_int_equal(parse(&options, "-p 1 -o a.txt --max-size 10M"), 2);
}

static void test_stalls(void **state)
{
  (void)state;
  struct rtop_options options;
  assert_int_equal(parse(&options, ""), -1);
  assert_int_equal(options.stall.blocked_ns, 1000000000);
  assert_true(options.stall.method && options.stall.waiting == 4 && !options.on_stall);
  assert_true(options.stall.many_waits == 0.5);
  assert_int_equal(
      parse(&options, "--stall-blocked 2.5 --stall-gc off --stall-waiting 8 --stall-method off --stall-many-waits 2.5 "
                      "--stall-no-safepoint=0.1 --stall-stopped 3 --on-stall date --save-on-stall /tmp "
                      "--save-on-death /tmp/deaths"),
      -1);
  assert_int_equal(options.stall.blocked_ns, 2500000000);
  assert_int_equal(options.stall.no_safepoint_ns, 100000000);
  assert_int_equal(options.stall.gc_ns, 0);
  assert_int_equal(options.stall.stopped_ns, 3000000000);
  assert_true(!options.stall.method && options.stall.waiting == 8 && options.stall.many_waits == 2.5);
  assert_string_equal(options.on_stall, "date");
  assert_string_equal(options.save_on_stall, "/tmp");
  assert_string_equal(options.save_on_death, "/tmp/deaths");
  assert_int_equal(parse(&options, "--stall-blocked -1"), 2);
  assert_int_equal(parse(&options, "--stall-gc often"), 2);
  assert_non_null(strstr(said, "--stall-gc takes seconds"));
  assert_int_equal(parse(&options, "--stall-waiting 0"), 2);
  assert_int_equal(parse(&options, "--stall-method 3"), 2);
  assert_int_equal(parse(&options, "--stall-many-waits off"), -1);
  assert_true(options.stall.many_waits == 0);
  assert_int_equal(parse(&options, "--stall-many-waits few"), 2);
  assert_non_null(strstr(said, "--stall-many-waits takes a number of threads"));
}

static void where_profiles_go(void **state)
{
  static const struct {
    const char *line;
    enum rtop_file_format format;
    bool gzip;
  } cases[] = {
    { "-o - --format collapsed -p 1", RTOP_FILE_COLLAPSED, false },
    { "-o x --format pb.gz -p 1", RTOP_FILE_PPROF, true },
    { "-o x.txt --format pprof.gz -p 1", RTOP_FILE_PPROF, true },
    { "-o x --format svg -p 1", RTOP_FILE_SVG, false },
    { "-o x.csv.gz -p 1", RTOP_FILE_CSV, true },
    { "-o x.rpt --format csv -p 1", RTOP_FILE_CSV, false },
    { "--format html -o - -p 1", RTOP_FILE_HTML, false },
  };
  (void)state;
  struct rtop_options options;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_int_equal(parse(&options, cases[i].line), -1);
    assert_int_equal(options.output_kind.format, cases[i].format);
    assert_int_equal(options.output_kind.gzip, cases[i].gzip);
    assert_false(options.records);
  }
  assert_int_equal(parse(&options, "-o x.rpt -p 1"), -1);
  assert_true(options.records);
  assert_int_equal(parse(&options, "--stat -J -o summary -p 1"), -1);
  assert_null(options.output);
  assert_string_equal(options.stat_output, "summary");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_stalls),
    cmocka_unit_test(test_defaults),
    cmocka_unit_test(test_modes),
    cmocka_unit_test(test_states),
    cmocka_unit_test(test_everything),
    cmocka_unit_test(test_long_forms_and_the_rest),
    cmocka_unit_test(test_several_processes),
    cmocka_unit_test(test_names),
    cmocka_unit_test(test_command),
    cmocka_unit_test(test_what_is_hidden_and_merged),
    cmocka_unit_test(test_push),
    cmocka_unit_test(test_metrics),
    cmocka_unit_test(test_bare_targets),
    cmocka_unit_test(test_help_and_version),
    cmocka_unit_test(test_table),
    cmocka_unit_test(test_bad_command_lines),
    cmocka_unit_test(where_profiles_go),
    cmocka_unit_test(test_recordings),
    cmocka_unit_test(test_max_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
