/* recording_bench FILE: how long it takes to open a recording, to look at one second of it here and there,
 * and to sum up all of it. One line per figure: name, value, unit. */
#include "tui/feed/session.h"

#include "shm/base/error.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static double bench_now_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int bench_compare(const void *left, const void *right)
{
  double a = *(const double *)left, b = *(const double *)right;
  return a < b ? -1 : a > b;
}

enum { BENCH_STEPS = 600 };

/* Sums of one second, `next` says where each begins as a share of the file. */
static void bench_steps(const struct rtop_profile *profile, const char *name, double (*next)(int step))
{
  static double took_ms[BENCH_STEPS];
  struct rtop_sum sum = { 0 };
  struct rtop_span held = rtop_profile_bounds(profile);
  double sum_ms = 0;
  for (int i = 0; i < BENCH_STEPS; i++) {
    int64_t start_ns = held.start_ns + (int64_t)((double)(held.end_ns - held.start_ns - 1000000000) * next(i));
    double start_ms = bench_now_ms();
    if (!rtop_profile_sum(profile, (struct rtop_span){ start_ns, start_ns + 1000000000 }, &sum)) abort();
    sum_ms += took_ms[i] = bench_now_ms() - start_ms;
  }
  qsort(took_ms, BENCH_STEPS, sizeof took_ms[0], bench_compare);
  printf("%s-mean %.3f ms\n%s-p99 %.3f ms\n%s-max %.3f ms\n", name, sum_ms / BENCH_STEPS, name,
         took_ms[BENCH_STEPS * 99 / 100], name, took_ms[BENCH_STEPS - 1]);
  rtop_sum_destroy(&sum);
}

static double bench_random(int step)
{
  static uint64_t random = 99;
  (void)step;
  random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(random >> 40) / (double)(1 << 24);
}

static double bench_forwards(int step)
{
  return 0.3 + step * 0.1 / 3600;
}

static double bench_backwards(int step)
{
  return 0.7 - step * 0.1 / 3600;
}

int main(int argc, char **argv)
{
  struct rtop_error error = { 0 };
  struct rtop_sum sum = { 0 };
  struct rusage usage;
  if (argc != 2) return 2;
  double start_ms = bench_now_ms();
  struct rtop_session *session = rtop_session_open_replay(argv[1], &error);
  if (!session) {
    fprintf(stderr, "recording_bench: %s\n", error.text);
    return 1;
  }
  printf("open %.1f ms\n", bench_now_ms() - start_ms);
  rtop_session_poll(session);
  struct rtop_profile *profile = rtop_session_profile(session);
  if (!rtop_profile_sum(profile, rtop_profile_last(profile, 1000000000), &sum)) return 1;
  printf("open-to-first-second %.1f ms\n", bench_now_ms() - start_ms);
  static struct rtop_window_summary windows[1 << 17];
  start_ms = bench_now_ms();
  size_t count = rtop_profile_windows(profile, rtop_profile_bounds(profile), windows, 1 << 17);
  printf("windows %zu\ntimeline %.2f ms\n", count, bench_now_ms() - start_ms);
  bench_steps(profile, "forwards", bench_forwards);
  bench_steps(profile, "backwards", bench_backwards);
  bench_steps(profile, "anywhere", bench_random);
  start_ms = bench_now_ms();
  if (!rtop_profile_sum(profile, rtop_profile_bounds(profile), &sum)) return 1;
  printf("sum-of-all %.0f ms\n", bench_now_ms() - start_ms);
  getrusage(RUSAGE_SELF, &usage);
  printf("memory %.1f MB\n", (double)usage.ru_maxrss / 1024);
  rtop_sum_destroy(&sum);
  rtop_session_close(&session);
  return 0;
}
