/* Files of a stranger: found, bounded, made safe. */
#include "tui/source_file.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[] = "/tmp/rtop-source.XXXXXX";
static char path[256];
static struct source_file file;

static int set_up(void **state)
{
  (void)state;
  strcpy(folder, "/tmp/rtop-source.XXXXXX");
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/a.rb", folder);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  source_file_close(&file);
  unlink(path);
  rmdir(folder);
  return 0;
}

static void write_file(const char *bytes, size_t count)
{
  FILE *out = fopen(path, "we");
  assert_non_null(out);
  assert_int_equal(fwrite(bytes, 1, count, out), count);
  fclose(out);
}

static const char *line(uint32_t number)
{
  static char text[256];
  source_file_line(&file, number, text, sizeof text);
  return text;
}

static void open_text(const char *text)
{
  write_file(text, strlen(text));
  source_file_open(&file, 0, path);
  assert_int_equal(file.state, SOURCE_READY);
}

static void test_lines(void **state)
{
  (void)state;
  open_text("def a\n\tb\r\n\nend");
  assert_int_equal(file.line_count, 4);
  assert_string_equal(line(1), "def a");
  assert_string_equal(line(2), "        b");
  assert_string_equal(line(3), "");
  assert_string_equal(line(4), "end");
  assert_string_equal(line(5), "");
  assert_string_equal(line(0), "");
  open_text("one\n");
  assert_int_equal(file.line_count, 1);
  open_text("\n\n");
  assert_int_equal(file.line_count, 2);
  open_text("");
  assert_int_equal(file.line_count, 0);
  assert_string_equal(line(1), "");
}

static void test_hostile_text(void **state)
{
  (void)state;
  static const char bytes[] = "a\033[2Jb\n\xff\xfe\n\xe2\x80\xaex\n\0y\n";
  write_file(bytes, sizeof bytes - 1);
  source_file_open(&file, 0, path);
  assert_int_equal(file.line_count, 4);
  assert_string_equal(line(1), "a?[2Jb");
  assert_null(strchr(line(2), '\xff'));
  assert_string_equal(line(3), "?x");
  assert_string_equal(line(4), "?y");
}

static void test_long_line_and_large_file(void **state)
{
  (void)state;
  size_t count = SOURCE_BYTES_MAX + 100;
  char *bytes = malloc(count);
  assert_non_null(bytes);
  memset(bytes, 'x', count);
  write_file(bytes, count);
  source_file_open(&file, 0, path);
  assert_true(file.cut);
  assert_int_equal(file.line_count, 1);
  assert_int_equal(strlen(line(1)), 255);
  memset(bytes, '\n', count);
  write_file(bytes, count);
  source_file_open(&file, 0, path);
  assert_int_equal(file.line_count, SOURCE_LINES_MAX);
  assert_string_equal(line(SOURCE_LINES_MAX), "");
  free(bytes);
}

static void test_what_is_no_file(void **state)
{
  (void)state;
  static const char *const none[] = { "", "(eval at /x.rb:1)", "-e", "-", "/", "/dev/zero", "/dev/tty" };
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
    source_file_open(&file, 0, none[i]);
    assert_true(file.state == SOURCE_NOT_A_FILE || strcmp(none[i], "/dev/tty") == 0);
    assert_int_equal(file.line_count, 0);
  }
  snprintf(path, sizeof path, "%s/fifo", folder);
  assert_int_equal(mkfifo(path, 0600), 0);
  source_file_open(&file, 0, path);    /* nobody writes: it must not wait */
  assert_int_equal(file.state, SOURCE_NOT_A_FILE);
  source_file_open(&file, 0, "/no/such/file.rb");
  assert_int_equal(file.state, SOURCE_MISSING);
}

/* Below the root and the folder of a process. */
static void test_root_of_a_process(void **state)
{
  (void)state;
  write_file("hello\n", 6);
  source_file_open(&file, getpid(), path);
  assert_int_equal(file.state, SOURCE_READY);
  assert_string_equal(line(1), "hello");
  assert_true(strstr(file.opened, path) != NULL);
  char before[256];
  assert_non_null(getcwd(before, sizeof before));
  assert_int_equal(chdir(folder), 0);
  source_file_open(&file, getpid(), "a.rb");
  assert_int_equal(chdir(before), 0);
  assert_int_equal(file.state, SOURCE_READY);
  assert_string_equal(line(1), "hello");
}

/* A process with another root, as in a container: its file, not ours of the same name. Needs the right to
 * change the root. */
static void test_another_root(void **state)
{
  (void)state;
  char link[300], byte = 0;
  int ready[2];
  write_file("inside\n", 7);
  snprintf(link, sizeof link, "%s/link.rb", folder);
  assert_int_equal(symlink("/a.rb", link), 0);     /* absolute: from the root of the process */
  assert_int_equal(pipe(ready), 0);
  pid_t pid = fork();
  if (pid == 0) {
    byte = chroot(folder) == 0 && chdir("/") == 0 ? 'y' : 'n';
    if (write(ready[1], &byte, 1) == 1) {
      pause();
    }
    _exit(0);
  }
  assert_int_equal(read(ready[0], &byte, 1), 1);
  if (byte == 'y') {
    source_file_open(&file, pid, "/a.rb");
    assert_string_equal(line(1), "inside");
    source_file_open(&file, pid, "/link.rb");
    assert_int_equal(file.state, SOURCE_READY);
    assert_string_equal(line(1), "inside");
    source_file_open(&file, pid, "a.rb");
    assert_string_equal(line(1), "inside");
    source_file_open(&file, pid, "/etc/passwd");   /* ours has one, the other root has not */
    assert_int_equal(file.state, SOURCE_MISSING);
  }
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  close(ready[0]);
  close(ready[1]);
  unlink(link);
  if (byte != 'y') {
    skip();
  }
}

static void test_changes_are_seen(void **state)
{
  (void)state;
  open_text("one\n");
  const char *text = file.text;
  source_file_open(&file, 0, path);
  assert_ptr_equal(file.text, text);   /* not read again */
  open_text("one\ntwo\n");
  assert_int_equal(file.line_count, 2);
  assert_true(file.changed_real_ns > 0);
  unlink(path);
  source_file_open(&file, 0, path);
  assert_int_equal(file.state, SOURCE_MISSING);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
    TEST(test_lines), TEST(test_hostile_text), TEST(test_long_line_and_large_file),
    TEST(test_what_is_no_file), TEST(test_root_of_a_process), TEST(test_another_root),
    TEST(test_changes_are_seen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
