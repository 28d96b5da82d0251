#include "tests/tui/channel_fixture.h"

#include "tui/reader/rperf_top_reader.h"

#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <sys/stat.h>

static struct rperf_top_reader *open_pids(const pid_t *pids, size_t count)
{
  struct rperf_top_error error;
  struct rperf_top_options options = { .size = sizeof options, .pids = pids, .pid_count = count };
  struct rperf_top_reader *reader = rperf_top_open(&options, &error);
  if (!reader) print_error("%s\n", error.text);
  assert_non_null(reader);
  assert_int_equal(error.code, RPERF_TOP_ERROR_NONE);
  return reader;
}

static struct rperf_top_reader *open_one(const struct channel *channel)
{
  return open_pids(&channel->pid, 1);
}

static struct rperf_top_events *subscribe(struct rperf_top_reader *reader, uint32_t kinds)
{
  struct rperf_top_event_filter filter = { .size = sizeof filter, .kinds = kinds };
  struct rperf_top_events *events = rperf_top_subscribe(reader, &filter, NULL);
  assert_non_null(events);
  return events;
}

/* "thread-started worker; mark a ? mark; ": what is there, in order. */
static const char *told(struct rperf_top_events *events)
{
  static char text[8192];
  int64_t last_ns = 0;
  const struct rperf_top_event *event;
  *text = '\0';
  while ((event = rperf_top_event_next(events))) {
    size_t used = strlen(text);
    assert_true(event->time_ns >= last_ns && event->since_ns <= event->time_ns);
    last_ns = event->time_ns;
    snprintf(text + used, sizeof text - used, "%s%s%s; ", rperf_top_event_name(event->kind), *event->name ? " " : "",
             event->name);
  }
  return text;
}

static const struct rperf_top_method *method_called(const struct rperf_top_sum *sum, const char *name)
{
  for (size_t i = 0; i < rperf_top_sum_method_count(sum); i++)
    if (strcmp(rperf_top_sum_method(sum, i)->name, name) == 0) return rperf_top_sum_method(sum, i);
  return NULL;
}

/* ---- lists and processes ---------------------------------------------------------------------------- */

static void test_list(void **state)
{
  (void)state;
  struct channel channel;
  channel_open(&channel);
  channel_tell(&channel, "ww");
  struct rperf_top_list *list = rperf_top_list_read(NULL);
  assert_int_equal(rperf_top_list_count(list), 1);
  const struct rperf_top_process *process = rperf_top_list_get(list, 0);
  assert_int_equal(process->pid, channel.pid);
  assert_int_equal(process->state, RPERF_TOP_LIVE);
  assert_int_equal(process->threads, 1);
  assert_int_equal(process->rate_hz, 100);
  assert_string_equal(process->command, "ruby te?st.rb");
  assert_string_equal(process->ruby, "3.3.8");
  assert_true(*process->user != '\0');
  assert_null(rperf_top_list_get(list, 1));
  rperf_top_list_free(list);
  rperf_top_list_free(NULL);
  channel_kill(&channel);
}

/* Whoever has a channel of its own does not list it, and does not lose its lock. */
static void test_list_leaves_its_own_alone(void **state)
{
  (void)state;
  int answers[2], orders[2];
  char answer;
  assert_int_equal(pipe(answers), 0);
  assert_int_equal(pipe(orders), 0);
  pid_t pid = fork();
  if (pid == 0) {
    struct channel_writer own;
    close(orders[1]);
    channel_create(&own);
    channel_publish(&own);
    struct rperf_top_list *list = rperf_top_list_read(NULL);
    answer = (char)('0' + rperf_top_list_count(list));
    if (write(answers[1], &answer, 1) != 1 || read(orders[0], &answer, 1) != 0) _exit(1);
    _exit(0);
  }
  close(orders[0]);
  assert_int_equal(read(answers[0], &answer, 1), 1);
  assert_int_equal(answer, '0');
  struct rperf_top_list *list = rperf_top_list_read(NULL);
  const struct rperf_top_process *process = rperf_top_list_get(list, 0);
  assert_non_null(process);
  assert_int_equal(process->pid, pid);
  assert_int_equal(process->state, RPERF_TOP_LIVE);
  rperf_top_list_free(list);
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  close(orders[1]);
  close(answers[0]);
  close(answers[1]);
}

static void refused(const struct rperf_top_options *options, enum rperf_top_error_code code, const char *words)
{
  struct rperf_top_error error;
  assert_null(rperf_top_open(options, &error));
  assert_int_equal(error.code, code);
  assert_non_null(strstr(error.text, words));
  assert_null(rperf_top_open(options, NULL));
}

static void test_refusals(void **state)
{
  (void)state;
  pid_t own = getpid(), none = 0, gone = fork();
  const char *nobody = "no program is called so", *empty = "";
  if (gone == 0) _exit(0);
  waitpid(gone, NULL, 0);
  refused(&(struct rperf_top_options){ .pids = &own, .pid_count = 1 }, RPERF_TOP_ERROR_ARGUMENT, "`size`");
#define OPTIONS(...) &(struct rperf_top_options){ .size = sizeof(struct rperf_top_options), __VA_ARGS__ }
  refused(OPTIONS(.flags = 0), RPERF_TOP_ERROR_ARGUMENT, "nothing to follow");
  refused(OPTIONS(.pids = &own, .pid_count = 1), RPERF_TOP_ERROR_ARGUMENT, "itself");
  refused(OPTIONS(.pids = &none, .pid_count = 1), RPERF_TOP_ERROR_ARGUMENT, "positive");
  refused(OPTIONS(.pids = &gone, .pid_count = 1), RPERF_TOP_ERROR_NOT_FOUND, "no process");
  refused(OPTIONS(.names = &nobody, .name_count = 1), RPERF_TOP_ERROR_NOT_FOUND, nobody);
  refused(OPTIONS(.names = &empty, .name_count = 1), RPERF_TOP_ERROR_ARGUMENT, "name");
  refused(OPTIONS(.pids = &gone, .pid_count = 1, .rate_hz = 10001), RPERF_TOP_ERROR_ARGUMENT, "10000");
  refused(OPTIONS(.pids = &gone, .pid_count = 1, .memory_bytes = 1), RPERF_TOP_ERROR_ARGUMENT, "4 MB");
}

static void test_a_process_dies(void **state)
{
  (void)state;
  struct channel channel;
  channel_open(&channel);
  channel_tell(&channel, "ww");
  struct rperf_top_reader *reader = open_one(&channel);
  struct rperf_top_events *events = subscribe(reader, 1 << RPERF_TOP_PROCESS_ENDED | 1 << RPERF_TOP_PROCESS_JOINED);
  assert_int_equal(rperf_top_wait(reader, 1000), 2);
  assert_string_equal(told(events), "process-joined; ");
  assert_false(rperf_top_over(reader));
  assert_int_equal(rperf_top_wait(reader, 0), 0);
  channel_tell(&channel, "w");
  channel_kill(&channel);
  int64_t windows = 0, more;
  while ((more = rperf_top_wait(reader, 20000)) > 0) windows += more;
  assert_int_equal(more, -1);
  assert_int_equal(windows, 1);
  assert_true(rperf_top_over(reader));
  assert_string_equal(told(events), "process-ended; ");
  assert_int_equal(rperf_top_process_count(reader), 1);
  assert_int_equal(rperf_top_process_get(reader, 0)->state, RPERF_TOP_DEAD);
  assert_true(*rperf_top_process_get(reader, 0)->end != '\0');
  assert_null(rperf_top_process_get(reader, 1));
  rperf_top_close(reader);
  reader = open_one(&channel); /* what it left */
  assert_int_equal(rperf_top_wait(reader, -1), 3);
  assert_int_equal(rperf_top_wait(reader, -1), -1);
  rperf_top_close(reader);
  rperf_top_close(NULL);
}

/* ---- sums ------------------------------------------------------------------------------------------- */

static void test_sum(void **state)
{
  (void)state;
  struct channel channel;
  channel_open(&channel);
  channel_tell(&channel, "wswgw");
  struct rperf_top_reader *reader = open_one(&channel);
  assert_int_equal(rperf_top_poll(reader), 3);
  struct rperf_top_sum *sum = rperf_top_sum_make(reader, NULL, NULL, NULL);
  struct rperf_top_span last;
  rperf_top_last(reader, 100000000, &last);
  struct rperf_top_sum *newest = rperf_top_sum_make(reader, &last, NULL, NULL);
  rperf_top_close(reader);
  channel_kill(&channel);
  const struct rperf_top_totals *totals = rperf_top_sum_totals(sum);
  assert_int_equal(totals->windows, 3);
  assert_int_equal(totals->length_ns, 300000000);
  assert_int_equal(totals->gc_minor, 2);
  assert_int_equal(totals->exceptions, 3);
  assert_int_equal(totals->cost.wall_ns[RPERF_TOP_RUNNING], 270000000);
  assert_int_equal(totals->cost.wall_ns[RPERF_TOP_MARKING], 30000000);
  assert_int_equal(totals->cost.wall_ns[RPERF_TOP_BLOCKED], 200000000);
  const struct rperf_top_method *leaf = method_called(sum, "leaf"), *root = method_called(sum, "root method");
  assert_non_null(leaf);
  assert_non_null(root);
  assert_string_equal(leaf->path, "/app/x.rb");
  assert_int_equal(leaf->line, 3);
  assert_int_equal(leaf->kind, RPERF_TOP_METHOD_RUBY);
  assert_int_equal(leaf->self_ns, 500000000);
  assert_int_equal(root->self_ns, 0);
  assert_int_equal(root->total_ns, 500000000);
  assert_ptr_equal(rperf_top_sum_method(sum, 0), leaf);
  assert_null(rperf_top_sum_method(sum, rperf_top_sum_method_count(sum)));
  assert_int_equal(rperf_top_sum_thread_count(sum), 2);
  assert_int_equal(rperf_top_sum_label_count(sum), 0);
  const struct rperf_top_thread *main_thread = rperf_top_sum_thread(sum, 0), *worker = rperf_top_sum_thread(sum, 1);
  assert_string_equal(main_thread->name, "main");
  assert_true(main_thread->is_main);
  assert_int_equal(main_thread->pid, channel.pid);
  assert_string_equal(worker->name, "worker");
  assert_string_equal(worker->where, "leaf");
  assert_int_equal(worker->state, RPERF_TOP_BLOCKED);
  assert_int_equal(worker->cost.wall_ns[RPERF_TOP_BLOCKED], 200000000);
  assert_null(rperf_top_sum_thread(sum, 2));
  assert_int_equal(rperf_top_sum_totals(newest)->windows, 1);
  rperf_top_sum_free(newest);
  rperf_top_sum_free(sum);
  rperf_top_sum_free(NULL);
}

/* ---- labelled work ---------------------------------------------------------------------------------- */

static void check_latency(const struct rperf_top_sum *sum)
{
  const struct rperf_top_latency *whole = rperf_top_sum_latency(sum, 0, RPERF_TOP_CAUSE_WHOLE);
  const struct rperf_top_latency *gvl = rperf_top_sum_latency(sum, 0, RPERF_TOP_CAUSE_GVL);
  assert_non_null(whole);
  assert_true(whole->count == 2 && whole->sum_ns == 100000000 && whole->max_ns == 60000000 && whole->known);
  assert_in_range(whole->p50_ns, 39600000, 40400000);
  assert_int_equal(whole->p99_ns, 60000000);
  assert_true(gvl->count == 2 && gvl->sum_ns == 50000000 && gvl->max_ns == 30000000);
  assert_false(gvl->known); /* no lengths of it were told */
  assert_int_equal(gvl->p50_ns, 0);
  assert_int_equal(rperf_top_sum_latency(sum, 0, RPERF_TOP_CAUSE_LOCK)->sum_ns, 0);
  assert_null(rperf_top_sum_latency(sum, 0, RPERF_TOP_CAUSES));
  assert_null(rperf_top_sum_latency(sum, 1, RPERF_TOP_CAUSE_WHOLE));
  assert_string_equal(rperf_top_cause_name(RPERF_TOP_CAUSE_WHOLE), "whole");
  assert_string_equal(rperf_top_cause_name(RPERF_TOP_CAUSE_GC_OTHERS), "gc_others");
  assert_string_equal(rperf_top_cause_name(RPERF_TOP_CAUSES), "");
}

static void check_request(const struct rperf_top_sum *sum, pid_t pid)
{
  const struct rperf_top_request *request = rperf_top_sum_request(sum, 0);
  assert_int_equal(rperf_top_sum_request_count(sum), 1);
  assert_null(rperf_top_sum_request(sum, 1));
  assert_string_equal(request->labels, "endpoint=GET /?a");
  assert_string_equal(request->thread, "main");
  assert_true(request->pid == pid && request->serial == 1);
  assert_int_equal(request->end_ns - request->start_ns, 60000000);
  assert_int_equal(request->took_ns[RPERF_TOP_CAUSE_WHOLE], 60000000);
  assert_int_equal(request->took_ns[RPERF_TOP_CAUSE_GVL], 30000000);
  assert_int_equal(request->took_ns[RPERF_TOP_CAUSE_SLEEP], 30000000);
  assert_int_equal(request->took_ns[RPERF_TOP_CAUSES], 0);
  assert_true(request->share >= 0 && request->share <= 1);
  assert_true(request->gvl_thread && request->gvl_method && request->lock_thread && request->method);
  assert_string_equal(request->lock_method, "");
}

static void test_latency_of_labels(void **state)
{
  (void)state;
  struct channel channel;
  channel_open(&channel);
  channel_tell(&channel, "waw");
  struct rperf_top_reader *reader = open_one(&channel);
  assert_int_equal(rperf_top_poll(reader), 2);
  struct rperf_top_sum *sum = rperf_top_sum_make(reader, NULL, NULL, NULL);
  struct rperf_top_filter slower = { .size = sizeof slower, .slower_ns = 61000000 };
  struct rperf_top_filter older = { .size = offsetof(struct rperf_top_filter, slower_ns), .slower_ns = UINT64_MAX };
  struct rperf_top_filter some = { .size = sizeof some, .threads = "nobody" };
  struct rperf_top_sum *few = rperf_top_sum_make(reader, NULL, &slower, NULL);
  struct rperf_top_sum *same = rperf_top_sum_make(reader, NULL, &older, NULL);
  struct rperf_top_sum *none = rperf_top_sum_make(reader, NULL, &some, NULL);
  rperf_top_close(reader);
  const struct rperf_top_label *label = rperf_top_sum_label(sum, 0);
  assert_int_equal(rperf_top_sum_label_count(sum), 1);
  assert_string_equal(label->value, "GET /?a");
  assert_true(label->ended == 2 && label->open == 1 && label->oldest_ns == 7000000000);
  check_latency(sum);
  check_request(sum, channel.pid);
  const struct rperf_top_behind *behind = rperf_top_sum_behind(sum, 0);
  assert_int_equal(rperf_top_sum_behind_count(sum), 1);
  assert_null(rperf_top_sum_behind(sum, 1));
  assert_string_equal(behind->value, "GET /?a");
  assert_string_equal(behind->holder, "nightly");
  assert_string_equal(behind->method, "");
  assert_true(behind->cause == RPERF_TOP_BEHIND_GVL && behind->count == 3 && behind->wait_ns == 50000000);
  assert_int_equal(rperf_top_sum_request_count(few), 0);
  assert_int_equal(rperf_top_sum_request_count(same), 1); /* who does not know a member does not set it */
  assert_int_equal(rperf_top_sum_request_count(none), 0); /* of threads that are left out nothing is told apart */
  assert_int_equal(rperf_top_sum_behind_count(none), 0);
  assert_null(rperf_top_sum_latency(none, 0, RPERF_TOP_CAUSE_WHOLE));
  rperf_top_sum_free(none);
  rperf_top_sum_free(same);
  rperf_top_sum_free(few);
  rperf_top_sum_free(sum);
  channel_kill(&channel);
}

#define FILTER(...)                                                                                                    \
  &(struct rperf_top_filter)                                                                                           \
  {                                                                                                                    \
    .size = sizeof(struct rperf_top_filter), __VA_ARGS__                                                               \
  }

static size_t methods_by(struct rperf_top_reader *reader, const struct rperf_top_filter *filter, const char *first)
{
  struct rperf_top_error error;
  struct rperf_top_sum *sum = rperf_top_sum_make(reader, NULL, filter, &error);
  if (!sum) print_error("%s\n", error.text);
  assert_non_null(sum);
  size_t count = rperf_top_sum_method_count(sum);
  if (first) assert_string_equal(rperf_top_sum_method(sum, 0)->name, first);
  rperf_top_sum_free(sum);
  return count;
}

static void test_filters(void **state)
{
  (void)state;
  struct channel one, other;
  channel_open(&one);
  channel_open(&other);
  channel_tell(&one, "wsw");
  channel_tell(&other, "nw");
  struct rperf_top_reader *reader = open_pids((pid_t[]){ one.pid, other.pid }, 2);
  assert_int_equal(rperf_top_poll(reader), 3);
  size_t all = methods_by(reader, NULL, NULL);
  assert_int_equal(all, 3);
  assert_int_equal(methods_by(reader, FILTER(.methods = "leaf"), "leaf"), 1);
  assert_int_equal(methods_by(reader, FILTER(.methods = "!leaf"), NULL), 2);
  assert_int_equal(methods_by(reader, FILTER(.methods = "x[.]rb$", .sort = "name"), "leaf"), 3);
  assert_int_equal(methods_by(reader, FILTER(.exclude = "/app/"), "(root)"), 1);
  assert_int_equal(methods_by(reader, FILTER(.merge = "file"), "/app/x.rb"), 1);
  assert_int_equal(methods_by(reader, FILTER(.pid = one.pid), "leaf"), 2);
  assert_int_equal(methods_by(reader, FILTER(.flags = RPERF_TOP_PROCESSES), NULL), 5);
  assert_int_equal(methods_by(reader, NULL, NULL), all); /* nothing of a filter stays */
  struct rperf_top_sum *sum = rperf_top_sum_make(reader, NULL, FILTER(.threads = "^work"), NULL);
  assert_int_equal(rperf_top_sum_thread_count(sum), 1);
  assert_int_equal(rperf_top_sum_totals(sum)->cost.wall_ns[RPERF_TOP_RUNNING], 0);
  assert_int_equal(rperf_top_sum_totals(sum)->cost.wall_ns[RPERF_TOP_BLOCKED], 100000000);
  rperf_top_sum_free(sum);
  sum = rperf_top_sum_make(reader, NULL, FILTER(.pid = other.pid), NULL);
  assert_int_equal(rperf_top_sum_thread_count(sum), 1);
  assert_int_equal(rperf_top_sum_totals(sum)->windows, 1);
  rperf_top_sum_free(sum);
  rperf_top_close(reader);
  channel_kill(&one);
  channel_kill(&other);
}

static void test_filters_that_mean_nothing(void **state)
{
  (void)state;
  struct channel channel;
  struct rperf_top_error error;
  static char long_words[5000];
  memset(long_words, 'x', sizeof long_words - 1);
  channel_open(&channel);
  channel_tell(&channel, "w");
  struct rperf_top_reader *reader = open_one(&channel);
  const struct rperf_top_filter *const bad[] = {
    &(struct rperf_top_filter){ .size = 4 },
    FILTER(.methods = "("),
    FILTER(.threads = "("),
    FILTER(.exclude = "gem:"),
    FILTER(.exclude = long_words),
    FILTER(.label = long_words),
    FILTER(.merge = "everything"),
    FILTER(.mode = "slow"),
    FILTER(.sort = "beauty"),
    FILTER(.sort = "delta"),
    FILTER(.pid = 1),
    FILTER(.methods = "((x{99}){99}){99}"),
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_null(rperf_top_sum_make(reader, NULL, bad[i], &error));
    assert_int_equal(error.code, RPERF_TOP_ERROR_ARGUMENT);
    assert_true(*error.text != '\0');
  }
  const struct rperf_top_event_filter wrong[] = {
    { .size = 1 },
    { .size = sizeof *wrong, .kinds = UINT32_C(1) << 31 },
    { .size = sizeof *wrong, .pattern = "(" },
    { .size = sizeof *wrong, .queue = 1 },
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_null(rperf_top_subscribe(reader, &wrong[i], &error));
    assert_int_equal(error.code, RPERF_TOP_ERROR_ARGUMENT);
  }
  for (int i = 0; i < 32; i++) subscribe(reader, 0);
  assert_null(rperf_top_subscribe(reader, NULL, &error));
  assert_int_equal(error.code, RPERF_TOP_ERROR_LIMIT);
  rperf_top_close(reader);
  channel_kill(&channel);
}

/* ---- events ----------------------------------------------------------------------------------------- */

static void test_events_come_in_order(void **state)
{
  (void)state;
  struct channel channel;
  channel_open(&channel);
  channel_tell(&channel, "w");
  struct rperf_top_reader *reader = open_one(&channel);
  struct rperf_top_events *events = subscribe(reader, 0), *marks = subscribe(reader, 1 << RPERF_TOP_MARK);
  assert_null(rperf_top_event_next(events));
  rperf_top_poll(reader);
  assert_string_equal(told(events), "process-joined; ");
  assert_string_equal(told(events), "");
  channel_tell(&channel, "swkwgwzww");
  rperf_top_poll(reader);
  assert_string_equal(told(events),
                      "thread-started worker; mark a ? mark; gc-begun; gc-ended; exception; thread-ended worker; ");
  assert_string_equal(told(marks), "mark a ? mark; ");
  channel_tell(&channel, "b");
  rperf_top_poll(reader);
  assert_string_equal(told(events), "gap; ");
  struct rperf_top_lost lost;
  rperf_top_events_lost(events, &lost);
  assert_int_equal(lost.events, 0);
  assert_int_equal(lost.gaps, 1);
  assert_int_equal(lost.gap_ns, 1000000000);
  rperf_top_unsubscribe(marks);
  rperf_top_close(reader);
  channel_kill(&channel);
}

static const struct rperf_top_event *next_raised(struct rperf_top_events *events, const char *class, uint64_t count)
{
  const struct rperf_top_event *event = rperf_top_event_next(events);
  assert_non_null(event);
  assert_int_equal(event->kind, RPERF_TOP_EXCEPTION);
  assert_string_equal(event->name, class);
  assert_int_equal(event->count, count);
  assert_int_equal(event->late, 0);
  return event;
}

static void test_exceptions_with_class_and_place(void **state)
{
  (void)state;
  struct channel channel;
  channel_open(&channel);
  channel_tell(&channel, "wrw");
  struct rperf_top_reader *reader = open_one(&channel);
  struct rperf_top_event_filter of_file = { .size = sizeof of_file, .pattern = "Missing leaf /app/x.rb:4$" };
  struct rperf_top_events *events = subscribe(reader, 1 << RPERF_TOP_EXCEPTION);
  struct rperf_top_events *some = rperf_top_subscribe(reader, &of_file, NULL);
  rperf_top_poll(reader);
  const struct rperf_top_event *event = next_raised(events, "Shop::?Missing", 3);
  assert_string_equal(event->method, "leaf");
  assert_string_equal(event->path, "/app/x.rb");
  assert_int_equal(event->line, 4);
  assert_string_equal(event->detail, "/app/x.rb:4");
  assert_true(event->serial == 1 && event->since_ns == event->time_ns);
  int64_t start_ns = event->time_ns;
  event = next_raised(events, "Shop::?Missing", 2);
  assert_true(event->serial == 7 && event->since_ns == start_ns + 40000000 && event->time_ns == start_ns + 60000000);
  event = next_raised(events, "", 2);
  assert_true(event->path[0] == '\0' && event->line == 0 && event->since_ns == start_ns);
  assert_int_equal(event->time_ns, start_ns + 100000000);
  assert_null(rperf_top_event_next(events));
  assert_string_equal(told(some), "exception Shop::?Missing; exception Shop::?Missing; ");
  rperf_top_close(reader);
  channel_kill(&channel);
}

static void test_what_events_say(void **state)
{
  (void)state;
  struct channel channel;
  channel_open(&channel);
  channel_tell(&channel, "wgkw");
  struct rperf_top_reader *reader = open_one(&channel);
  struct rperf_top_events *events = subscribe(reader, 1 << RPERF_TOP_GC_ENDED | 1 << RPERF_TOP_EXCEPTION |
                                                          1 << RPERF_TOP_WINDOW | 1 << RPERF_TOP_MARK);
  rperf_top_poll(reader);
  const struct rperf_top_event *event = rperf_top_event_next(events);
  assert_int_equal(event->kind, RPERF_TOP_WINDOW);
  assert_int_equal(event->wall_ns[RPERF_TOP_RUNNING], 100000000);
  assert_int_equal(event->length_ns, 100000000);
  int64_t second_ns = event->time_ns;
  event = rperf_top_event_next(events);
  assert_int_equal(event->kind, RPERF_TOP_MARK);
  assert_int_equal(event->time_ns, second_ns + 50000000);
  assert_int_equal(event->since_ns, event->time_ns);
  event = rperf_top_event_next(events);
  assert_int_equal(event->kind, RPERF_TOP_GC_ENDED);
  assert_int_equal(event->count, 2);
  assert_int_equal(event->length_ns, 30000000);
  assert_int_equal(event->since_ns, second_ns + 30000000);
  assert_int_equal(event->pid, channel.pid);
  event = rperf_top_event_next(events);
  assert_int_equal(event->kind, RPERF_TOP_EXCEPTION);
  assert_int_equal(event->count, 3);
  assert_string_equal(event->name, "");
  assert_int_equal(rperf_top_event_next(events)->kind, RPERF_TOP_WINDOW);
  assert_null(rperf_top_event_next(events));
  rperf_top_close(reader);
  channel_kill(&channel);
}

/* What one process tells waits for the other, but not for ever. */
static void test_order_over_processes(void **state)
{
  (void)state;
  struct channel first, second;
  channel_open(&first);
  channel_open(&second);
  channel_tell(&first, "w");
  channel_tell(&second, "w");
  struct rperf_top_reader *reader = open_pids((pid_t[]){ first.pid, second.pid }, 2);
  struct rperf_top_events *events = subscribe(reader, 1 << RPERF_TOP_MARK | 1 << RPERF_TOP_THREAD_STARTED);
  rperf_top_poll(reader);
  channel_tell(&first, "wwwwwwwkw");
  rperf_top_poll(reader);
  assert_string_equal(told(events), "");
  channel_tell(&second, "swwwwwwwwwww");
  rperf_top_poll(reader);
  const char *both = told(events); /* in the order of their times, whichever was made first */
  assert_non_null(strstr(both, "thread-started worker; "));
  assert_non_null(strstr(both, "mark a ? mark; "));
  channel_tell(&first, "kwwwwwwwwwwwww"); /* and the second one tells nothing */
  rperf_top_poll(reader);
  assert_string_equal(told(events), "mark a ? mark; ");
  channel_tell(&second, "kw");
  rperf_top_poll(reader);
  const struct rperf_top_event *late = rperf_top_event_next(events);
  assert_non_null(late);
  assert_int_equal(late->pid, second.pid);
  assert_int_equal(late->since_ns <= late->time_ns, true);
  assert_null(rperf_top_event_next(events));
  rperf_top_close(reader);
  channel_kill(&first);
  channel_kill(&second);
}

static void test_patterns_of_events(void **state)
{
  (void)state;
  struct channel channel;
  channel_open(&channel);
  channel_tell(&channel, "wswkwzw");
  struct rperf_top_reader *reader = open_one(&channel);
#define EVENTS(...)                                                                                                    \
  rperf_top_subscribe(                                                                                                 \
      reader, &(struct rperf_top_event_filter){ .size = sizeof(struct rperf_top_event_filter), __VA_ARGS__ }, NULL)
  struct rperf_top_events *workers = EVENTS(.pattern = "^worker "), *others = EVENTS(.pattern = "!work"),
                          *of_nobody = EVENTS(.pid = 1);
  rperf_top_poll(reader);
  assert_string_equal(told(workers), "thread-started worker; thread-ended worker; ");
  assert_string_equal(told(others), "process-joined; mark a ? mark; ");
  assert_string_equal(told(of_nobody), "");
  rperf_top_close(reader);
  channel_kill(&channel);
}

static void test_what_is_not_fetched_is_lost(void **state)
{
  (void)state;
  struct channel channel;
  struct rperf_top_lost lost;
  channel_open(&channel);
  struct rperf_top_reader *reader = open_one(&channel);
  struct rperf_top_events *events = EVENTS(.kinds = 1 << RPERF_TOP_MARK, .queue = 16);
  for (int i = 0; i < 50; i++) channel_tell(&channel, "kw"); /* all at once */
  rperf_top_poll(reader);
  for (int i = 0; i < 10; i++) { /* and one after the other */
    channel_tell(&channel, "kwl");
    rperf_top_poll(reader);
  }
  channel_tell(&channel, "w");
  rperf_top_poll(reader);
  rperf_top_events_lost(events, &lost);
  assert_int_equal(lost.events, 60 - 16);
  assert_int_equal(lost.threads, 20);
  int count = 0;
  while (rperf_top_event_next(events)) count++;
  assert_int_equal(count, 16);
  rperf_top_close(reader);
  channel_kill(&channel);
}

static void test_a_stall(void **state)
{
  (void)state;
  struct channel channel;
  channel_open(&channel);
  channel_tell(&channel, "w");
  struct rperf_top_reader *reader = open_one(&channel);
  struct rperf_top_events *events = subscribe(reader, 1 << RPERF_TOP_STALL | 1 << RPERF_TOP_STALL_ENDED);
  rperf_top_poll(reader);
  channel_tell(&channel, "swwwww"); /* half a second off the GVL is none */
  rperf_top_poll(reader);
  assert_string_equal(told(events), "");
  channel_tell(&channel, "wwwwwww");
  rperf_top_poll(reader);
  const struct rperf_top_event *event = rperf_top_event_next(events);
  assert_non_null(event);
  assert_int_equal(event->kind, RPERF_TOP_STALL);
  assert_string_equal(event->name, "blocked");
  assert_string_equal(event->method, "leaf");
  assert_non_null(strstr(event->detail, "(worker)"));
  assert_int_equal(event->time_ns - event->since_ns, 1200000000);
  uint64_t id = event->serial;
  assert_null(rperf_top_event_next(events));
  channel_tell(&channel, "zww");
  rperf_top_poll(reader);
  event = rperf_top_event_next(events);
  assert_non_null(event);
  assert_int_equal(event->kind, RPERF_TOP_STALL_ENDED);
  assert_int_equal(event->serial, id);
  assert_null(rperf_top_event_next(events));
  rperf_top_close(reader);
  channel_kill(&channel);
}

/* ---- what strangers do ------------------------------------------------------------------------------ */

static int segment_of(const struct channel *channel)
{
  char pattern[128];
  glob_t found;
  snprintf(pattern, sizeof pattern, "%s/rperf-top.*.%d.????????????????", getenv("RPERF_TOP_DIR"), (int)channel->pid);
  assert_int_equal(glob(pattern, 0, NULL, &found), 0);
  int fd = open(found.gl_pathv[0], O_RDWR | O_CLOEXEC);
  globfree(&found);
  assert_true(fd >= 0);
  return fd;
}

/* Whatever stands there: an answer, and the sums make sense. */
static void test_a_damaged_segment(void **state)
{
  (void)state;
  srand(1);
  for (int round = 0; round < 16; round++) {
    struct channel channel;
    struct stat status;
    channel_open(&channel);
    channel_tell(&channel, "wswkwgw");
    struct rperf_top_reader *reader = open_one(&channel);
    struct rperf_top_events *events = subscribe(reader, 0);
    if (round % 2) rperf_top_poll(reader);
    int fd = segment_of(&channel);
    assert_int_equal(fstat(fd, &status), 0);
    for (int i = 0; i < 2000; i++) {
      unsigned char byte = (unsigned char)rand();
      off_t where = 4096 + rand() % (i % 2 ? 16384 : status.st_size - 4096);
      assert_int_equal(pwrite(fd, &byte, 1, where), 1);
    }
    if (round % 4 == 3) assert_int_equal(ftruncate(fd, rand() % 8192), 0);
    for (int i = 0; i < 5; i++) rperf_top_poll(reader);
    told(events);
    struct rperf_top_sum *sum = rperf_top_sum_make(reader, NULL, NULL, NULL);
    assert_non_null(sum);
    for (size_t i = 0; i < rperf_top_sum_method_count(sum); i++) {
      const struct rperf_top_method *method = rperf_top_sum_method(sum, i);
      assert_true(method->self_ns <= method->total_ns);
      assert_null(strpbrk(method->name, "\x1b\n"));
    }
    rperf_top_sum_free(sum);
    rperf_top_list_free(rperf_top_list_read(NULL));
    rperf_top_close(reader);
    close(fd);
    channel_kill(&channel);
  }
}

/* Another user's channel is read by another process, and nothing of it is mapped here. */
static void test_root_reads_for_another_user(void **state)
{
  (void)state;
  struct channel channel;
  if (geteuid() != 0) skip();
  channel_open(&channel);
  channel_tell(&channel, "wkw");
  struct rperf_top_reader *reader = open_one(&channel);
  struct rperf_top_events *marks = subscribe(reader, 1 << RPERF_TOP_MARK);
  assert_int_equal(rperf_top_poll(reader), 2);
  assert_string_equal(told(marks), "mark a ? mark; ");
  assert_int_equal(rperf_top_process_get(reader, 0)->uid, channel_user);
  char line[512];
  FILE *maps = fopen("/proc/self/maps", "re");
  while (fgets(line, sizeof line, maps)) {
    char name[64];
    snprintf(name, sizeof name, ".%d.", (int)channel.pid);
    if (strstr(line, "/rperf-top.") && strstr(line, name)) assert_non_null(strstr(line, ".ctl"));
  }
  fclose(maps);
  rperf_top_close(reader);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), 0); /* only the channel is left: what read it is gone */
  channel_kill(&channel);
}

/* ---- threads ---------------------------------------------------------------------------------------- */

struct work {
  const struct channel *channel;
  const char *bad;
  int rounds, failures;
};

static void *read_again_and_again(void *argument)
{
  struct work *work = argument;
  char quoted[16];
  for (int i = 0; i < work->rounds; i++) {
    struct rperf_top_error error;
    struct rperf_top_options options = { .size = sizeof options, .pids = &work->channel->pid, .pid_count = 1 };
    struct rperf_top_reader *reader = rperf_top_open(&options, &error);
    if (!reader) return work->failures++, NULL;
    struct rperf_top_events *events = rperf_top_subscribe(reader, NULL, NULL);
    rperf_top_poll(reader);
    struct rperf_top_sum *sum = rperf_top_sum_make(reader, NULL, FILTER(.methods = "leaf"), NULL);
    work->failures += !sum || rperf_top_sum_method_count(sum) != 1 ||
                      rperf_top_sum_totals(sum)->cost.wall_ns[RPERF_TOP_RUNNING] != 400000000;
    work->failures += rperf_top_sum_make(reader, NULL, FILTER(.exclude = work->bad), &error) != NULL;
    snprintf(quoted, sizeof quoted, "'%s'", work->bad);
    work->failures += !strstr(error.text, quoted);
    const struct rperf_top_event *event = rperf_top_event_next(events);
    work->failures += !event || event->pid != work->channel->pid;
    struct rperf_top_list *list = rperf_top_list_read(NULL);
    work->failures += rperf_top_list_count(list) != 2;
    rperf_top_list_free(list);
    rperf_top_sum_free(sum);
    rperf_top_close(reader);
  }
  return NULL;
}

static void test_two_readers_in_two_threads(void **state)
{
  (void)state;
  struct channel one, other;
  pthread_t threads[2];
  channel_open(&one);
  channel_open(&other);
  channel_tell(&one, "wwwkw");
  channel_tell(&other, "wwwkw");
  struct work works[2] = { { &one, "gem:", 25, 0 }, { &other, "!", 25, 0 } };
  for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, read_again_and_again, &works[i]), 0);
  for (int i = 0; i < 2; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
  assert_int_equal(works[0].failures, 0);
  assert_int_equal(works[1].failures, 0);
  channel_kill(&one);
  channel_kill(&other);
}

static int own_folder(void **state)
{
  channel_user = 0;
  return channel_folder(state);
}

int main(int argc, char **argv)
{
  channel_serve_if_told(argc, argv);
#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, own_folder, channel_remove_folder)
  const struct CMUnitTest tests[] = {
    IN_A_FOLDER(test_list),
    IN_A_FOLDER(test_list_leaves_its_own_alone),
    IN_A_FOLDER(test_refusals),
    IN_A_FOLDER(test_a_process_dies),
    IN_A_FOLDER(test_sum),
    IN_A_FOLDER(test_latency_of_labels),
    IN_A_FOLDER(test_filters),
    IN_A_FOLDER(test_filters_that_mean_nothing),
    IN_A_FOLDER(test_events_come_in_order),
    IN_A_FOLDER(test_exceptions_with_class_and_place),
    IN_A_FOLDER(test_what_events_say),
    IN_A_FOLDER(test_order_over_processes),
    IN_A_FOLDER(test_patterns_of_events),
    IN_A_FOLDER(test_what_is_not_fetched_is_lost),
    IN_A_FOLDER(test_a_stall),
    IN_A_FOLDER(test_a_damaged_segment),
    IN_A_FOLDER(test_two_readers_in_two_threads),
    cmocka_unit_test_setup_teardown(test_root_reads_for_another_user, channel_folder_of_another, channel_remove_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
