/* SPDX-License-Identifier: MIT */
/* What --help and --help all print; the manual says the same at length. */
#ifndef RTOP_TUI_OPTIONS_HELP_H
#define RTOP_TUI_OPTIONS_HELP_H

/* The short one has at most 50 lines of 80 columns. */
extern const char options_help_short[], options_help[];

#endif
