/* SPDX-License-Identifier: MIT */
/* The two variables with which any Ruby loads the extension, as the text of a shell, a Dockerfile, a systemd unit or a
 * Procfile: --env.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_ENV_PRINT_H
#define RTOP_TUI_ENV_PRINT_H

#include <stdbool.h>
#include <stdio.h>

enum rtop_env_kind { RTOP_ENV_SHELL, RTOP_ENV_DOCKER, RTOP_ENV_SYSTEMD, RTOP_ENV_PROCFILE };

/* "docker"; NULL is a shell. False: there is no such kind. */
bool rtop_env_kind_parse(const char *text, enum rtop_env_kind *kind);

/* Returns an exit status: 1, after a line on standard error, when the extension is not there. */
int rtop_env_print(enum rtop_env_kind kind, FILE *out);

#endif
