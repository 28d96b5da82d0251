#include "tests/tui/channel_fixture.h"

#include "tui/cli/list_print.h"
#include "tui/feed/list.h"

static void test_print(void **state)
{
  (void)state;
  struct channel live;
  char *text = NULL, expected[96];
  size_t bytes = 0;
  channel_open(&live);
  channel_tell(&live, "w");
  FILE *out = open_memstream(&text, &bytes);
  assert_int_equal(rtop_list_print(out), 0);
  fclose(out);
  assert_memory_equal(text, "    PID USER       STATE ", 25);
  struct rtop_list_row row;
  assert_int_equal(rtop_list_read(&row, 1), 1);
  snprintf(expected, sizeof expected, "%7d %-10s live ", (int)live.pid, row.user);
  assert_non_null(strstr(text, expected));
  assert_non_null(strstr(text, " ruby te?st.rb\n"));
  assert_null(strchr(text, '\x1b'));
  free(text);
  channel_kill(&live);
}

/* What a living process suffers from stands before its command, without the process being watched. */
static void test_print_verdict(void **state)
{
  (void)state;
  struct channel live;
  char *text = NULL;
  size_t bytes = 0;
  channel_open(&live);
  channel_tell(&live, "bbbbbbbb");
  FILE *out = open_memstream(&text, &bytes);
  assert_int_equal(rtop_list_print(out), 0);
  fclose(out);
  assert_non_null(strstr(text, " RUBY     VERDICT                                  COMMAND\n"));
  const char *verdict = strstr(text, " running");
  assert_non_null(verdict);
  assert_memory_equal(verdict + 41, " ruby te?st.rb\n", 15);
  free(text);
  channel_kill(&live);
}

static void test_print_says_how_it_ended(void **state)
{
  (void)state;
  struct channel dead;
  char *text = NULL;
  size_t bytes = 0;
  channel_open(&dead);
  channel_tell(&dead, "w");
  channel_kill(&dead);
  FILE *out = open_memstream(&text, &bytes);
  assert_int_equal(rtop_list_print(out), 0);
  fclose(out);
  assert_non_null(strstr(text, " ruby te?st.rb  (killed, crashed, exit! or exec)\n"));
  free(text);
}

int main(int argc, char **argv)
{
  channel_serve_if_told(argc, argv);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_print),
    cmocka_unit_test(test_print_verdict),
    cmocka_unit_test(test_print_says_how_it_ended),
  };
  return cmocka_run_group_tests(tests, channel_folder, channel_remove_folder);
}
