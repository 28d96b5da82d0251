/* SPDX-License-Identifier: MIT */
/* Prints the variables, quoted for each kind of text. */
#include "env_print.h"

#include "tui/feed/launch.h"
#include "tui/text/output_status.h"
#include <limits.h>
#include <string.h>

/* How each format writes the two variables: `special` are the characters that need `before` in front of them between
 * double quotes. In a shell, the variables keep their old values, and the new ones are appended. */
static const struct {
  const char *name, *special, *before;
  const char *start, *between, *end;
} env_kinds[] = {
  [RTOP_ENV_SHELL] = { "shell", "\"\\$`", "\\", "export RUBYLIB=\"${RUBYLIB:+$RUBYLIB:}",
                       "\"\nexport RUBYOPT=\"${RUBYOPT:+$RUBYOPT }", "\"\n" },
  [RTOP_ENV_DOCKER] = { "docker", "\"\\$", "\\", "ENV RUBYLIB=\"", "\" RUBYOPT=\"", "\"\n" },
  [RTOP_ENV_SYSTEMD] = { "systemd", "\"\\", "\\", "Environment=\"RUBYLIB=", "\" \"RUBYOPT=", "\"\n" },
  [RTOP_ENV_PROCFILE] = { "procfile", "\"\\$`", "\\", "env RUBYLIB=\"", "\" RUBYOPT=\"", "\"\n" },
};

bool rtop_env_kind_parse(const char *text, enum rtop_env_kind *kind)
{
  for (size_t i = 0; i < sizeof env_kinds / sizeof env_kinds[0]; i++) {
    *kind = (enum rtop_env_kind)i;
    if (strcmp(text ? text : "shell", env_kinds[i].name) == 0) return true;
  }
  return false;
}

static void env_put(enum rtop_env_kind kind, const char *text, FILE *out)
{
  for (; *text; text++) {
    if (strchr(env_kinds[kind].special, *text)) fputs(env_kinds[kind].before, out);
    if (kind == RTOP_ENV_SYSTEMD && *text == '%') fputc('%', out); /* else it begins a specifier */
    fputc(*text, out);
  }
}

static bool env_can_be_written(const char *folder)
{
  for (; *folder; folder++)
    if ((unsigned char)*folder < ' ' || *folder == ':') return false; /* what parts the folders of RUBYLIB */
  return true;
}

int rtop_env_print(enum rtop_env_kind kind, FILE *out)
{
  char folder[PATH_MAX];
  if (!rtop_launch_extension_folder(folder, sizeof folder)) {
    fputs("rperf-top: " RTOP_LAUNCH_NO_EXTENSION "\n", stderr);
    return 1;
  }
  if (!env_can_be_written(folder)) {
    fputs("rperf-top: the folder of the extension has a colon or a control character in its name\n", stderr);
    return 1;
  }
  fputs(env_kinds[kind].start, out);
  env_put(kind, folder, out);
  fprintf(out, "%s-rrperf_top%s", env_kinds[kind].between, env_kinds[kind].end);
  return rtop_output_status(out);
}
