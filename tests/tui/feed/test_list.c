#include "tests/tui/channel_fixture.h"

#include "tui/feed/list.h"

static struct rtop_list_row rows[RTOP_LIST_MAX];

static const struct rtop_list_row *row_of(pid_t pid, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (rows[i].pid == pid) return &rows[i];
  return NULL;
}

static void test_live_and_dead(void **state)
{
  (void)state;
  struct channel live, dead;
  channel_open(&dead);
  channel_tell(&dead, "www");
  channel_kill(&dead);
  channel_open(&live);
  channel_tell(&live, "ww");
  size_t count = rtop_list_read(rows, RTOP_LIST_MAX);
  const struct rtop_list_row *row = row_of(live.pid, count), *other = row_of(dead.pid, count);
  assert_non_null(row);
  assert_non_null(other);
  assert_int_equal(row->state, RTOP_FEED_LIVE);
  assert_int_equal(row->rate_hz, 100);
  assert_int_equal(row->threads, 1);
  assert_int_equal(row->uid, geteuid());
  assert_true(strlen(row->user) > 0);
  assert_string_equal(row->ruby, "3.3.8");
  assert_string_equal(row->command, "ruby te?st.rb");
  assert_string_equal(other->command, "ruby te?st.rb");
  assert_in_range(row->age_ns, 0, INT64_C(60000000000));
  assert_int_equal(other->state, RTOP_FEED_DEAD);
  assert_int_equal(other->rate_hz, 0);
  assert_string_equal(row->end, "");
  assert_string_equal(other->does, ""); /* it does nothing any more */
  assert_string_equal(row->does, row->held >= 0.1 ? "runs" : "waits");
  assert_true(row->cores >= 0 && row->held >= 0 && row->held <= 1);
  assert_string_equal(other->end, "killed, crashed, exit! or exec");
  assert_true(row < other); /* the living first */
  channel_tell(&live, "t"); /* it gives itself another name */
  count = rtop_list_read(rows, RTOP_LIST_MAX);
  assert_string_equal(row_of(live.pid, count)->command, "puma: worker 3");
  assert_int_equal(rtop_list_read(rows, 1), 1); /* never more than there is room for */
  channel_kill(&live);
}

/* What a process left when it became another program was not killed: neither while that one lives nor when both
 * are gone. */
static void test_replaced_by_exec(void **state)
{
  (void)state;
  struct channel channel;
  channel_open(&channel);
  channel_tell(&channel, "wwew"); /* the first has windows, then comes another program with its own */
  for (int gone = 0; gone < 2; gone++) {
    size_t count = rtop_list_read(rows, RTOP_LIST_MAX), found = 0;
    for (size_t i = 0; i < count; i++) {
      if (rows[i].pid != channel.pid) continue;
      bool first = found++ == 1; /* behind the younger one */
      assert_string_equal(rtop_list_state_name(rows[i].state, rows[i].by_exec), first  ? "exec"
                                                                                : gone ? "dead"
                                                                                       : "live");
      assert_int_equal(rows[i].by_exec, first);
      if (first) assert_memory_equal(rows[i].end, "became ", 7);
    }
    assert_int_equal(found, 2);
    if (!gone) channel_kill(&channel);
  }
}

static void assert_age(int64_t seconds, const char *expected)
{
  char out[16];
  rtop_list_age(out, sizeof out, seconds * 1000000000);
  assert_string_equal(out, expected);
  assert_true(strlen(out) <= 6);
}

static void test_age(void **state)
{
  (void)state;
  assert_age(-5, "0 s");
  assert_age(0, "0 s");
  assert_age(119, "119 s");
  assert_age(120, "2 m");
  assert_age(7199, "119 m");
  assert_age(7200, "2 h");
  assert_age(172800, "2 d");
  assert_age(9000000000, "9999 d");
}

/* A process with two channels, its child, and another process: four rows, nobody twice. */
static void test_two_channels_of_one_process(void **state)
{
  (void)state;
  struct channel other;
  pid_t child;
  int told[2];
  channel_open(&other);
  assert_int_equal(pipe(told), 0);
  pid_t pid = fork();
  if (pid == 0) {
    struct channel_writer first, second;
    struct channel below;
    channel_create(&first);
    channel_create(&second);
    channel_open(&below);
    if (write(told[1], &below.pid, sizeof below.pid) < 0) _exit(1);
    for (;;) pause();
  }
  assert_int_equal(read(told[0], &child, sizeof child), sizeof child);
  unsigned of_other = 0, of_parent = 0, of_child = 0;
  size_t count = rtop_list_read(rows, RTOP_LIST_MAX);
  for (size_t i = 0; i < count; i++) {
    of_other += rows[i].pid == other.pid;
    of_parent += rows[i].pid == pid;
    of_child += rows[i].pid == child && rows[i].parent == pid && rows[i].depth == 1;
  }
  assert_int_equal(of_other, 1);
  assert_int_equal(of_parent, 2);
  assert_int_equal(of_child, 1);
  kill(child, SIGKILL);
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  close(told[0]);
  close(told[1]);
  channel_kill(&other);
}

int main(int argc, char **argv)
{
  channel_serve_if_told(argc, argv);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_live_and_dead),
    cmocka_unit_test(test_replaced_by_exec),
    cmocka_unit_test(test_age),
    cmocka_unit_test(test_two_channels_of_one_process),
  };
  return cmocka_run_group_tests(tests, channel_folder, channel_remove_folder);
}
