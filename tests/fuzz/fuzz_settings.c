/* The file of settings: whatever stands in it is read without harm, what is then written is read again as the same,
 * and what was not understood is still there. */
#include "tui/app/settings.h"
#include "tui/cli/options.h"
#include "tui/ui/ui.h"
#include "tui/ui/ui_settings.h"
#include "tui/views/viewer.h"
#include <fcntl.h>
#include <locale.h>
#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

enum { CONTENT_MAX = 1 << 17 };
static char folder[] = "/tmp/rtop-fuzz-settings.XXXXXX", file[64];

static void demand(bool right)
{
  if (!right) abort();
}

static void leave(void)
{
  unlink(file);
  rmdir(folder);
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
  (void)count;
  (void)arguments;
  if (!setlocale(LC_CTYPE, "C.UTF-8") || !mkdtemp(folder)) return 1;
  snprintf(file, sizeof file, "%s/config", folder);
  atexit(leave);
  return 0;
}

static void put(const uint8_t *data, size_t size)
{
  int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  demand(fd >= 0 && write(fd, data, size) == (ssize_t)size);
  close(fd);
}

static size_t get(char *content)
{
  int fd = open(file, O_RDONLY | O_CLOEXEC);
  ssize_t bytes = read(fd, content, CONTENT_MAX - 1);
  demand(fd >= 0 && bytes >= 0);
  close(fd);
  content[bytes] = '\0';
  return (size_t)bytes;
}

/* A viewer that has these settings; what it says of them; what it writes when it is asked to. */
static void take(const struct rtop_options *options, char *said, size_t said_bytes, bool save)
{
  static struct ui ui;
  demand(ui_init(&ui, options));
  settings_load(&ui, options);
  snprintf(said, said_bytes, "%s", ui.message);
  if (save) settings_save(&ui, options);
  demand(ui.delay_seconds > 0);
  ui_destroy(&ui);
}

/* Keys in the menu of settings. */
static void press(const struct rtop_options *options, const uint8_t *keys, size_t count)
{
  static struct ui ui;
  demand(ui_init(&ui, options));
  ui_settings_open(&ui);
  for (size_t i = 0; i < count && i < 200; i++) {
    static const int special[] = { '\r', ' ', 'W', 'x', KEY_LEFT | KEY_FUNCTION, KEY_RIGHT | KEY_FUNCTION };
    if (keys[i] % 8 < 6) ui_settings_key(&ui, special[keys[i] % 8]);
    else menu_key(&ui.ask.menu, (keys[i] % 8 == 6 ? KEY_DOWN : KEY_UP) | KEY_FUNCTION);
    demand(ui.delay_seconds > 0 && ui_setting_help(keys[i] % ui_settings_count())[0] != '\0');
  }
  ui_destroy(&ui);
}

static void check_comments(const char *before, const char *after)
{
  for (const char *at = before; *at;) {
    size_t length = strcspn(at, "\n");
    char line[256];
    if (*at == '#' && length < sizeof line) {
      snprintf(line, sizeof line, "%.*s", (int)length, at);
      demand(strstr(after, line) != NULL);
    }
    at += length + (at[length] == '\n');
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static char before[CONTENT_MAX], once[CONTENT_MAX], twice[CONTENT_MAX];
  struct rtop_options options = { .config = file, .frame_seconds = 1, .delay_seconds = 1 };
  char said[512];
  if (size >= CONTENT_MAX) return 0;
  put(data, size);
  get(before);
  take(&options, said, sizeof said, false);
  get(once);
  demand(memcmp(before, once, size) == 0);
  take(&options, said, sizeof said, true);
  get(once);
  take(&options, said, sizeof said, true);
  get(twice);
  demand(strcmp(once, twice) == 0);
  press(&options, data, size);
  if (strlen(before) == size && size < 60000) check_comments(before, twice);
  return 0;
}
