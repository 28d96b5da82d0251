/* What launch_proc.c tells launch.c alone. */
#ifndef RTOP_TUI_LAUNCH_PROC_H
#define RTOP_TUI_LAUNCH_PROC_H

#include <stdbool.h>
#include <sys/types.h>

/* Does it run? Zombies do not. */
bool launch_is_running(pid_t pid);

#endif
