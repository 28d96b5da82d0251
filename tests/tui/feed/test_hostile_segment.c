/* Root watches a process whose user changes the files under its hands: their length, bytes, names, kinds. Whatever
 * comes of it, the viewer goes on, ends each look in time, maps nothing of the file, shows nothing of another file, and
 * writes nothing into one. */
#include "shm/base/clock.h"
#include "tests/tui/channel_fixture.h"

#include "shm/base/error.h"
#include "tui/feed/feed.h"
#include "tui/feed/list.h"
#include <fcntl.h>
#include <glob.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

enum {
  ROUNDS = 150,
  POLLS = 4,
  LOOK_MS_MAX = 10000,
  WATCH_MS_MAX = 8000,
  WATCHER_KB_MAX = 400000,
  PATH_MAX_BYTES = 600
};

static char segment_path[PATH_MAX_BYTES], secret_path[PATH_MAX_BYTES];

static void read_whole(const char *path, char **bytes, size_t *count)
{
  struct stat status;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  assert_true(fd >= 0 && fstat(fd, &status) == 0);
  *count = (size_t)status.st_size;
  *bytes = malloc(*count);
  assert_non_null(*bytes);
  assert_int_equal(pread(fd, *bytes, *count, 0), *count);
  close(fd);
}

/* A segment like that of the process, but root's, and with names of its own. */
static void make_secret(char **bytes, size_t *count)
{
  read_whole(segment_path, bytes, count);
  size_t changed = 0;
  for (char *at = *bytes; (at = memmem(at, *count - (size_t)(at - *bytes), "leaf", 4)) != NULL; changed++)
    memcpy(at, "LEAK", 4);
  assert_true(changed > 0);
  snprintf(secret_path, sizeof secret_path, "%s.secret", getenv("RPERF_TOP_DIR"));
  int fd = open(secret_path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, *bytes, *count), *count);
  close(fd);
}

/* ---- the enemy: another process of the same user ---------------------------------------------------- */

struct enemy {
  int fd;
  const char *path;
  char aside[PATH_MAX_BYTES + 8];
  const char *right; /* the bytes of the file */
  off_t bytes;
};

static void enemy_bytes(const struct enemy *enemy, off_t from, off_t span, unsigned count)
{
  for (unsigned i = 0; i < count; i++) {
    uint64_t word = (uint64_t)random() << 33 ^ (uint64_t)random() << 8;
    if (random() % 3 == 0) word = UINT64_MAX >> random() % 64;
    if (pwrite(enemy->fd, &word, sizeof word, from + (random() % (span - 8) & ~7L)) < 0) _exit(1);
  }
}

static void enemy_restore(const struct enemy *enemy)
{
  if (ftruncate(enemy->fd, enemy->bytes) != 0 || pwrite(enemy->fd, enemy->right, (size_t)enemy->bytes, 0) < 0) _exit(1);
}

static void enemy_socket(const char *path)
{
  struct sockaddr_un name = { .sun_family = AF_UNIX };
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  snprintf(name.sun_path, sizeof name.sun_path, "%s", path);
  if (fd >= 0 && bind(fd, (struct sockaddr *)&name, sizeof name) != 0) close(fd);
}

/* Something else under the name, for a moment. */
static void enemy_other_kind(const struct enemy *enemy, int kind)
{
  if (rename(enemy->path, enemy->aside) != 0) return;
  int made = kind == 0   ? symlink(secret_path, enemy->path)
             : kind == 1 ? mkfifo(enemy->path, 0600)
             : kind == 2 ? symlink("/dev/zero", enemy->path)
             : kind == 3 ? mkdir(enemy->path, 0700)
             : kind == 4 ? link(enemy->aside, enemy->path)
             : kind == 5 ? symlink(enemy->aside, enemy->path)
                         : 0;
  if (kind == 6) enemy_socket(enemy->path);
  for (int i = 0; made == 0 && i < 20; i++) getppid();
  if (kind == 3) rmdir(enemy->path);
  else unlink(enemy->path);
  if (rename(enemy->aside, enemy->path) != 0) _exit(1);
}

static void enemy_strike(const struct enemy *enemy)
{
  off_t page = 4096;
  switch (random() % 10) {
  case 0:
    if (ftruncate(enemy->fd, 0) != 0) _exit(1);
    break;
  case 1:
    if (ftruncate(enemy->fd, random() % enemy->bytes) != 0) _exit(1);
    break;
  case 2:
    if (ftruncate(enemy->fd, enemy->bytes + (random() & 0xffffff)) != 0) _exit(1);
    break;
  case 3: enemy_bytes(enemy, 0, enemy->bytes < page ? enemy->bytes : page, 4); break;
  case 4: enemy_bytes(enemy, enemy->bytes > page ? page : 0, 256, 6); break;
  case 5: enemy_bytes(enemy, 0, enemy->bytes, 2000); break;
  default: enemy_other_kind(enemy, (int)(random() % 7)); return;
  }
  for (int i = (int)(random() % 200); i > 0; i--) getppid();
  enemy_restore(enemy);
}

static struct enemy enemy_of(const char *path)
{
  struct enemy enemy = { .fd = open(path, O_RDWR | O_CLOEXEC), .path = path };
  char *right;
  size_t bytes;
  if (enemy.fd < 0) _exit(2);
  snprintf(enemy.aside, sizeof enemy.aside, "%s.aside", path);
  read_whole(path, &right, &bytes);
  enemy.right = right;
  enemy.bytes = (off_t)bytes;
  return enemy;
}

/* Strikes until it is killed; `told` hears of the first. */
static _Noreturn void enemy_run(int told)
{
  char control[PATH_MAX_BYTES + 8];
  if (setresgid(channel_user, channel_user, channel_user) != 0 ||
      setresuid(channel_user, channel_user, channel_user) != 0)
    _exit(3);
  snprintf(control, sizeof control, "%s.ctl", segment_path);
  struct enemy enemies[2] = { enemy_of(segment_path), enemy_of(control) };
  for (unsigned strikes = 0;; strikes++) {
    enemy_strike(&enemies[random() % 4 == 0]);
    if (strikes == 0 && write(told, "s", 1) != 1) _exit(4);
  }
}

/* ---- root -------------------------------------------------------------------------------------------- */

struct watched {
  uint32_t opened, refused, moved;
};

static bool is_mapped(void)
{
  char line[1024];
  bool found = false;
  FILE *maps = fopen("/proc/self/maps", "re");
  while (maps && fgets(line, sizeof line, maps)) /* of the control file there is a page, which the kernel alone reads */
    found = found || (strstr(line, segment_path) && !strstr(line, ".ctl"));
  if (maps) fclose(maps);
  return found;
}

static bool leaks(const char *text)
{
  return text && strstr(text, "LEAK") != NULL;
}

static bool profile_leaks(struct rtop_profile *profile)
{
  const struct rtop_symbols *symbols = rtop_profile_symbols(profile);
  for (uint32_t i = 0; i < rtop_symbols_frame_count(symbols); i++)
    if (leaks(rtop_symbols_get(symbols, i)->label) || leaks(rtop_symbols_get(symbols, i)->path)) return true;
  return false;
}

/* 0, or what went wrong. */
static int watch_once(pid_t pid, struct watched *watched)
{
  enum rtop_feed_state state;
  struct rtop_error error = { 0 };
  int64_t from_ms = clock_now_ms();
  struct rtop_feed *feed = rtop_feed_open_process(pid, 0, 1000, &error);
  watched->opened += feed != NULL;
  watched->refused += feed == NULL;
  if (!feed) return error.text[0] == '\0' ? 10 : leaks(error.text) ? 11 : 0;
  struct rtop_profile *profile = rtop_profile_create(16 << 20);
  int wrong = 0;
  for (int i = 0; i < POLLS && !wrong; i++) {
    watched->moved += (uint32_t)rtop_feed_poll(feed, profile, &state);
    if (is_mapped()) wrong = 12;
    if (leaks(rtop_feed_info(feed)->command) || profile_leaks(profile)) wrong = 13;
  }
  rtop_feed_close(&feed);
  rtop_profile_destroy(&profile);
  return wrong ? wrong : clock_now_ms() - from_ms > LOOK_MS_MAX ? 14 : 0;
}

static int list_once(void)
{
  static struct rtop_list_row rows[RTOP_LIST_MAX];
  size_t count = rtop_list_read(rows, RTOP_LIST_MAX);
  for (size_t i = 0; i < count; i++)
    if (leaks(rows[i].command) || rows[i].uid != channel_user) return 15;
  return is_mapped() ? 16 : 0;
}

static _Noreturn void root_run(pid_t pid, int told)
{
  struct watched watched = { 0 };
  struct rusage usage;
  int wrong = 0;
  int64_t end_ms = clock_now_ms() + WATCH_MS_MAX;
  for (int i = 0; i < ROUNDS && !wrong && clock_now_ms() < end_ms; i++) {
    wrong = watch_once(pid, &watched);
    if (!wrong && i % 8 == 0) wrong = list_once();
  }
  getrusage(RUSAGE_SELF, &usage);
  if (!wrong && usage.ru_maxrss > WATCHER_KB_MAX) wrong = 17;
  if (write(told, &watched, sizeof watched) != sizeof watched) wrong = 18;
  _exit(wrong);
}

static void test_root_watches_an_enemy(void **state)
{
  (void)state;
  if (geteuid() != 0) skip(); /* only root watches another user */
  struct channel channel;
  struct watched watched = { 0 };
  glob_t found;
  char pattern[PATH_MAX_BYTES], *right, *after, struck;
  size_t right_bytes, after_bytes;
  int told[2], status;
  channel_open(&channel);
  channel_tell(&channel, "wwwwww");
  snprintf(pattern, sizeof pattern, "%s/rperf-top.*.%d.????????????????", getenv("RPERF_TOP_DIR"), (int)channel.pid);
  assert_int_equal(glob(pattern, 0, NULL, &found), 0);
  snprintf(segment_path, sizeof segment_path, "%s", found.gl_pathv[0]);
  globfree(&found);
  make_secret(&right, &right_bytes);
  assert_int_equal(pipe(told), 0);
  pid_t enemy = fork();
  if (enemy == 0) enemy_run(told[1]);
  assert_int_equal(read(told[0], &struck, 1), 1);
  pid_t root = fork();
  if (root == 0) root_run(channel.pid, told[1]);
  assert_int_equal(waitpid(root, &status, 0), root);
  assert_int_equal(waitpid(enemy, NULL, WNOHANG), 0); /* it was there all the time */
  kill(enemy, SIGKILL);
  waitpid(enemy, NULL, 0);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  assert_int_equal(read(told[0], &watched, sizeof watched), sizeof watched);
  assert_true(watched.opened > 0 && watched.refused > 0 && watched.moved > 0);
  read_whole(secret_path, &after, &after_bytes);
  assert_int_equal(after_bytes, right_bytes);
  assert_memory_equal(after, right, right_bytes);
  free(right);
  free(after);
  unlink(secret_path);
  channel_kill(&channel);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_root_watches_an_enemy) };
  return cmocka_run_group_tests(tests, geteuid() == 0 ? channel_folder_of_another : channel_folder,
                                channel_remove_folder);
}
