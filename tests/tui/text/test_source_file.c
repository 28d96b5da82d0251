/* Files of a stranger: found, bounded, made safe. */
#include "tui/text/source_file.h"
#include "tui/text/source_open.h"
#include "tui/text/source_rights.h"
#include <fcntl.h>
#include <grp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/socket.h>
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
  source_file_open(&file, 0, geteuid(), path);
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
  source_file_open(&file, 0, geteuid(), path);
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
  source_file_open(&file, 0, geteuid(), path);
  assert_true(file.cut);
  assert_int_equal(file.line_count, 1);
  assert_int_equal(strlen(line(1)), 255);
  memset(bytes, '\n', count);
  write_file(bytes, count);
  source_file_open(&file, 0, geteuid(), path);
  assert_int_equal(file.line_count, SOURCE_LINES_MAX);
  assert_string_equal(line(SOURCE_LINES_MAX), "");
  free(bytes);
}

static void test_what_is_no_file(void **state)
{
  (void)state;
  static const char *const none[] = { "", "(eval at /x.rb:1)", "-e", "-", "/", "/dev/zero", "/dev/tty" };
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
    source_file_open(&file, 0, geteuid(), none[i]);
    assert_true(file.state == SOURCE_NOT_A_FILE || strcmp(none[i], "/dev/tty") == 0);
    assert_int_equal(file.line_count, 0);
  }
  snprintf(path, sizeof path, "%s/fifo", folder);
  assert_int_equal(mkfifo(path, 0600), 0);
  source_file_open(&file, 0, geteuid(), path); /* nobody writes: it must not wait */
  assert_int_equal(file.state, SOURCE_NOT_A_FILE);
  source_file_open(&file, 0, geteuid(), "/no/such/file.rb");
  assert_int_equal(file.state, SOURCE_MISSING);
}

/* Below the root and the folder of a process. */
static void test_root_of_a_process(void **state)
{
  (void)state;
  write_file("hello\n", 6);
  source_file_open(&file, getpid(), geteuid(), path);
  assert_int_equal(file.state, SOURCE_READY);
  assert_string_equal(line(1), "hello");
  assert_true(strstr(file.opened, path) != NULL);
  char before[256];
  assert_non_null(getcwd(before, sizeof before));
  assert_int_equal(chdir(folder), 0);
  source_file_open(&file, getpid(), geteuid(), "a.rb");
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
  assert_int_equal(symlink("/a.rb", link), 0); /* absolute: from the root of the process */
  assert_int_equal(pipe(ready), 0);
  pid_t pid = fork();
  if (pid == 0) {
    byte = chroot(folder) == 0 && chdir("/") == 0 ? 'y' : 'n';
    if (write(ready[1], &byte, 1) == 1) pause();
    _exit(0);
  }
  assert_int_equal(read(ready[0], &byte, 1), 1);
  if (byte == 'y') {
    source_file_open(&file, pid, geteuid(), "/a.rb");
    assert_string_equal(line(1), "inside");
    source_file_open(&file, pid, geteuid(), "/link.rb");
    assert_int_equal(file.state, SOURCE_READY);
    assert_string_equal(line(1), "inside");
    source_file_open(&file, pid, geteuid(), "a.rb");
    assert_string_equal(line(1), "inside");
    source_file_open(&file, pid, geteuid(), "/etc/passwd"); /* ours has one, the other root has not */
    assert_int_equal(file.state, SOURCE_MISSING);
  }
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  close(ready[0]);
  close(ready[1]);
  unlink(link);
  if (byte != 'y') skip();
}

static void test_changes_are_seen(void **state)
{
  (void)state;
  open_text("one\n");
  const char *text = file.text;
  source_file_open(&file, 0, geteuid(), path);
  assert_ptr_equal(file.text, text); /* not read again */
  open_text("one\ntwo\n");
  assert_int_equal(file.line_count, 2);
  assert_true(file.changed_real_ns > 0);
  unlink(path);
  source_file_open(&file, 0, geteuid(), path);
  assert_int_equal(file.state, SOURCE_MISSING);
}

/* ---- is it what was loaded? ------------------------------------------------------------------------- */

static const char *below(const char *name)
{
  static char made[4][300];
  static unsigned next;
  char *out = made[next++ % 4];
  snprintf(out, sizeof made[0], "%s/%s", folder, name);
  return out;
}

static void make_file(const char *at)
{
  FILE *out = fopen(at, "we");
  assert_non_null(out);
  fclose(out);
}

/* Until the file system's clock, which goes in ticks, is past the time: what is made next is later. */
static void wait_past(int64_t real_ns)
{
  struct stat status;
  do {
    make_file(below("clock"));
    assert_int_equal(stat(below("clock"), &status), 0);
    unlink(below("clock"));
  } while ((int64_t)status.st_ctim.tv_sec * 1000000000 + status.st_ctim.tv_nsec <= real_ns);
}

static void set_old_times(const char *at)
{
  const struct timespec old[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };
  assert_int_equal(utimensat(AT_FDCWD, at, old, 0), 0);
}

static void test_age(void **state)
{
  (void)state;
  open_text("one\n");
  int64_t first_ns = file.replaced_real_ns;
  assert_int_equal(source_file_age(&file, first_ns, first_ns), SOURCE_AS_LOADED);
  assert_int_equal(source_file_age(&file, first_ns - 1, first_ns - 1), SOURCE_CHANGED);
  /* Written by a script that became the program, or within the tick of the clock in which it began: */
  assert_int_equal(source_file_age(&file, first_ns - 1, first_ns), SOURCE_AGE_UNKNOWN);
  assert_int_equal(source_file_age(&file, 0, 0), SOURCE_AGE_UNKNOWN); /* of a recording */
  assert_true(source_file_is_doubtful(&file, 0, 0) && !source_file_is_doubtful(&file, first_ns, first_ns));
  wait_past(first_ns);
  open_text("two\n");  /* as long as the first one */
  set_old_times(path); /* like tar x, cp -a, rsync -t */
  source_file_open(&file, 0, geteuid(), path);
  assert_string_equal(line(1), "two");
  assert_true(file.changed_real_ns < first_ns);
  assert_int_equal(source_file_age(&file, first_ns, first_ns), SOURCE_AGE_UNKNOWN);
  assert_int_equal(source_file_age(&file, file.replaced_real_ns, file.replaced_real_ns), SOURCE_AS_LOADED);
}

/* A time in the future says nothing, if it was there before the process. */
static void test_age_and_a_time_in_the_future(void **state)
{
  (void)state;
  open_text("one\n");
  const struct timespec later[2] = { { .tv_sec = 4000000000 }, { .tv_sec = 4000000000 } };
  assert_int_equal(utimensat(AT_FDCWD, path, later, 0), 0);
  source_file_open(&file, 0, geteuid(), path);
  assert_int_equal(source_file_age(&file, file.inode_real_ns, file.inode_real_ns), SOURCE_AGE_UNKNOWN);
}

/* current -> releases/1, and then -> releases/2, whose files are older than the process. */
static void test_age_with_another_target(void **state)
{
  (void)state;
  assert_int_equal(mkdir(below("1"), 0755) + mkdir(below("2"), 0755), 0);
  make_file(below("1/a.rb"));
  make_file(below("2/a.rb"));
  assert_int_equal(symlink("1", below("current")), 0);
  source_file_open(&file, 0, geteuid(), below("current/a.rb"));
  int64_t first_ns = file.replaced_real_ns;
  assert_int_equal(source_file_age(&file, first_ns, first_ns), SOURCE_AS_LOADED);
  wait_past(first_ns);
  make_file(below("1/log")); /* what comes to stand beside it is nothing to it */
  source_file_open(&file, 0, geteuid(), below("current/a.rb"));
  assert_int_equal(source_file_age(&file, first_ns, first_ns), SOURCE_AS_LOADED);
  assert_int_equal(symlink(below("2"), below("next")), 0);
  assert_int_equal(rename(below("next"), below("current")), 0);
  source_file_open(&file, 0, geteuid(), below("current/a.rb"));
  assert_int_equal(file.state, SOURCE_READY);
  assert_int_equal(source_file_age(&file, first_ns, first_ns), SOURCE_AGE_UNKNOWN);
  source_file_open(&file, 0, geteuid(), below("1/../2/./a.rb"));
  assert_int_equal(source_file_age(&file, first_ns, first_ns), SOURCE_AS_LOADED);
  assert_int_equal(unlink(below("1/a.rb")) + unlink(below("1/log")) + unlink(below("2/a.rb")), 0);
  assert_int_equal(unlink(below("current")) + rmdir(below("1")) + rmdir(below("2")), 0);
}

static void test_age_with_another_folder(void **state)
{
  (void)state;
  assert_int_equal(mkdir(below("app"), 0755) + mkdir(below("new"), 0755), 0);
  make_file(below("app/a.rb"));
  make_file(below("new/a.rb"));
  source_file_open(&file, 0, geteuid(), below("new/a.rb"));
  int64_t first_ns = file.replaced_real_ns;
  wait_past(first_ns);
  assert_int_equal(rename(below("app"), below("old")) + rename(below("new"), below("app")), 0);
  source_file_open(&file, 0, geteuid(), below("app/a.rb"));
  assert_int_equal(source_file_age(&file, first_ns, first_ns), SOURCE_AGE_UNKNOWN);
  assert_int_equal(unlink(below("app/a.rb")) + unlink(below("old/a.rb")), 0);
  assert_int_equal(rmdir(below("app")) + rmdir(below("old")), 0);
}

static void test_age_of_links_in_a_circle(void **state)
{
  (void)state;
  assert_int_equal(symlink("loop", below("loop")), 0);
  assert_true(source_replaced_ns(-1, below("loop")) == INT64_MAX);
  assert_true(source_replaced_ns(-1, below("nothing")) == INT64_MAX);
  unlink(below("loop"));
  write_file("1", 1);
  int root = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
  assert_int_equal(symlink("/a.rb", below("in")), 0); /* from that root */
  assert_true(source_replaced_ns(root, "/in") < INT64_MAX);
  assert_true(source_replaced_ns(root, "../../in") < INT64_MAX);
  assert_true(source_replaced_ns(-1, below("in")) == INT64_MAX);
  close(root);
  unlink(below("in"));
}

/* ---- root, and a path that another user named: what he could not read is not read ------------------- */

enum { NOBODY = 65534 };

static bool is_root(void)
{
  if (geteuid() == 0) {
    chmod(folder, 0755);
    return true;
  }
  return false;
}

static void test_root_reads_with_the_rights_of_the_owner(void **state)
{
  (void)state;
  if (!is_root()) skip(); /* only root has more rights than the owner */
  write_file("secret\n", 7);
  chmod(path, 0600);
  source_file_open(&file, 0, 0, path);
  assert_string_equal(line(1), "secret");
  source_file_open(&file, 0, NOBODY, path);
  assert_int_equal(file.state, SOURCE_MISSING);
  source_file_open(&file, 0, NOBODY, "/etc/shadow");
  assert_int_equal(file.state, SOURCE_MISSING);
  source_file_open(&file, 0, (uid_t)-1, path); /* nobody knows whose it is */
  assert_int_equal(file.state, SOURCE_MISSING);
  chmod(path, 0644);
  source_file_open(&file, 0, NOBODY, path);
  assert_int_equal(file.state, SOURCE_READY);
  assert_string_equal(line(1), "secret");
  assert_true(file.replaced_real_ns > 0 && file.replaced_real_ns < INT64_MAX);
  const char *text = file.text;
  source_file_open(&file, 0, NOBODY, path);
  assert_ptr_equal(file.text, text); /* not read again */
  assert_true(file.replaced_real_ns > 0 && file.replaced_real_ns < INT64_MAX);
  write_file("longer than it was\n", 19);
  source_file_open(&file, 0, NOBODY, path);
  assert_string_equal(line(1), "longer than it was");
}

static void test_root_and_a_large_file_of_another(void **state)
{
  (void)state;
  if (!is_root()) skip();
  size_t count = SOURCE_BYTES_MAX + 100;
  char *bytes = malloc(count);
  memset(bytes, '\n', count);
  write_file(bytes, count);
  free(bytes);
  chmod(path, 0644);
  source_file_open(&file, 0, NOBODY, path);
  assert_true(file.cut);
  assert_int_equal(file.bytes, SOURCE_BYTES_MAX);
}

/* Groups come from the process, and only when it is the owner's: a channel may name any number. */
static void test_root_and_the_process_of_another(void **state)
{
  (void)state;
  char byte = 0;
  int ready[2];
  if (!is_root()) skip();
  write_file("shared\n", 7);
  assert_int_equal(chown(path, 0, 4242), 0);
  chmod(path, 0640);
  assert_int_equal(pipe(ready), 0);
  pid_t pid = fork();
  if (pid == 0) {
    const gid_t group = 4242;
    bool fine = setgroups(1, &group) == 0 && setresgid(NOBODY, NOBODY, NOBODY) == 0 &&
                setresuid(NOBODY, NOBODY, NOBODY) == 0 && write(ready[1], &byte, 1) == 1;
    pause();
    _exit(fine);
  }
  assert_int_equal(read(ready[0], &byte, 1), 1);
  source_file_open(&file, pid, NOBODY, path);
  assert_int_equal(file.state, SOURCE_READY);
  assert_string_equal(line(1), "shared");
  source_file_open(&file, getpid(), NOBODY, path); /* ours, not his: it lends him nothing */
  assert_int_equal(file.state, SOURCE_MISSING);
  source_file_open(&file, pid, NOBODY, "/etc/shadow");
  assert_int_equal(file.state, SOURCE_MISSING);
  source_file_open(&file, pid, NOBODY, "/dev/zero");
  assert_int_equal(file.state, SOURCE_NOT_A_FILE);
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  close(ready[0]);
  close(ready[1]);
}

/* What is left in the process that has taken the rights. */
static void test_rights_are_given_up_for_good(void **state)
{
  (void)state;
  struct source_rights rights;
  int ends[2], left = 0;
  if (!is_root()) skip();
  assert_true(source_rights_of(&rights, 0, NOBODY));
  assert_false(source_rights_of(&rights, getpid(), 0));
  assert_true(source_rights_of(&rights, getpid(), NOBODY) && !rights.is_process);
  assert_int_equal(pipe(ends), 0);
  pid_t pid = fork();
  if (pid == 0) {
    int out = ends[1];
    bool taken = source_rights_take(&rights, SOURCE_RIGHTS_OPEN, &out, 1);
    left = !taken;
    left |= (fcntl(ends[0], F_GETFD) >= 0 || fork() >= 0) << 1;
    left |= (setuid(0) == 0) << 2;
    left |= (socket(AF_UNIX, SOCK_STREAM, 0) >= 0 || kill(getppid(), 0) == 0) << 3;
    left |= (open("/etc/shadow", O_RDONLY) >= 0) << 4;
    left |= (open(path, O_WRONLY) >= 0 || unlink(path) == 0) << 5;
    left |= (execl("/bin/true", "true", NULL) == 0) << 6;
    _exit(write(out, &left, sizeof left) == sizeof left ? 0 : 1);
  }
  left = -1;
  assert_int_equal(read(ends[0], &left, sizeof left), sizeof left);
  waitpid(pid, NULL, 0);
  close(ends[0]);
  close(ends[1]);
  assert_int_equal(left, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
    TEST(test_lines),
    TEST(test_hostile_text),
    TEST(test_long_line_and_large_file),
    TEST(test_what_is_no_file),
    TEST(test_root_of_a_process),
    TEST(test_another_root),
    TEST(test_changes_are_seen),
    TEST(test_age),
    TEST(test_age_and_a_time_in_the_future),
    TEST(test_age_with_another_target),
    TEST(test_age_with_another_folder),
    TEST(test_age_of_links_in_a_circle),
    TEST(test_root_reads_with_the_rights_of_the_owner),
    TEST(test_root_and_a_large_file_of_another),
    TEST(test_root_and_the_process_of_another),
    TEST(test_rights_are_given_up_for_good),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
