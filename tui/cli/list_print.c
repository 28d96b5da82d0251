/* SPDX-License-Identifier: MIT */
/* Prints the list of processes, as the library reports them, and what each suffers from. */
#include "list_print.h"

#include "tui/doctor/doctor_watch.h"
#include "tui/feed/bare.h"
#include "tui/feed/list.h"
#include "tui/reader/rperf_top_reader.h"
#include "tui/text/output_status.h"
#include "tui/text/text.h"
#include "tui/verdict/verdict_words.h"

enum { LIST_VERDICT_COLUMNS = 40 };

/* The verdict on what a living process has published lately, in as many columns; "-": nothing is known. */
static void list_verdict(char out[VERDICT_TEXT], const struct doctor_watch *watch,
                         const struct rperf_top_process *process)
{
  static struct verdict_words words; /* large */
  const struct verdict_say say = { .symbols = watch ? doctor_watch_symbols(watch) : NULL, .process = "" };
  const struct doctor_process *doctor =
      say.symbols && process->state == RPERF_TOP_LIVE ? doctor_watch_of(watch, process->pid) : NULL;
  words.text[0] = '\0';
  if (doctor) verdict_words(&words, &doctor->verdict, &say, LIST_VERDICT_COLUMNS);
  snprintf(out, VERDICT_TEXT, "%s", words.text[0] ? words.text : "-");
}

static void list_print_row(const struct rperf_top_process *process, const struct doctor_watch *watch, FILE *out)
{
  char age[16], rate[16] = "-", verdict[VERDICT_TEXT];
  list_verdict(verdict, watch, process);
  rtop_list_age(age, sizeof age, process->age_ns);
  if (process->rate_hz) snprintf(rate, sizeof rate, "%u", process->rate_hz);
  fprintf(out, "%7d %-10s %-8s %6s %5s %7u %-8s %s%*s %*s%s%s%s%s\n", (int)process->pid, process->user,
          rtop_list_state_name(process->state, process->by_exec), age, rate, process->threads, process->ruby, verdict,
          LIST_VERDICT_COLUMNS - rtop_text_width(verdict), "", rtop_list_indent(process->depth), "", process->command,
          *process->end ? "  (" : "", process->end, *process->end ? ")" : "");
}

/* Prints, if there is no channel, how to start a program with one, and the Ruby processes without the extension. */
static void list_print_nothing(FILE *out)
{
  struct rtop_bare bare[RTOP_BARE_MAX];
  size_t count = rtop_bare_read(bare), shown = count < RTOP_BARE_MAX ? count : RTOP_BARE_MAX;
  fprintf(out, "no Ruby process has a channel: start one with  rperf-top -- ruby app.rb\n");
  if (count == 0) return;
  fprintf(out, "these run without the extension; to load it into one of them, by gdb:\n");
  for (size_t i = 0; i < shown; i++)
    fprintf(out, "  rperf-top --inject -p %-8d %s\n", (int)bare[i].pid, bare[i].command);
  if (count > shown) fprintf(out, "  and %zu more\n", count - shown);
}

int rtop_list_print(FILE *out)
{
  struct doctor_watch *watch = NULL;
  struct rperf_top_list *list = rperf_top_list_read(NULL);
  size_t count = list ? rperf_top_list_count(list) : 0;
  if (count == 0) list_print_nothing(out);
  else
    fprintf(out, "%7s %-10s %-8s %6s %5s %7s %-8s %-*s %s\n", "PID", "USER", "STATE", "AGE", "HZ", "THREADS", "RUBY",
            LIST_VERDICT_COLUMNS, "VERDICT", "COMMAND");
  if (count > 0) watch = doctor_watch_create();
  if (watch) doctor_watch_look(watch);
  for (size_t i = 0; i < count; i++) list_print_row(rperf_top_list_get(list, i), watch, out);
  doctor_watch_destroy(&watch);
  rperf_top_list_free(list);
  return rtop_output_status(out);
}
