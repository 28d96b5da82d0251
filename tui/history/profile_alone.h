/* What a profile of several processes says of one of them.
 *
 * Threads: one.
 */
#ifndef RTOP_TUI_PROFILE_ALONE_H
#define RTOP_TUI_PROFILE_ALONE_H

#include "profile.h"

/* Makes the head of a sum (length, windows, gaps, counters, total) that of one source. Threads and cells stay as
 * they are: whoever shows them leaves out those of the others. */
void rtop_profile_alone(const struct rtop_profile *profile, uint32_t source, struct rtop_sum *sum);

/* rtop_profile_brief of one source. */
void rtop_profile_brief_alone(const struct rtop_profile *profile, uint32_t source, struct rtop_span span,
                              struct rtop_span_brief *brief);

/* rtop_profile_windows of one source, put together to one entry; its threads are those of the last window. */
void rtop_profile_window_alone(const struct rtop_profile *profile, uint32_t source, struct rtop_span span,
                               struct rtop_window_summary *window);

#endif
