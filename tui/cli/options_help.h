/* What --help prints; the manual says the same at length. */
#ifndef RTOP_TUI_OPTIONS_HELP_H
#define RTOP_TUI_OPTIONS_HELP_H

extern const char options_help[];

#endif
