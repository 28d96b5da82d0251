/* Starting the user's editor: words without a shell, status, signals. */
#include "tui/app/editor.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void check(const char *editor, uint32_t line, const char *path, const char *wanted)
{
  char text[128], place[128], all[256] = "", *words[EDITOR_WORDS_MAX];
  strcpy(text, editor);
  size_t count = editor_words(words, text, line, path, place, sizeof place);
  for (size_t i = 0; i < count; i++) {
    strcat(all, words[i]);
    strcat(all, "|");
  }
  assert_null(words[count]);
  assert_string_equal(all, wanted);
}

static void test_words(void **state)
{
  (void)state;
  check("vim", 7, "/a b.rb", "vim|+7|/a b.rb|");
  check(" emacs  -nw\t-Q ", 0, "/a.rb", "emacs|-nw|-Q|/a.rb|");
  check("", 3, "/a.rb", "vi|+3|/a.rb|");
  check("vi; rm -rf $HOME `x`", 1, "/a.rb", "vi;|rm|-rf|$HOME|`x`|+1|/a.rb|");
  check("vi", 1, "-c:q!", "vi|+1|./-c:q!|");
  check("vi", 1, "+!x", "vi|+1|./+!x|");
  check("a a a a a a a a a a a a a a a a a a", 1, "/x", "a|a|a|a|a|a|a|a|a|a|a|a|+1|/x|");
}

static int run(const char *editor, uint32_t line, const char *path)
{
  int status = -1;
  setenv("VISUAL", editor, 1);
  pid_t pid = editor_start(line, path, (uid_t)-1);
  assert_true(pid > 0);
  for (int tries = 0; tries < 5000; tries++) {
    if (editor_ended(pid, &status)) return status;
    poll(NULL, 0, 2);
  }
  fail_msg("%s did not end", editor);
  return -1;
}

static void test_status(void **state)
{
  (void)state;
  assert_int_equal(run("true", 3, "/a.rb"), 0);
  assert_int_equal(run("false", 3, "/a.rb"), 1);
  assert_int_equal(run("/no/such/editor", 3, "/a.rb"), 127);
  assert_int_equal(run("test -e", 0, "/dev/null"), 0);
  assert_int_equal(run("test -e", 0, "$(true)"), 1);
  setenv("EDITOR", "false", 1);
  assert_int_equal(run("  ", 0, "/a.rb"), 1); /* an empty VISUAL is none */
}

static void on_interrupt(int number)
{
  (void)number;
}

/* Ctrl-C is the editor's while it runs, ours again after it. */
static void test_signals(void **state)
{
  (void)state;
  struct sigaction ours = { .sa_handler = on_interrupt }, now;
  sigaction(SIGINT, &ours, NULL);
  setenv("VISUAL", "sleep", 1);
  pid_t pid = editor_start(0, "/", (uid_t)-1); /* a wrong argument: it ends by itself */
  sigaction(SIGINT, NULL, &now);
  assert_true(now.sa_handler == SIG_IGN);
  int status = 0;
  for (int tries = 0; tries < 5000 && !editor_ended(pid, &status); tries++) poll(NULL, 0, 2);
  assert_int_equal(status, 1);
  sigaction(SIGINT, NULL, &now);
  assert_true(now.sa_handler == on_interrupt);
}

/* A file that another user named is not for root's editor. */
static void test_root_lends_nobody_its_rights(void **state)
{
  (void)state;
  enum { NOBODY = 65534 };
  uid_t user = 0;
  unsetenv("SUDO_UID");
  assert_true(editor_user(geteuid(), &user));
  assert_int_equal(user, (uid_t)-1);
  if (geteuid() != 0) {
    assert_true(editor_user(0, &user)); /* it is refused by the kernel */
    skip();
  }
  static const char *const wrong[] = { "", "0", "x", "65534x", "-1", "4294967295", "99999999999", "31415926" };
  assert_false(editor_user(NOBODY, &user));
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    setenv("SUDO_UID", wrong[i], 1);
    assert_false(editor_user(NOBODY, &user));
  }
  setenv("SUDO_UID", "65534", 1);
  assert_true(editor_user(NOBODY, &user));
  assert_int_equal(user, NOBODY);
  assert_true(editor_user(0, &user));
  assert_int_equal(user, (uid_t)-1);
  setenv("VISUAL", "test -r", 1);
  int status = -1;
  pid_t pid = editor_start(0, "/etc/shadow", NOBODY);
  for (int tries = 0; tries < 5000 && !editor_ended(pid, &status); tries++) poll(NULL, 0, 2);
  assert_int_equal(status, 1);
  assert_int_equal(run("test -r", 0, "/etc/shadow"), 0);
  unsetenv("SUDO_UID");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_words),
    cmocka_unit_test(test_status),
    cmocka_unit_test(test_signals),
    cmocka_unit_test(test_root_lends_nobody_its_rights),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
