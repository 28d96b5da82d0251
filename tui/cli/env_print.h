/* SPDX-License-Identifier: MIT */
/* Prints the two variables that make any Ruby load the extension, as text for a shell, a Dockerfile, a systemd unit or
 * a Procfile (--env).
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_ENV_PRINT_H
#define RTOP_TUI_ENV_PRINT_H

#include <stdbool.h>
#include <stdio.h>

enum rtop_env_kind { RTOP_ENV_SHELL, RTOP_ENV_DOCKER, RTOP_ENV_SYSTEMD, RTOP_ENV_PROCFILE };

/* Parses a kind such as "docker"; NULL: a shell. False: unknown kind. */
bool rtop_env_kind_parse(const char *text, enum rtop_env_kind *kind);

/* Prints the text. Returns the exit status: 1, with a message on standard error, when the extension is not found. */
int rtop_env_print(enum rtop_env_kind kind, FILE *out);

#endif
