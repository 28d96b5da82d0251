/* SPDX-License-Identifier: MIT */
/* Names of themes, read and written. */
#include "theme_name.h"
#include <string.h>

static const char *const names[THEME_NAMES] = { "default", "light", "blue", "mono" };

const char *theme_name_text(enum theme_name name)
{
  return name < THEME_NAMES ? names[name] : "";
}

bool theme_name_parse(const char *text, enum theme_name *name)
{
  for (int i = 0; i < THEME_NAMES; i++) {
    if (strcmp(names[i], text) == 0) {
      *name = (enum theme_name)i;
      return true;
    }
  }
  return false;
}
