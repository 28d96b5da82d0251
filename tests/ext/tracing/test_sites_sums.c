/* Estimates of allocation sites, of a made-up program whose numbers are known: without bias over many seeds, errors as large as
 * is said; tables that are full. */
#include "ext/tracing/sites_sums.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { SEEDS = 400, INTERVALS = 5000, INTERVAL_NS = 1000000, SITES = 3, NODE = 10 };

static struct sites_sums sums;

/* What is looked at slows the program down: fewer objects are made meanwhile. */
static const double slowed = 0.7;

/* In phases: a site that is always there, one that is only in the second half, one that comes in bursts. */
static uint64_t made(int interval, int site)
{
  if (site == 0) return 600;
  if (site == 1) return interval >= INTERVALS / 2 ? 300 : 0;
  return interval % 50 == 7 ? 4000 : 0;
}

static uint64_t run_interval(int interval, double truth[SITES])
{
  uint64_t all = 0;
  int64_t left = sites_sums_skip(&sums);
  bool looks = sums.looks;
  for (int site = 0; site < SITES; site++) {
    uint64_t objects = made(interval, site);
    if (looks) objects = (uint64_t)((double)objects * slowed);
    truth[site] += (double)objects;
    all += objects;
    for (left -= (int64_t)objects; looks && left <= 0; left += sites_sums_skip(&sums))
      sites_sums_sample(&sums, sites_sums_site(&sums, NODE + (uint32_t)site), 40, false);
  }
  return all;
}

static void run(uint32_t seed, const struct sites_costs *costs, double truth[SITES])
{
  assert_true(sites_sums_create(&sums, seed));
  for (int site = 0; site < SITES; site++) truth[site] = 0;
  for (int i = 0; i < INTERVALS; i++) {
    uint64_t objects = run_interval(i, truth);
    sites_sums_close(&sums, objects, INTERVAL_NS, costs);
  }
}

struct estimate {
  double objects, error;
};

/* As rperf-top-segment(5) has it. */
static struct estimate estimate_of(int number)
{
  const struct site *site = &sums.sites[sites_sums_site(&sums, NODE + (uint32_t)number)];
  double rest = (double)(sums.objects - sums.looked), weight = (double)(sums.seen - sums.looked);
  double share = weight > 0 ? (double)(site->objects - site->looked) / weight : 0,
         scale = weight > 0 ? rest / weight : 1;
  double variance = site->square - 2 * share * site->cross + share * share * sums.square;
  return (struct estimate){ (double)site->looked + share * rest, scale * sqrt(variance > 0 ? variance : 0) };
}

/* The mean of the errors over all seeds is within what chance allows, and so is their size. */
static void test_without_bias(void **state)
{
  const struct sites_costs costs = { .object_ns = 40, .sample_ns = 3000, .budget = 0.01 };
  (void)state;
  double sum[SITES] = { 0 }, squares[SITES] = { 0 }, said[SITES] = { 0 }, mean[SITES] = { 0 };
  for (uint32_t seed = 1; seed <= SEEDS; seed++) {
    double truth[SITES];
    run(seed * 2654435761u, &costs, truth);
    for (int site = 0; site < SITES; site++) {
      struct estimate estimate = estimate_of(site);
      double off = estimate.objects - truth[site];
      sum[site] += off;
      squares[site] += off * off;
      said[site] += estimate.error * estimate.error;
      mean[site] += truth[site] / SEEDS;
    }
  }
  for (int site = 0; site < SITES; site++) {
    double bias = sum[site] / SEEDS, deviation = sqrt(squares[site] / SEEDS), says = sqrt(said[site] / SEEDS);
    print_message("site %d: of %.0f off by %.0f in the mean, deviation %.0f, said %.0f\n", site, mean[site], bias,
                  deviation, says);
    assert_true(deviation > 0 && fabs(bias) < 4 * deviation / sqrt(SEEDS) + 0.002 * mean[site]);
    assert_true(deviation > 0.7 * says && deviation < 1.4 * says);
  }
}

/* Less than all is looked at, so that it stays below the budget. */
static void test_cost_stays_within_the_budget(void **state)
{
  const struct sites_costs costs = { .object_ns = 40, .sample_ns = 3000, .budget = 0.01 };
  double truth[SITES];
  uint64_t samples = 0;
  (void)state;
  run(77, &costs, truth);
  for (uint32_t i = 0; i < sums.site_count; i++) samples += sums.sites[i].samples;
  double cost_ns = (double)sums.looked * costs.object_ns + (double)samples * costs.sample_ns;
  print_message("cost %.2f %%, %llu samples\n", 100 * cost_ns / ((double)INTERVALS * INTERVAL_NS),
                (unsigned long long)samples);
  assert_true(cost_ns < costs.budget * INTERVALS * INTERVAL_NS);
  assert_true(samples > 500);
}

/* Everything costs twenty times what was expected: after a while less is looked at. */
static void test_costs_that_were_not_expected(void **state)
{
  const struct sites_costs costs = { .object_ns = 40, .sample_ns = 3000, .budget = 0.01 };
  double truth[SITES] = { 0 }, late_ns = 0;
  (void)state;
  assert_true(sites_sums_create(&sums, 9));
  for (int i = 0; i < INTERVALS; i++) {
    bool looks = sums.looks;
    uint32_t distance = sums.distance;
    uint64_t objects = run_interval(i, truth);
    double own_ns = looks ? 20 * (double)objects * (costs.object_ns + costs.sample_ns / distance) : 0;
    if (i >= INTERVALS / 2) late_ns += own_ns;
    sites_sums_close(&sums, objects, INTERVAL_NS, &costs);
    sites_sums_cost(&sums, (int64_t)own_ns, INTERVAL_NS, costs.budget);
  }
  print_message("cost %.2f %%, %.1f times less looked at\n", 100 * late_ns / ((double)INTERVALS / 2 * INTERVAL_NS),
                sums.excess);
  assert_true(late_ns < 2 * costs.budget * INTERVALS / 2 * INTERVAL_NS);
  assert_true(fabs(estimate_of(0).objects - truth[0]) < 5 * estimate_of(0).error);
}

/* Where nothing costs, every object is a sample, and nothing is estimated. */
static void test_exact_when_it_can_be(void **state)
{
  const struct sites_costs costs = { .budget = 0.01 };
  double truth[SITES];
  (void)state;
  run(5, &costs, truth);
  for (int site = 0; site < SITES; site++) {
    struct estimate estimate = estimate_of(site);
    assert_true(estimate.objects == truth[site]);
    assert_true(estimate.error == 0);
  }
}

/* As many are followed as there is room for; together they stand for all. */
static void test_followed(void **state)
{
  enum { SAMPLES = 50000, RUNS = 100 };
  double all = 0;
  (void)state;
  for (uint32_t seed = 1; seed <= RUNS; seed++) {
    uint64_t live = 0, judged = 0;
    assert_true(sites_sums_create(&sums, seed * 2654435761u));
    for (int i = 0; i < SAMPLES; i++) sites_sums_sample(&sums, sites_sums_site(&sums, NODE), 40, true);
    assert_true(sums.followed_count <= SITES_FOLLOWED_MAX);
    for (uint32_t at = 0; at < sums.followed_count; at++)
      if (sums.followed[at].site != SITES_NONE) sites_sums_judge(&sums, at, at % 2 == 0, 100);
    for (uint32_t i = 0; i < sums.site_count; i++) {
      judged += sums.sites[i].judged;
      live += sums.sites[i].live;
      assert_int_equal(sums.sites[i].live_bytes, 100 * sums.sites[i].live);
    }
    assert_true(live > judged * 2 / 5 && live < judged * 3 / 5);
    all += (double)judged / RUNS;
  }
  print_message("%.0f stand for %d\n", all, SAMPLES);
  assert_true(fabs(all - SAMPLES) < 0.02 * SAMPLES); /* five standard errors */
}

static void test_more_sites_than_there_is_room_for(void **state)
{
  const struct sites_costs costs = { .budget = 0.01 };
  (void)state;
  assert_true(sites_sums_create(&sums, 3));
  for (uint32_t node = 1; node <= 2 * SITES_MAX; node++)
    sites_sums_sample(&sums, sites_sums_site(&sums, node), 40, true);
  sites_sums_close(&sums, UINT64_C(2) * SITES_MAX, INTERVAL_NS, &costs);
  assert_int_equal(sums.site_count, SITES_MAX);
  assert_int_equal(sums.full, SITES_MAX + 1);
  assert_int_equal(sums.sites[0].objects, SITES_MAX + 1);
  assert_int_equal(sums.sites[sites_sums_site(&sums, 17)].objects, 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_without_bias),
    cmocka_unit_test(test_cost_stays_within_the_budget),
    cmocka_unit_test(test_costs_that_were_not_expected),
    cmocka_unit_test(test_exact_when_it_can_be),
    cmocka_unit_test(test_followed),
    cmocka_unit_test(test_more_sites_than_there_is_room_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
