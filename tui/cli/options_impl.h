/* What the options*.c files share and nobody else sees. */
#ifndef RTOP_TUI_OPTIONS_IMPL_H
#define RTOP_TUI_OPTIONS_IMPL_H

#include "options.h"

/* Prints one line on stderr; returns the exit status of wrong usage. */
int options_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A plain decimal number within bounds. */
bool options_number(const char *text, double least, double most, double *number);

/* --stall-CAUSE: -1 to go on, or the exit status. */
int options_stall(struct stall_limits *limits, enum stall_cause cause, const char *text);

#endif
