/* Methods whose cost is known: each measures its own wall and CPU time, and a profiler must find the same.
 *
 * KnownCost.<kind>_<slot>(ns) for every kind below and every slot: so many methods of their own names, all
 * of them C functions. KnownCost.add is for methods written in Ruby that measure themselves. */
#include <ruby.h>
#include <ruby/thread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { SLOTS = 128 };

struct cost {
  int64_t calls, wall_ns, cpu_ns;
};

static struct cost costs[SLOTS];

static int64_t read_ns(clockid_t clock)
{
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void add(long slot, int64_t wall_ns, int64_t cpu_ns)
{
  if (slot < 0 || slot >= SLOTS) rb_raise(rb_eRangeError, "slot %ld", slot);
  costs[slot].calls++;
  costs[slot].wall_ns += wall_ns;
  costs[slot].cpu_ns += cpu_ns;
}

/* ---- the kinds ---------------------------------------------------------------------------------- */

static void burn(int64_t ns)
{
  int64_t end = read_ns(CLOCK_THREAD_CPUTIME_ID) + ns;
  while (read_ns(CLOCK_THREAD_CPUTIME_ID) < end) {
  }
}

/* To an absolute time: interrupted or not, it sleeps so long and once. */
static void sleep_held(int64_t ns)
{
  int64_t end = read_ns(CLOCK_MONOTONIC) + ns;
  struct timespec until = { .tv_sec = (time_t)(end / 1000000000), .tv_nsec = (long)(end % 1000000000) };
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0) {
  }
}

static void *sleep_body(void *ns)
{
  sleep_held(*(int64_t *)ns);
  return NULL;
}

static void sleep_free(int64_t ns)
{
  rb_thread_call_without_gvl(sleep_body, &ns, NULL, NULL);
}

static VALUE measured(VALUE slot, VALUE ns, void (*work)(int64_t))
{
  int64_t wall = read_ns(CLOCK_MONOTONIC), cpu = read_ns(CLOCK_THREAD_CPUTIME_ID);
  work(NUM2LL(ns));
  cpu = read_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
  wall = read_ns(CLOCK_MONOTONIC) - wall;
  add(NUM2LONG(slot), wall, cpu);
  return Qnil;
}

static VALUE c_busy(VALUE self, VALUE slot, VALUE ns)
{
  (void)self;
  return measured(slot, ns, burn);
}

static VALUE held_sleep(VALUE self, VALUE slot, VALUE ns)
{
  (void)self;
  return measured(slot, ns, sleep_held);
}

static VALUE free_sleep(VALUE self, VALUE slot, VALUE ns)
{
  (void)self;
  return measured(slot, ns, sleep_free);
}

/* ---- Ruby's side -------------------------------------------------------------------------------- */

static VALUE ruby_add(VALUE self, VALUE slot, VALUE wall_ns, VALUE cpu_ns)
{
  (void)self;
  add(NUM2LONG(slot), NUM2LL(wall_ns), NUM2LL(cpu_ns));
  return Qnil;
}

/* [[calls, wall ns, CPU ns], ...] by slot */
static VALUE results(VALUE self)
{
  VALUE rows = rb_ary_new();
  (void)self;
  for (int slot = 0; slot < SLOTS; slot++)
    rb_ary_push(rows, rb_ary_new_from_args(3, LL2NUM(costs[slot].calls), LL2NUM(costs[slot].wall_ns),
                                           LL2NUM(costs[slot].cpu_ns)));
  return rows;
}

RUBY_FUNC_EXPORTED void Init_known_cost(void);

void Init_known_cost(void)
{
  static const struct {
    const char *name;
    VALUE (*function)(VALUE, VALUE, VALUE);
  } kinds[] = { { "c_busy", c_busy }, { "held_sleep", held_sleep }, { "free_sleep", free_sleep } };
  VALUE module = rb_define_module("KnownCost");
  rb_define_singleton_method(module, "add", ruby_add, 3);
  rb_define_singleton_method(module, "results", results, 0);
  for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++) {
    for (int slot = 0; slot < SLOTS; slot++) {
      char name[40];
      snprintf(name, sizeof name, "%s_%d", kinds[kind].name, slot);
      rb_define_singleton_method(module, name, kinds[kind].function, 2);
    }
  }
}
