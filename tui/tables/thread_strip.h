/* What every thread did in each of the last seconds: the strips of the threads view.
 *
 * Cells stand at fixed seconds, so a complete one does not change while it moves to the left, and each is
 * computed once for all threads. No screen. Threads: one.
 */
#ifndef RTOP_TUI_THREAD_STRIP_H
#define RTOP_TUI_THREAD_STRIP_H

#include "tui/history/profile.h"

enum { THREAD_STRIP_CELLS = 64, THREAD_STRIP_UNKNOWN = -1 };
#define THREAD_STRIP_CELL_NS INT64_C(1000000000)

struct thread_strip {
  struct thread_strip_cell {
    int64_t index; /* start / THREAD_STRIP_CELL_NS */
    bool filled, known;
    unsigned char *state; /* by thread: what took most of the time; RTOP_STATES: nothing */
    uint32_t threads;
  } cell[THREAD_STRIP_CELLS];
  int64_t newest;                   /* index of the cell that holds the end */
  int64_t turn, turned;             /* private */
  uint64_t (*wall_ns)[RTOP_STATES]; /* private */
  uint32_t capacity;
};

/* Brings the cells up to end_ns up to date: the newest always, missing ones a few per call, and once a
 * second one of the others in turn (late records change the past). True: cells miss, call again. */
bool thread_strip_update(struct thread_strip *strip, const struct rtop_profile *profile, int64_t end_ns);
/* `age` 0 is the newest cell. A state, RTOP_STATES (it was not there), or THREAD_STRIP_UNKNOWN. */
int thread_strip_state(const struct thread_strip *strip, uint32_t thread, int age);
void thread_strip_destroy(struct thread_strip *strip);

#endif
