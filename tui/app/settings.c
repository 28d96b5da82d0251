/* SPDX-License-Identifier: MIT */
/* The settings file: read at the start, written when the user asks for it. */
#include "settings.h"
#include "tui/cli/options.h"
#include "tui/export/export.h"
#include "tui/text/text.h"
#include "tui/ui/ui.h"
#include "tui/ui/ui_settings.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_BYTES_MAX = 64 << 10, LINE_BYTES = 1024, SETTINGS_MAX = 64 };
static const char system_file[] = "/etc/rperf-top.conf";

bool settings_path(const struct rtop_options *options, char *out, size_t out_bytes)
{
  const char *own = options->config != NULL ? options->config : getenv("RPERF_TOP_CONFIG");
  const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
  int used;
  if (own != NULL && own[0] != '\0') used = snprintf(out, out_bytes, "%s", own);
  else if (xdg != NULL && xdg[0] == '/') used = snprintf(out, out_bytes, "%s/rperf-top/config", xdg);
  else if (home != NULL && home[0] == '/') used = snprintf(out, out_bytes, "%s/.config/rperf-top/config", home);
  else return false;
  return strcmp(out, "none") != 0 && used > 0 && (size_t)used < out_bytes;
}

/* Reads a whole file, which the caller frees; NULL: errno says why (ENOENT; EFBIG or EINVAL for unsuitable files). */
static char *read_file(const char *path)
{
  struct stat status;
  char *text = NULL;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return NULL;
  errno = EINVAL;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
    errno = EFBIG;
    text = status.st_size <= FILE_BYTES_MAX ? calloc(1, FILE_BYTES_MAX + 1) : NULL;
  }
  ssize_t got = text != NULL ? read(fd, text, FILE_BYTES_MAX) : -1;
  if (text != NULL && (got < 0 || strlen(text) != (size_t)got)) {
    errno = got < 0 ? errno : EINVAL; /* no text */
    free(text);
    text = NULL;
  }
  int problem = errno;
  close(fd);
  errno = problem;
  return text;
}

static char *trim(char *text)
{
  char *end = text + strlen(text);
  while (end > text && isspace((unsigned char)end[-1])) *--end = '\0';
  return text + strspn(text, " \t");
}

/* Splits "name = value" in place. False: a comment, an empty line, or not a setting. */
static bool settings_split(char *line, char **name, char **value)
{
  char *equals = strchr(line, '=');
  *name = trim(line);
  if (equals == NULL || **name == '#') return false;
  *equals = '\0';
  *name = trim(line);
  *value = trim(equals + 1);
  return true;
}

/* Returns the line at `at` without its end, NULL when it is too long for a setting; advances `at` to the next line. */
static char *take_line(const char **at, char *line, size_t *length)
{
  const char *start = *at;
  *length = strcspn(start, "\n");
  *at = start + *length + (start[*length] == '\n');
  if (*length >= LINE_BYTES) return NULL;
  memcpy(line, start, *length);
  line[*length] = '\0';
  return line;
}

static bool is_nothing(const char *line)
{
  line += strspn(line, " \t\r");
  return *line == '\0' || *line == '#';
}

/* NULL: fine. */
static const char *take_setting(struct ui *ui, char *line, unsigned given)
{
  static char message[UI_SETTING_BYTES];
  char *name, *value, clean[80];
  const char *problem;
  if (!settings_split(line, &name, &value)) return "no 'name = value'";
  int index = ui_setting_find(name);
  if (index < 0) {
    rtop_text_sanitize(clean, sizeof clean, name, strnlen(name, 40));
    snprintf(message, sizeof message, "there is no setting '%s'", clean);
    return message;
  }
  if (ui_setting_given(index, given)) return NULL;
  return ui_setting_set(ui, index, value, &problem) ? NULL : problem;
}

static void take_file(struct ui *ui, const char *text, const char *path, unsigned given)
{
  const char *slash = strrchr(path, '/'), *file = slash != NULL ? slash + 1 : path;
  char line[LINE_BYTES];
  size_t length;
  bool told = false;
  for (int number = 1; *text != '\0'; number++) {
    char *one = take_line(&text, line, &length);
    if (one != NULL && is_nothing(one)) continue;
    const char *problem = one != NULL ? take_setting(ui, one, given) : "too long";
    if (problem != NULL && !told) {
      ui_say(ui, "%s:%d: %s", file, number, problem);
      told = true;
    }
  }
}

/* text NULL: `problem` is the errno; 0: no file is wanted. */
struct settings_text {
  bool read;
  char *text;
  int problem;
  char path[PATH_MAX];
};
static struct settings_text settings_before;

static struct settings_text settings_find(const struct rtop_options *options)
{
  struct settings_text found = { .read = true };
  if (!settings_path(options, found.path, sizeof found.path)) return found;
  found.text = read_file(found.path);
  if (found.text == NULL) found.problem = errno;
  if (found.problem == ENOENT && options->config == NULL) {
    snprintf(found.path, sizeof found.path, "%s", system_file);
    found.text = read_file(found.path);
  }
  return found;
}

void settings_read(const struct rtop_options *options)
{
  free(settings_before.text);
  settings_before = settings_find(options);
}

void settings_load(struct ui *ui, const struct rtop_options *options)
{
  struct settings_text found = settings_before.read ? settings_before : settings_find(options);
  settings_before = (struct settings_text){ 0 };
  if (found.text != NULL) take_file(ui, found.text, found.path, options->given);
  else if (found.problem != 0 && (found.problem != ENOENT || options->config != NULL))
    ui_say(ui, "settings %s: %s", found.path, strerror(found.problem));
  free(found.text);
}

static void write_setting(const struct ui *ui, int index, FILE *out)
{
  char value[UI_SETTING_BYTES];
  ui_setting_get(ui, index, value, sizeof value);
  fprintf(out, "%s = %s\n", ui_setting_name(index), value);
}

static int index_of_line(char *line)
{
  char *name, *value;
  return !is_nothing(line) && settings_split(line, &name, &value) ? ui_setting_find(name) : -1;
}

/* Writes the old text with present values; a setting that occurs twice is written once. */
static void write_over(const struct ui *ui, const char *text, FILE *out)
{
  bool written[SETTINGS_MAX] = { false };
  char line[LINE_BYTES];
  size_t length;
  while (*text != '\0') {
    const char *start = text;
    char *one = take_line(&text, line, &length);
    int index = one != NULL ? index_of_line(one) : -1;
    if (index < 0) {
      fprintf(out, "%.*s\n", (int)length, start);
    } else if (!written[index]) {
      write_setting(ui, index, out);
      written[index] = true;
    }
  }
  for (int i = 0; i < ui_settings_count(); i++)
    if (!written[i]) write_setting(ui, i, out);
}

/* Makes every missing directory of the path, accessible to the user only. */
static void make_folders(char *path)
{
  for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(path, 0700);
    *slash = '/';
  }
}

/* Resolves links, since settings files are often links. */
static const char *real_name(const char *path, char *out)
{
  return realpath(path, out) != NULL ? out : path;
}

/* For root: do directories and links on the path belong to no other user, who could redirect the path? */
static bool is_ours_all_the_way(const char *path)
{
  char part[PATH_MAX];
  struct stat status;
  for (size_t length = 1; length <= strlen(path) && geteuid() == 0; length++) {
    if (path[length] != '/' && path[length] != '\0') continue;
    snprintf(part, sizeof part, "%.*s", (int)length, path);
    if (lstat(part, &status) != 0) return errno == ENOENT;
    bool open_to_all = S_ISDIR(status.st_mode) && (status.st_mode & 0022) && !(status.st_mode & S_ISVTX);
    if (status.st_uid != 0 || open_to_all) {
      errno = EPERM;
      return false;
    }
  }
  return true;
}

static bool may_replace(const char *path)
{
  struct stat status;
  if (stat(path, &status) != 0) return errno == ENOENT;
  errno = EPERM;
  return status.st_uid == geteuid();
}

static bool save(const struct ui *ui, const char *path)
{
  static const char first[] = "# rperf-top(1): settings, written by W. Lines may be changed or left out.\n";
  struct rtop_export_file file;
  char *old = read_file(path);
  if ((old == NULL && errno != ENOENT) || !may_replace(path) || !rtop_export_file_open(&file, path)) {
    free(old);
    return false;
  }
  write_over(ui, old != NULL ? old : first, file.stream);
  free(old);
  return rtop_export_file_close(&file, true);
}

void settings_save(struct ui *ui, const struct rtop_options *options)
{
  char path[PATH_MAX], real[PATH_MAX];
  if (!settings_path(options, path, sizeof path)) {
    ui_say(ui, "no file for settings: use --config FILE");
    return;
  }
  bool safe = is_ours_all_the_way(path);
  if (safe) make_folders(path);
  if (safe && is_ours_all_the_way(real_name(path, real)) && save(ui, real_name(path, real)))
    ui_say(ui, "settings saved in %s", path);
  else ui_say(ui, "cannot save settings in %s: %s", path, strerror(errno));
}
