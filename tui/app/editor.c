/* SPDX-License-Identifier: MIT */
/* Runs the user's editor at a line of a file, while the screen is closed. */
#include "editor.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Handling of Ctrl-C, Ctrl-\ and Ctrl-Z, which also reach this process: the first two are for the editor only, the
 * third stops both. */
static const struct {
  int number;
  void (*meanwhile)(int);
} shared[] = {
  { SIGINT, SIG_IGN },
  { SIGQUIT, SIG_IGN },
  { SIGTSTP, SIG_DFL },
};
enum { SHARED = sizeof shared / sizeof shared[0] };
static struct sigaction before[SHARED];

size_t editor_words(char **words, char *editor, uint32_t line, const char *path, char *path_space, size_t path_bytes)
{
  static char line_space[16];
  size_t count = 0;
  char *rest = NULL;
  for (char *word = strtok_r(editor, " \t", &rest); word != NULL && count < EDITOR_WORDS_MAX - 4;
       word = strtok_r(NULL, " \t", &rest))
    words[count++] = word;
  if (count == 0) words[count++] = "vi";
  if (line > 0) {
    snprintf(line_space, sizeof line_space, "+%u", line);
    words[count++] = line_space;
  }
  snprintf(path_space, path_bytes, "%s%s", path[0] == '/' ? "" : "./", path);
  words[count++] = path_space;
  words[count] = NULL;
  return count;
}

bool editor_user(uid_t owner, uid_t *user)
{
  const char *caller = getenv("SUDO_UID");
  char *end = NULL;
  *user = (uid_t)-1;
  if (geteuid() != 0 || owner == 0) return true;
  unsigned long id = caller != NULL && *caller >= '0' && *caller <= '9' ? strtoul(caller, &end, 10) : 0;
  if (id == 0 || *end != '\0' || id >= (uid_t)-1 || getpwuid((uid_t)id) == NULL) return false;
  *user = (uid_t)id;
  return true;
}

static bool take_rights(uid_t user)
{
  const struct passwd *entry = getpwuid(user);
  return entry != NULL && setenv("HOME", entry->pw_dir, 1) == 0 && setenv("USER", entry->pw_name, 1) == 0 &&
         setenv("LOGNAME", entry->pw_name, 1) == 0 && initgroups(entry->pw_name, entry->pw_gid) == 0 &&
         setresgid(entry->pw_gid, entry->pw_gid, entry->pw_gid) == 0 && setresuid(user, user, user) == 0;
}

static void editor_run(uint32_t line, const char *path, uid_t user)
{
  char editor[512], place[2048], *words[EDITOR_WORDS_MAX];
  const char *wish = getenv("VISUAL");
  if (wish == NULL || wish[strspn(wish, " \t")] == '\0') wish = getenv("EDITOR");
  snprintf(editor, sizeof editor, "%s", wish != NULL ? wish : "");
  editor_words(words, editor, line, path, place, sizeof place);
  for (int i = 0; i < SHARED; i++) signal(shared[i].number, SIG_DFL);
  if (!isatty(STDIN_FILENO)) {
    int terminal = open("/dev/tty", O_RDWR);
    if (terminal >= 0) {
      dup2(terminal, STDIN_FILENO);
      close(terminal);
    }
  }
  if (user != (uid_t)-1 && !take_rights(user)) _exit(127);
  execvp(words[0], words);
  _exit(127);
}

pid_t editor_start(uint32_t line, const char *path, uid_t user)
{
  for (int i = 0; i < SHARED; i++) {
    struct sigaction action = { .sa_handler = shared[i].meanwhile };
    sigaction(shared[i].number, &action, &before[i]);
  }
  pid_t pid = fork();
  if (pid == 0) editor_run(line, path, user);
  if (pid < 0)
    for (int i = 0; i < SHARED; i++) sigaction(shared[i].number, &before[i], NULL);
  return pid;
}

int editor_ended(pid_t pid, int *status)
{
  int wait_status = 0;
  pid_t got = waitpid(pid, &wait_status, WNOHANG);
  if (got == 0 || (got < 0 && errno == EINTR)) return 0;
  *status = got > 0 && WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 1;
  for (int i = 0; i < SHARED; i++) sigaction(shared[i].number, &before[i], NULL);
  return 1;
}
