/* SPDX-License-Identifier: MIT */
/* Writes advice where the figures of a verdict support it. */
#include "verdict_advice.h"

#include <math.h>
#include <stdio.h>

static const double busy_least = 0.9; /* share of the time that the GVL is held, from which it bounds the work */
static const double free_most = 0.7;  /* share of the time that the GVL is held, up to which
                                         it has room for the work of more connections */
static const double pool_least = 0.2; /* of each waiter's time */
static const double chance = 0.1;     /* part of a thread that is too little to count as one more */
enum { THREADS_LEAST = 3, FEWER_LEAST = 2, WAITERS_LEAST = 2 };

struct verdict_advice verdict_advice_of(const struct verdict_figures *figures)
{
  struct verdict_advice advice = { .of = *figures };
  if (figures->held >= busy_least && figures->at_work >= THREADS_LEAST && !figures->one_holds) {
    double enough = ceil(1 + figures->off / figures->held - chance) + 1;
    if (enough + FEWER_LEAST > figures->at_work) return advice;
    advice.kind = VERDICT_FEWER_THREADS;
    advice.enough = (unsigned)enough;
  } else if (figures->pool && figures->held <= free_most && figures->waiters >= WAITERS_LEAST &&
             figures->pool_blocked >= pool_least * figures->waiters) {
    advice.kind = VERDICT_LARGER_POOL;
  }
  return advice;
}

static int percent(double share)
{
  return (int)(share * 100 + 0.5);
}

void verdict_advice_words(char *out, size_t bytes, const struct verdict_advice *advice)
{
  const struct verdict_figures *of = &advice->of;
  out[0] = '\0';
  switch (advice->kind) {
  case VERDICT_NO_ADVICE: break;
  case VERDICT_FEWER_THREADS:
    snprintf(out, bytes,
             "%u threads would do the work of these %u: the GVL is held %d%% of the time, and for each second with it "
             "the threads work %.1f s without it. More threads only wait longer; another process has a GVL of its own.",
             advice->enough, of->at_work, percent(of->held), of->off / of->held);
    break;
  case VERDICT_LARGER_POOL:
    snprintf(out, bytes,
             "The pool of connections is the limit: %u threads wait for one, each for %d%% of the time, while the GVL "
             "is held only %d%%. A larger pool lets them work, if the server behind it can serve more at a time.",
             of->waiters, percent(of->pool_blocked / of->waiters), percent(of->held));
    break;
  }
}
