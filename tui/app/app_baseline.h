/* The recording that another one is compared with (-r BEFORE -r NOW).
 */
#ifndef RTOP_TUI_APP_BASELINE_H
#define RTOP_TUI_APP_BASELINE_H

struct rtop_error;
struct rtop_options;
struct rtop_session;

/* NULL without an error: there is none. With one: error->text says what is wrong. All of it is read. */
struct rtop_session *app_baseline_open(const struct rtop_options *options, struct rtop_error *error);

#endif
