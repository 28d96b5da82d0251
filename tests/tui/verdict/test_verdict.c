/* Situations, made up and like those of real programs, and what is said of each. */
#include "tests/tui/model_fixture.h"
#include "tui/verdict/verdict_past.h"
#include "tui/verdict/verdict_trouble.h"
#include "tui/verdict/verdict_words.h"

#include "tui/text/text.h"
#include <locale.h>
#include <stdlib.h>

enum { WINDOW_MS = 1000, THREADS_MAX = 2500 };

static struct rtop_profile *profile;
static struct rtop_symbols *symbols;
static struct verdict_maker maker;
static struct verdict verdict;
static struct rtop_sum sum;
static int64_t now_ms;
static int process_cpu_ms, stopped_ms; /* of the process, in the second that comes; 0: not told */

static uint32_t call(uint32_t parent, const char *label, const char *path)
{
  return rtop_symbols_node(symbols, parent, fixture_frame(symbols, label, path, 1), 1);
}

/* Stacks, outermost first. */
static uint32_t pool(void) /* a pool's thread */
{
  return call(0, "Puma::ThreadPool#spawn_thread", "/usr/lib/ruby/gems/3.3.0/gems/puma-6.4/lib/puma/thread_pool.rb");
}
static uint32_t request(void) /* a pool's thread that has called the application */
{
  uint32_t server =
      call(pool(), "Puma::Server#process_client", "/usr/lib/ruby/gems/3.3.0/gems/puma-6.4/lib/puma/server.rb");
  return call(server, "App#call", "/app/app.rb");
}
static uint32_t index_action(void)
{
  return call(request(), "OrdersController#index", "/app/orders_controller.rb");
}
static uint32_t query(void)
{
  uint32_t relation = call(index_action(), "ActiveRecord::Relation#exec_queries",
                           "/usr/lib/ruby/gems/3.3.0/gems/activerecord-7/lib/relation.rb");
  return call(relation, "PG::Connection#exec", "");
}
static uint32_t queue_wait(void)
{
  return call(call(pool(), "Thread::ConditionVariable#wait", ""), "Thread::Mutex#sleep", "");
}
static uint32_t program(void)
{
  return call(0, "<main>", "/app/main.rb");
}
static uint32_t waits_for_lock(void)
{
  return call(request(), "Thread::Mutex#synchronize", "");
}
static uint32_t has_lock(void)
{
  return call(call(waits_for_lock(), "Report#write", "/app/report.rb"), "Kernel#sleep", "");
}

static int set_up(void **state)
{
  (void)state;
  profile = rtop_profile_create(64 << 20);
  symbols = rtop_profile_symbols(profile);
  fixture_unsampled(symbols);
  verdict = (struct verdict){ 0 };
  now_ms = 10000;
  process_cpu_ms = stopped_ms = 0;
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  verdict_maker_destroy(&maker);
  rtop_sum_destroy(&sum);
  rtop_profile_destroy(&profile);
  return 0;
}

/* What one thread does for a second, in two places at most. */
struct life {
  const char *name;
  uint32_t node, other; /* `node` is also where it is at the end */
  uint32_t state, other_state;
  int ms, other_ms;
  int waits_ms;     /* for the GVL, in `node` */
  uint64_t objects; /* in `node` */
  int blame_ms;     /* in `node` */
  int age_ms;       /* of the state at the end */
  int old_ms;       /* no safepoint for so long */
  uint32_t lock;    /* number of a Mutex that it waits for */
  int cpu_ms;       /* in `node` */
  uint64_t holder;  /* its place among the lives, from 1 */
};

static void second_of(uint32_t source, const struct life *lives, size_t count)
{
  struct rtop_window made = { 0 };
  uint32_t ids[THREADS_MAX];
  fixture_window(&made, now_ms * MS, (now_ms + WINDOW_MS) * MS);
  for (size_t i = 0; i < count; i++) {
    const struct life *life = &lives[i];
    struct rtop_source_thread about = { i + 1, life->name ? life->name : "", life->name ? strlen(life->name) : 0,
                                        100 + (uint32_t)i, i == 0 };
    ids[i] = rtop_profile_thread(profile, source, &about);
    uint32_t thread = fixture_thread(&made, i + 1, life->state, life->node, 0);
    made.threads[thread].state_age_ns = (uint64_t)(life->age_ms * MS);
    made.threads[thread].lock_kind = life->lock ? RTOP_LOCK_MUTEX : RTOP_LOCK_NONE;
    made.threads[thread].lock = life->lock;
    made.threads[thread].lock_holder = life->holder;
    if (life->old_ms) {
      made.threads[thread].flags |= RTOP_WINDOW_THREAD_PROVISIONAL;
      made.threads[thread].stack_age_ns = (uint64_t)(life->old_ms * MS);
      made.threads[thread].provisional_ns = (uint64_t)(life->ms * MS);
    } else if (life->ms) {
      struct rtop_cell *cell = fixture_cell(&made, thread, life->node, life->state, (uint64_t)(life->ms * MS));
      cell->allocations = life->objects;
      cell->cpu_ns = (uint64_t)(life->cpu_ms * MS);
      cell->blame_ns = (uint64_t)(life->blame_ms * MS);
    }
    if (life->waits_ms) fixture_cell(&made, thread, life->node, RTOP_WAITING, (uint64_t)(life->waits_ms * MS));
    if (life->other_ms) fixture_cell(&made, thread, life->other, life->other_state, (uint64_t)(life->other_ms * MS));
  }
  if (process_cpu_ms) rtop_window_set_counter(&made, RTOP_COUNTER_CPU_NS, (uint64_t)(process_cpu_ms * MS));
  if (stopped_ms) rtop_window_set_counter(&made, RTOP_COUNTER_STOPPED_NS, (uint64_t)(stopped_ms * MS));
  process_cpu_ms = stopped_ms = 0;
  static uint32_t nodes[4096];
  for (uint32_t i = 0; i < 4096; i++) nodes[i] = i;
  assert_true(rtop_profile_add(profile, source, &made, nodes, rtop_symbols_node_count(symbols), ids));
  rtop_window_destroy(&made);
}

static void judge(void)
{
  struct verdict before = verdict;
  struct rtop_span span = { now_ms * MS, (now_ms + WINDOW_MS) * MS };
  assert_true(rtop_profile_sum(profile, span, &sum));
  assert_true(verdict_make(&maker, &sum, profile, VERDICT_ALL_SOURCES, &before, &verdict));
  now_ms += WINDOW_MS;
}

static void happens(const struct life *lives, size_t count)
{
  second_of(0, lives, count);
  judge();
}
#define HAPPENS(...)                                                                                                   \
  do {                                                                                                                 \
    const struct life lives[] = { __VA_ARGS__ };                                                                       \
    happens(lives, sizeof lives / sizeof lives[0]);                                                                    \
  } while (0)

static const char *text_in(int columns)
{
  static struct verdict_words words;
  struct verdict_say say = { .symbols = symbols, .process = "" };
  verdict_words(&words, &verdict, &say, columns);
  assert_true(rtop_text_width(words.text) <= columns);
  return words.text;
}

static void says(const char *wanted)
{
  assert_string_equal(text_in(200), wanted);
}

static struct life rests(uint32_t node)
{
  return (struct life){ .node = node, .state = RTOP_BLOCKED, .ms = 1000, .age_ms = 5000 };
}
static struct life blocked(const char *name, uint32_t node, int ms)
{
  return (struct life){ .name = name, .node = node, .state = RTOP_BLOCKED, .ms = ms, .age_ms = ms };
}
static struct life runs(const char *name, uint32_t node, int ms)
{
  return (struct life){ .name = name, .node = node, .state = RTOP_RUNNING, .ms = ms };
}

static void test_pool_rests(void **state)
{
  (void)state;
  HAPPENS(rests(call(program(), "Thread#join", "")), rests(queue_wait()), rests(queue_wait()),
          rests(call(0, "NIO::Selector#select", "")));
  says("idle: 4 threads wait for work");
  assert_int_equal(verdict.resting, 4);
}

/* A gem's program waits: the script that RubyGems wrote to load it is nobody's work. */
static void test_program_of_a_gem_rests(void **state)
{
  (void)state;
  uint32_t script = call(call(0, "<main>", "/usr/local/bin/puma"), "Kernel#load", "");
  uint32_t bundled = call(call(script, "<top (required)>", "/gems/bundler-2.5/exe/bundle"), "Kernel#load", "");
  uint32_t again = call(call(bundled, "<top (required)>", "/usr/local/bin/puma"), "Kernel#load", "");
  uint32_t top = call(again, "<top (required)>", "/gems/puma-6.4/bin/puma");
  uint32_t cluster = call(top, "Puma::Cluster#run", "/gems/puma-6.4/lib/puma/cluster.rb");
  HAPPENS(rests(call(cluster, "IO#wait_readable", "")));
  says("idle: 1 thread waits for work");
  HAPPENS(rests(call(call(cluster, "Boot#warm", "/app/boot.rb"), "IO#wait_readable", "")));
  says("main thread waits 100% in IO#wait_readable < Boot#warm, for 5.0 s");
}

/* A script of the application starts a server itself: the server waits for its work, whatever it waits in. */
static void test_server_that_a_script_starts_rests(void **state)
{
  (void)state;
  uint32_t start = call(call(0, "<main>", "/app/serve.rb"), "Site.start", "/app/site.rb");
  uint32_t launcher = call(start, "Puma::Launcher#run", "/gems/puma-6.4/lib/puma/launcher.rb");
  uint32_t cluster = call(launcher, "Puma::Cluster#run", "/gems/puma-6.4/lib/puma/cluster.rb");
  HAPPENS(rests(call(cluster, "IO#wait_readable", "")));
  says("idle: 1 thread waits for work");
  HAPPENS(rests(call(call(cluster, "Site#call", "/app/site.rb"), "IO#wait_readable", "")));
  says("main thread waits 100% in IO#wait_readable < Site#call, for 5.0 s");
}

/* A child that was forked deep in the application waits in a loop of its own. */
static void test_forked_child_rests(void **state)
{
  (void)state;
  uint32_t fork = call(call(index_action(), "Database.connect", "/app/database.rb"), "Kernel#fork", "");
  uint32_t serve =
      call(call(fork, "block in Database.connect", "/app/database.rb"), "Database.serve", "/app/database.rb");
  HAPPENS(rests(queue_wait()), rests(call(serve, "IO#gets", "")));
  says("idle: 1 thread waits for work, 1 in IO#gets < Database.serve");
}

static void test_plain_worker_rests_in_its_queue(void **state)
{
  (void)state;
  uint32_t worker = call(0, "Worker#run", "/app/worker.rb");
  HAPPENS(rests(call(program(), "Thread#join", "")), rests(call(worker, "Thread::Queue#pop", "")));
  says("idle: 2 threads wait for work");
}

/* Nobody waits for work where all wait for threads to end. */
static void test_threads_that_wait_for_one_another_to_end(void **state)
{
  (void)state;
  uint32_t joins = call(call(0, "Batch#run", "/app/batch.rb"), "Thread#join", "");
  HAPPENS(rests(call(program(), "Kernel#sleep", "")), rests(joins), rests(joins));
  says("idle: 2 threads wait for other threads, 1 in Kernel#sleep < <main>");
  HAPPENS(rests(call(program(), "Kernel#sleep", "")), rests(call(call(0, "Batch#sum", ""), "Thread#value", "")));
  says("idle: 1 thread waits for another thread, 1 in Kernel#sleep < <main>");
  HAPPENS(rests(joins), rests(queue_wait()));
  says("idle: 2 threads wait for work");
}

/* It may be all there is to do, or a pause: nobody knows. */
static void test_sleep_of_the_program_is_what_it_is(void **state)
{
  (void)state;
  HAPPENS(rests(call(call(program(), "Object#work", "/app/main.rb"), "Kernel#sleep", "")));
  says("idle: 1 in Kernel#sleep < Object#work");
}

/* Those who pause somewhere else are not in the place where most do. */
static void test_pauses_in_several_places(void **state)
{
  (void)state;
  uint32_t worker = call(call(0, "Worker#run", "/app/worker.rb"), "IO#wait_readable", "");
  HAPPENS(rests(call(program(), "Kernel#sleep", "")), rests(worker), rests(worker));
  says("idle: 2 in IO#wait_readable < Worker#run, 1 elsewhere");
}

static void test_sleep_in_a_request_is_work(void **state)
{
  (void)state;
  HAPPENS(rests(queue_wait()), blocked("puma 002", call(index_action(), "Kernel#sleep", ""), 1000));
  says("puma 002 waits 100% in Kernel#sleep < OrdersController#index, for 1.0 s");
  assert_int_equal(verdict.kind, VERDICT_BLOCKED);
}

/* A pop within a request is no rest: a framework has called the application. */
static void test_pop_in_a_request_is_work(void **state)
{
  (void)state;
  HAPPENS(rests(queue_wait()), blocked("puma 002", call(index_action(), "Thread::Queue#pop", ""), 900));
  says("puma 002 waits 90% in Thread::Queue#pop < OrdersController#index");
}

static void test_most_of_the_threads_in_a_query(void **state)
{
  (void)state;
  struct life lives[11] = { rests(call(program(), "Thread#join", "")) };
  for (int i = 1; i < 11; i++) {
    lives[i] = blocked("puma", query(), 820);
    lives[i].other = call(index_action(), "TCPSocket#read", "");
    lives[i].other_state = RTOP_BLOCKED;
    lives[i].other_ms = 0;
    if (i > 8)
      lives[i].node = call(call(request(), "UsersController#show", "/app/users.rb"), "PG::Connection#exec", "");
  }
  happens(lives, 11);
  says("80% of 8 threads at work wait in PG::Connection#exec < OrdersController#index");
}

/* Of two that wait alike none is named, whichever was a little longer there this time. */
static void test_two_alike(void **state)
{
  (void)state;
  for (int i = 0; i < 6; i++) {
    HAPPENS(rests(queue_wait()), blocked("w0", query(), i % 2 ? 990 : 960), blocked("w1", query(), i % 2 ? 960 : 990));
    says("100% of 2 threads at work wait in PG::Connection#exec < OrdersController#index");
  }
  HAPPENS(blocked("w0", query(), 400), blocked("w1", query(), 410));
  says("100% of the work of 2 threads waits in PG::Connection#exec < OrdersController#index");
  HAPPENS(blocked("w0", query(), 900), blocked("w1", query(), 300)); /* not alike */
  says("w0 waits 90% in PG::Connection#exec < OrdersController#index");
}

/* The same of the GVL: two that take turns, and two processes. */
static void test_two_hold_alike(void **state)
{
  (void)state;
  uint32_t code = index_action();
  for (int i = 0; i < 4; i++) {
    struct life one = runs("w0", code, i % 2 ? 505 : 495), other = runs("w1", code, i % 2 ? 495 : 505);
    one.waits_ms = other.waits_ms = 495;
    HAPPENS(one, other);
    says("GVL held 100%: OrdersController#index, 2 threads waited 0.5 s each");
    assert_false(verdict.gvl.holder.known);
  }
}

static void test_two_processes_alike(void **state)
{
  (void)state;
  uint32_t first = VERDICT_ALL_SOURCES;
  for (int i = 0; i < 4; i++) {
    for (uint32_t source = 0; source < 2; source++) {
      struct life one = runs("w", index_action(), source == (uint32_t)i % 2 ? 910 : 890);
      second_of(source, &one, 1);
    }
    judge();
    first = i == 0 ? verdict.source : first;
    assert_int_equal(verdict.source, first);
  }
}

/* What the kernel told of the second that comes. */
static void no_core(int delayed_ms, int throttled_ms)
{
  for (int i = 0; i < 2; i++)
    rtop_profile_add_cores(profile, &(struct rtop_profile_cores){ .pid = 1,
                                                                  .time_ns = (now_ms + i * WINDOW_MS) * MS,
                                                                  .delayed_ns = (uint64_t)(i * delayed_ms * MS),
                                                                  .throttled_ns = (uint64_t)(i * throttled_ms * MS),
                                                                  .tells_throttled = true });
}

static struct life starves(void)
{
  struct life life = runs("", index_action(), 1000);
  life.cpu_ms = 95;
  return life;
}

static void test_no_core_for_a_quota(void **state)
{
  (void)state;
  no_core(900, 890);
  HAPPENS(starves());
  says("no CPU 91% of the time: quota of the container; GVL held by main thread in OrdersController#index");
  assert_int_equal(verdict.kind, VERDICT_NO_CPU);
  assert_string_equal(text_in(80), "no CPU 91%: quota of the container; GVL held in OrdersController#index");
}

static void test_no_core_for_others(void **state)
{
  (void)state;
  no_core(900, 10);
  HAPPENS(starves());
  says("no CPU 91% of the time: other processes; GVL held by main thread in OrdersController#index");
}

/* The method had no use for a core: the processes that ran meanwhile are not to blame. */
static void test_held_asleep(void **state)
{
  (void)state;
  struct life step = starves();
  step.node = call(index_action(), "SQLite3::Statement#step", "");
  no_core(20, 0);
  HAPPENS(step);
  says("GVL held without CPU 91%: SQLite3::Statement#step < OrdersController#index sleeps with the GVL");
}

/* Nothing is said of why where nobody knows, and nothing at all where the CPU is not known, or was had. */
static void test_no_core_not_known_why(void **state)
{
  (void)state;
  HAPPENS(starves());
  says("no CPU 91% of the time; GVL held by main thread in OrdersController#index");
  struct life ran = starves();
  ran.cpu_ms = 700;
  no_core(300, 300);
  HAPPENS(ran);
  says("running: 100% OrdersController#index, main thread");
  ran.cpu_ms = 0;
  HAPPENS(ran);
  says("running: 100% OrdersController#index, main thread");
}

/* The CPU of a call that goes on is not known: it does not lack it. */
static void test_no_core_of_a_call_that_goes_on(void **state)
{
  (void)state;
  struct life stuck = {
    .name = "web", .node = index_action(), .state = RTOP_RUNNING, .ms = 1000, .old_ms = 3000, .age_ms = 4000
  };
  struct life other = runs("w", query(), 10);
  other.cpu_ms = 10;
  no_core(900, 0);
  HAPPENS(stuck, other);
  assert_int_equal(verdict.kind, VERDICT_RUNNING);
}

/* A call that goes on had no more CPU than the process. */
static void test_held_asleep_by_a_call_that_goes_on(void **state)
{
  (void)state;
  uint32_t step = call(index_action(), "SQLite3::Statement#step", "");
  struct life stuck = { .node = step, .state = RTOP_RUNNING, .ms = 1000, .old_ms = 1300, .age_ms = 1300 };
  no_core(20, 0);
  process_cpu_ms = 5;
  HAPPENS(stuck);
  says("GVL held without CPU 100%: last seen in SQLite3::Statement#step < OrdersController#index 1.3 s ago");
  assert_int_equal(verdict.kind, VERDICT_NO_CPU);
  no_core(900, 0);
  process_cpu_ms = 5;
  HAPPENS(stuck);
  says("no CPU 100% of the time: other processes; GVL held by main thread, "
       "last seen in SQLite3::Statement#step < OrdersController#index 1.3 s ago");
  no_core(20, 0);
  process_cpu_ms = 950;
  HAPPENS(stuck);
  says("running 100%: last seen in SQLite3::Statement#step < OrdersController#index 1.3 s ago, main thread");
  stuck.ms = stuck.old_ms = stuck.age_ms = 200; /* ones that have ended are known */
  stuck.other = step;
  stuck.other_state = RTOP_RUNNING;
  stuck.other_ms = 800;
  no_core(20, 0);
  process_cpu_ms = 40;
  HAPPENS(stuck);
  says("GVL held without CPU 96%: SQLite3::Statement#step < OrdersController#index sleeps with the GVL");
}

/* Who was stopped neither sleeps nor starves; what the kernel counted goes before the lateness of a timer. */
static void test_stopped_is_not_starved(void **state)
{
  (void)state;
  no_core(20, 0);
  stopped_ms = 880;
  HAPPENS(starves());
  says("process stopped 91% of the time; GVL held by main thread in OrdersController#index");
  no_core(900, 890);
  stopped_ms = 880;
  HAPPENS(starves());
  says("no CPU 91% of the time: quota of the container; GVL held by main thread in OrdersController#index");
  no_core(900, 0);
  stopped_ms = 880;
  HAPPENS(starves());
  says("no CPU 91% of the time: other processes; GVL held by main thread in OrdersController#index");
  no_core(200, 0);
  stopped_ms = 300; /* neither, nor asleep */
  HAPPENS(starves());
  says("no CPU 91% of the time; GVL held by main thread in OrdersController#index");
}

/* C code with a core of its own does not wait. */
static void test_computes_off_the_gvl(void **state)
{
  (void)state;
  uint32_t deflate = call(call(index_action(), "Pack#pack", "/app/pack.rb"), "Zlib::Deflate.deflate", "");
  struct life one = blocked("pack 0", deflate, 930), other = blocked("pack 1", deflate, 920);
  one.cpu_ms = 900;
  other.cpu_ms = 880;
  HAPPENS(rests(queue_wait()), one);
  says("pack 0 computes 93% off the GVL in Zlib::Deflate.deflate < Pack#pack");
  HAPPENS(rests(queue_wait()), one, other);
  says("2 threads compute off the GVL in Zlib::Deflate.deflate < Pack#pack");
  one.cpu_ms = other.cpu_ms = 300; /* and was ready for a core meanwhile */
  no_core(1200, 0);
  HAPPENS(rests(queue_wait()), one, other);
  says("2 threads compute off the GVL in Zlib::Deflate.deflate < Pack#pack");
  one.cpu_ms = other.cpu_ms = 3;
  no_core(1800, 0); /* all the rest was such time */
  HAPPENS(rests(queue_wait()), one, other);
  says("2 threads compute off the GVL in Zlib::Deflate.deflate < Pack#pack");
  one.cpu_ms = other.cpu_ms = 10;
  no_core(1200, 0); /* others of the process were */
  HAPPENS(rests(queue_wait()), one, other);
  says("100% of 2 threads at work wait in Zlib::Deflate.deflate < Pack#pack");
  no_core(1800, 0); /* it has not been seen to compute, and may be a query while others want a core */
  HAPPENS(rests(queue_wait()), one, other);
  says("100% of 2 threads at work wait in Zlib::Deflate.deflate < Pack#pack");
}

/* A query for each row: the method that loops is told; nothing is where a framework calls, or the loop is a worker's. */
static void test_a_loop_around_the_place(void **state)
{
  (void)state;
  uint32_t each = call(call(index_action(), "Invoice#total", "/app/invoice.rb"), "Array#each", "");
  uint32_t lines = call(call(each, "Invoice#total", "/app/invoice.rb"), "Invoice#lines", "/app/invoice.rb");
  uint32_t sql = call(call(lines, "Db.query", "/app/db.rb"), "IO#gets", "");
  HAPPENS(blocked("puma 001", sql, 900), rests(queue_wait()));
  says("puma 001 waits 90% in IO#gets < Db.query, in a loop of Invoice#total");
  assert_string_equal(text_in(66), "puma 001 waits 90% in Db.query, in a loop of Invoice#total");
  verdict_keep(&verdict, symbols);
  uint32_t elsewhere = call(call(index_action(), "Db.query", "/app/db.rb"), "IO#gets", "");
  HAPPENS(blocked("puma 001", sql, 500), blocked("puma 002", elsewhere, 500));
  says("100% of the work of 2 threads waits in IO#gets < Db.query");
  uint32_t own =
      call(call(call(index_action(), "Hash#each", ""), "OrdersController#index", "/app/orders_controller.rb"),
           "PG::Connection#exec", "");
  HAPPENS(blocked("puma 001", own, 900));
  says("puma 001 waits 90% in PG::Connection#exec < OrdersController#index, in a loop");
  uint32_t worker = call(call(call(request(), "Kernel#loop", ""), "Db.query", "/app/db.rb"), "IO#gets", "");
  uint32_t once = call(call(call(request(), "Hash#fetch", ""), "Db.query", "/app/db.rb"), "IO#gets", "");
  uint32_t fill = call(call(request(), "Array#initialize", ""), "Puma::Reactor#fill", "/gems/puma-6.4/lib/reactor.rb");
  uint32_t framework = call(call(fill, "Db.query", "/app/db.rb"), "IO#gets", "");
  HAPPENS(blocked("puma 001", worker, 300), blocked("puma 002", once, 300), blocked("puma 003", framework, 300));
  says("100% of the work of 3 threads waits in IO#gets < Db.query");
}

/* What waits for a pool's connection, and where those are that have one. */
static void test_a_pool_of_connections(void **state)
{
  (void)state;
  const char *gem = "/usr/lib/ruby/gems/3.3.0/gems/connection_pool-2.5/lib/connection_pool.rb";
  uint32_t with = rtop_symbols_node(symbols, index_action(),
                                    rtop_symbols_frame(symbols, "ConnectionPool#with", 19, gem, strlen(gem),
                                                       "ConnectionPool", 14, 1, RTOP_SYMBOL_RUBY),
                                    1);
  uint32_t uses = call(call(with, "Report#render", "/app/report.rb"), "IO#gets", "");
  uint32_t waits = call(call(with, "Thread::ConditionVariable#wait", ""), "Thread::Mutex#sleep", "");
  HAPPENS(blocked("puma 001", uses, 1000), blocked("puma 002", waits, 1000), blocked("puma 003", waits, 1000));
  says("2 threads wait for a connection of the pool in OrdersController#index; connections are used in IO#gets < "
       "Report#render");
  assert_string_equal(text_in(80), "2 wait for a connection in OrdersController#index; used in Report#render");
  HAPPENS(rests(queue_wait()), blocked("puma 002", waits, 1000));
  says("1 thread waits for a connection of the pool in OrdersController#index, for 1.0 s");
}

static void test_hog_and_its_victims(void **state)
{
  (void)state;
  uint32_t hog = call(call(0, "NightlyExport#run", "/app/export.rb"), "Integer#**", "");
  struct life lives[10] = {
    { .name = "nightly export", .node = hog, .state = RTOP_RUNNING, .ms = 1000, .blame_ms = 9000 }
  };
  for (int i = 1; i < 10; i++)
    lives[i] = (struct life){ .node = index_action(), .state = RTOP_WAITING, .waits_ms = 1000, .age_ms = 1200 };
  happens(lives, 10);
  says("GVL held 100% by nightly export: Integer#** < NightlyExport#run, 9 threads waited 1.2 s each");
  assert_string_equal(text_in(80), "GVL held 100% by nightly export: Integer#** < NightlyExport#run");
  assert_string_equal(text_in(40), "GVL held 100%: NightlyExport#run");
  assert_true(verdict.gvl.holder.known);
  assert_int_equal(verdict.gvl.waiters, 9);
}

/* It has not come back yet: only where it was seen last is known. */
static void test_unfinished_call(void **state)
{
  (void)state;
  uint32_t node = call(call(request(), "CsvImport#parse", "/app/csv.rb"), "Regexp#match?", "");
  struct life stuck = {
    .name = "puma 001", .node = node, .state = RTOP_RUNNING, .ms = 1000, .old_ms = 3000, .age_ms = 4000
  };
  HAPPENS(stuck, rests(queue_wait()));
  says("running 100%: last seen in Regexp#match? < CsvImport#parse 3.0 s ago, puma 001");
  struct life waits = { .node = index_action(), .state = RTOP_WAITING, .waits_ms = 1000, .age_ms = 2000 };
  HAPPENS(stuck, waits);
  says("GVL held 100% by puma 001: last seen in Regexp#match? < CsvImport#parse 3.0 s ago, 1 thread waited 2.0 s");
}

/* The method is mostly one thread's, but the GVL is not. */
static void test_holder_is_not_whose_method_it_is(void **state)
{
  (void)state;
  struct life lives[4];
  static const char *const labels[4] = { "A#a", "B#b", "C#c", "D#d" };
  for (int i = 0; i < 4; i++)
    lives[i] = (struct life){ .name = "puma",
                              .node = call(request(), labels[i], "/app/all.rb"),
                              .state = RTOP_RUNNING,
                              .ms = i ? 220 : 300,
                              .waits_ms = 600 };
  happens(lives, 4);
  says("GVL held 96%: 30% A#a, 4 threads waited 0.6 s each"); /* 300 ms of 1000 */
}

/* The one that others wait for, with what it held itself: as TOTAL% says below. */
static void test_the_share_is_of_what_is_held(void **state)
{
  (void)state;
  uint32_t waited_for = call(request(), "A#a", "/app/all.rb"), other = call(request(), "B#b", "/app/all.rb");
  struct life lives[] = {
    { .name = "one", .node = waited_for, .state = RTOP_RUNNING, .ms = 300, .blame_ms = 1000, .waits_ms = 700 },
    { .name = "two", .node = other, .state = RTOP_RUNNING, .ms = 300, .blame_ms = 100, .waits_ms = 700 },
    { .name = "three", .node = other, .state = RTOP_RUNNING, .ms = 300, .blame_ms = 100, .waits_ms = 700 },
  };
  happens(lives, 3);
  says("GVL held 90%: 30% A#a, 3 threads waited 0.7 s each");
}

static void test_many_share_the_gvl(void **state)
{
  (void)state;
  struct life lives[6];
  static const char *const labels[6] = { "A#a", "B#b", "C#c", "D#d", "E#e", "F#f" };
  for (int i = 0; i < 6; i++)
    lives[i] = (struct life){
      .node = call(request(), labels[i], "/app/all.rb"), .state = RTOP_RUNNING, .ms = 160, .waits_ms = 600
    };
  happens(lives, 6);
  says("GVL held 96%, 6 threads waited 0.6 s each");
}

static void test_busy_method(void **state)
{
  (void)state;
  uint32_t parse = call(request(), "CsvImport#parse", "/app/csv.rb");
  struct life one = runs("puma 001", call(parse, "Regexp#match?", ""), 610);
  one.other = call(parse, "String#split", "");
  one.other_state = RTOP_RUNNING;
  one.other_ms = 100;
  HAPPENS(one, rests(queue_wait()));
  says("running: 71% Regexp#match? < CsvImport#parse, puma 001");
  HAPPENS(runs("puma 001", call(request(), "#<Puma::Rack::Builder>.report", "/app/config.ru"), 800));
  assert_string_equal(text_in(32), "running: 80% #<Builder>.report");
}

/* Leaves of all kinds: the application's method is the one to name. */
static void test_no_leaf_has_half(void **state)
{
  (void)state;
  uint32_t total = call(request(), "Order#total", "/app/order.rb");
  HAPPENS({ .node = call(total, "String#+", ""),
            .state = RTOP_RUNNING,
            .ms = 200,
            .other = call(total, "Array#map", ""),
            .other_state = RTOP_RUNNING,
            .other_ms = 200 },
          runs("", call(total, "Hash#[]", ""), 200));
  says("running: 60% Order#total, main thread");
}

/* The gem is not what one looks for; without an own method on the stack it is. */
static void test_gems(void **state)
{
  (void)state;
  HAPPENS(runs("", call(pool(), "IO#write", ""), 500));
  says("running: 50% IO#write < Puma::ThreadPool#spawn_thread, main thread");
  HAPPENS(runs("", query(), 700));
  says("running: 70% PG::Connection#exec < OrdersController#index, main thread");
}

/* Of much that is a little the application's method is named, and that there is much; never a framework's few percent. */
static void test_spread_time(void **state)
{
  (void)state;
  static const char *const labels[] = { "A#a", "B#b", "C#c", "D#d", "E#e", "F#f", "G#g", "H#h", "I#i", "J#j" };
  enum { LABELS = sizeof labels / sizeof labels[0], LIVES = LABELS + 2 };
  uint32_t total = call(request(), "Order#total", "/app/order.rb");
  struct life lives[LIVES] = { runs("", total, 40), runs("", call(0, "Thread::Queue#empty?", ""), 60) };
  for (int i = 0; i < LABELS; i++) lives[2 + i] = runs("", call(request(), labels[i], "/app/all.rb"), 10);
  happens(lives, LIVES);
  says("running 20%: spread over 12 methods, most in Order#total 4%");
  assert_string_equal(text_in(40), "running 20%: most in Order#total 4%");
  assert_int_equal(verdict.place.leaf, rtop_symbols_get_node(symbols, total)->frame);
  lives[0].ms = 10; /* no method has enough to be named at all */
  happens(lives, LIVES);
  says("running 17%: spread over 12 methods");
  lives[0].ms = 120;
  happens(lives, LIVES);
  says("running: 12% Order#total, main thread");
  lives[0].ms = 60; /* less than a third, but it has been named, and stays */
  happens(lives, LIVES);
  says("running: 6% Order#total, main thread");
}

/* Threads of a gem, which no method of the application has called, are named when they have most of it. */
static void test_framework_with_most_of_the_time(void **state)
{
  (void)state;
  uint32_t total = call(request(), "Order#total", "/app/order.rb");
  HAPPENS(runs("", pool(), 600), runs("", total, 300));
  says("running: 60% Puma::ThreadPool#spawn_thread, main thread");
  HAPPENS(runs("", pool(), 60), runs("", total, 15), runs("", request(), 5), runs("", index_action(), 20));
  says("running 10%: spread over 4 methods, most in OrdersController#index 2%");
}

static void test_collection(void **state)
{
  (void)state;
  uint32_t slice = call(request(), "Catalogue#slice", "/app/catalogue.rb");
  struct life one = runs("puma 001", slice, 600);
  one.objects = 2100000;
  one.other = slice;
  one.other_state = RTOP_MARKING;
  one.other_ms = 380;
  HAPPENS(one, rests(queue_wait()));
  says("GC 38%: 2.1M objects/s from Catalogue#slice");
}

/* Who asks for collections is to blame, whoever makes what is collected. */
static void test_collection_that_was_asked_for(void **state)
{
  (void)state;
  uint32_t collect = call(request(), "Oob#collect", "/app/oob.rb"), ask = call(collect, "GC.start", "");
  uint32_t slice = call(request(), "Catalogue#slice", "/app/catalogue.rb");
  struct life one = runs("puma 001", slice, 100);
  one.objects = 1000000;
  one.other = ask;
  one.other_state = RTOP_MARKING;
  one.other_ms = 500;
  HAPPENS(one, rests(queue_wait()));
  says("GC 50%: asked for by GC.start < Oob#collect");
  struct life two = one;
  two.other = slice;
  two.other_ms = 200;
  one.other_ms = 300;
  HAPPENS(one, two);
  says("GC 50%: 60% asked for by GC.start < Oob#collect");
  one.other_ms = 100;
  HAPPENS(one, two);
  says("GC 30%: 2.0M objects/s from Catalogue#slice");
}

/* What was made between two samples in different places stands below the caller of both, and was made there. */
static void test_collection_of_what_is_shared(void **state)
{
  (void)state;
  static const char label[] = "(shared)";
  uint32_t frame = rtop_symbols_frame(symbols, label, sizeof label - 1, "", 0, "", 0, 0, RTOP_SYMBOL_SPECIAL);
  uint32_t run = call(request(), "Exporter#run", "/app/exporter.rb"),
           rows = call(run, "Exporter#rows", "/app/exporter.rb");
  struct life lives[2] = { runs("puma 001", rows, 200),
                           runs("puma 002", rtop_symbols_node(symbols, run, frame, 0), 100) };
  lives[0].other = rows;
  lives[0].other_state = RTOP_MARKING;
  lives[0].other_ms = 400;
  lives[0].objects = 300000;
  lives[1].objects = 700000; /* more than anybody has */
  happens(lives, 2);
  says("GC 40%: 1.0M objects/s, 70% from Exporter#run");
  lives[1].node = rtop_symbols_node(symbols, 0, frame, 0); /* below nobody */
  happens(lives, 2);
  says("GC 40%: 1.0M objects/s");
  lives[1].node = rtop_symbols_node(symbols, run, frame, 0);
  lives[0].objects = 600000; /* of all of them, those that are shared as well */
  lives[1].objects = 400000;
  happens(lives, 2);
  says("GC 40%: 1.0M objects/s, 60% from Exporter#rows");
}

static void test_collection_of_everybody(void **state)
{
  (void)state;
  struct life lives[5];
  static const char *const labels[5] = { "A#a", "B#b", "C#c", "D#d", "E#e" };
  for (int i = 0; i < 5; i++) {
    uint32_t node = call(request(), labels[i], "/app/all.rb");
    lives[i] = (struct life){ .node = node,
                              .state = RTOP_RUNNING,
                              .ms = 100,
                              .objects = 1000,
                              .other = node,
                              .other_state = RTOP_SWEEPING,
                              .other_ms = 60 };
  }
  happens(lives, 5);
  says("GC 30%: 5.0k objects/s");
}

static void test_lock_and_its_owner(void **state)
{
  (void)state;
  HAPPENS(blocked("puma 001", waits_for_lock(), 1000), blocked("puma 002", has_lock(), 1000),
          blocked("puma 003", waits_for_lock(), 1000), rests(queue_wait()));
  says("lock: 2 threads wait in Thread::Mutex#synchronize < App#call; puma 002 is inside it, in Kernel#sleep < "
       "Report#write, for 1.0 s");
  assert_string_equal(text_in(80), "lock: 2 wait; puma 002 is inside, in Kernel#sleep < Report#write, for 1.0 s");
}

/* Waits for a lock of the one at this place among the lives. */
static struct life wants(const char *name, uint32_t node, uint32_t lock, uint64_t holder)
{
  struct life life = blocked(name, node, 1000);
  life.lock = lock;
  life.holder = holder;
  return life;
}

/* The process tells which lock: no stack is asked who has it, or might. */
static void test_lock_that_is_told(void **state)
{
  (void)state;
  uint32_t writes = call(call(index_action(), "Report#write", "/app/report.rb"), "Kernel#sleep", "");
  HAPPENS(wants("puma 001", waits_for_lock(), 3, 4), wants("puma 002", waits_for_lock(), 3, 4),
          blocked("puma 003", has_lock(), 1000), blocked("puma 004", writes, 1000), rests(queue_wait()));
  says("lock: 2 threads wait in Thread::Mutex#synchronize < App#call for Mutex #3; puma 004 has it, in Kernel#sleep < "
       "Report#write, for 1.0 s");
  assert_string_equal(text_in(80), "lock: 2 wait; puma 004 has Mutex #3, in Kernel#sleep < Report#write, for 1.0 s");
  assert_string_equal(text_in(70), "lock: 2 wait; puma 004 has Mutex #3, in Report#write, for 1.0 s");
  assert_int_equal(verdict.owner.serial, 4);
  /* Who has it waits himself; of two locks in one place, that of most. */
  HAPPENS(wants("a", waits_for_lock(), 3, 5), wants("b", waits_for_lock(), 4, 6), wants("c", waits_for_lock(), 4, 6),
          blocked("d", writes, 1000), blocked("e", writes, 1000),
          wants("puma 006", call(writes, "Mutex#lock", ""), 9, 4));
  says("lock: 3 threads wait in Thread::Mutex#synchronize < App#call for Mutex #4; puma 006 has it, waits for d, in "
       "Kernel#sleep < Report#write, for 1.0 s");
  /* Nobody knows who: nobody is guessed. */
  HAPPENS(wants("a", waits_for_lock(), 3, 0), wants("c", waits_for_lock(), 3, 99), blocked("b", has_lock(), 1000));
  says("lock: 2 threads wait in Thread::Mutex#synchronize < App#call for Mutex #3, for 1.0 s");
  assert_false(verdict.owner.known);
}

/* Which thread has it changes; what they do with it is added up. */
static void test_lock_behind_a_method(void **state)
{
  (void)state;
  uint32_t writes =
      call(call(call(call(index_action(), "Report#close", "/app/report.rb"), "Thread::Mutex#synchronize", ""),
                "Report#write", "/app/report.rb"),
           "Kernel#sleep", "");
  const struct life first[] = { wants("puma 001", waits_for_lock(), 3, 2), blocked("puma 002", writes, 1000),
                                rests(queue_wait()), wants("puma 004", waits_for_lock(), 3, 2) };
  const struct life then[] = { wants("puma 001", waits_for_lock(), 3, 3), rests(queue_wait()),
                               blocked("puma 003", writes, 1000), wants("puma 004", waits_for_lock(), 3, 3) };
  const struct life last[] = { wants("puma 001", waits_for_lock(), 3, 3), rests(queue_wait()),
                               runs("puma 003", call(index_action(), "Report#load", "/app/report.rb"), 1000),
                               wants("puma 004", waits_for_lock(), 3, 3) };
  const struct life *const seconds[] = { first, then, last };
  for (int i = 0; i < 3; i++, now_ms += WINDOW_MS) second_of(0, seconds[i], 4);
  struct rtop_span span = { now_ms * MS - 3 * WINDOW_MS * MS, now_ms * MS };
  assert_true(rtop_profile_sum(profile, span, &sum));
  assert_true(verdict_make(&maker, &sum, profile, VERDICT_ALL_SOURCES, NULL, &verdict));
  says("lock: 2 threads wait in Thread::Mutex#synchronize < App#call for Mutex #3; 67% of it behind Report#write < "
       "Report#close, for 1.0 s");
  assert_string_equal(text_in(80), "lock: 2 wait; 67% behind Report#write < Report#close, for 1.0 s");
}

/* Two wait for each other while others work: it is what is said. */
static void test_deadlock(void **state)
{
  (void)state;
  uint32_t hog = call(index_action(), "Report#sum", "/app/report.rb");
  uint32_t other = call(call(index_action(), "Report#write", "/app/report.rb"), "Thread::Mutex#lock", "");
  HAPPENS(runs("hog", hog, 1000), wants("puma 001", waits_for_lock(), 3, 3), wants("puma 002", other, 4, 2),
          wants("puma 003", other, 4, 2));
  says("deadlock: puma 001 waits for puma 002 in Thread::Mutex#synchronize < App#call; puma 002 waits for puma 001 in "
       "Thread::Mutex#lock < Report#write, for 1.0 s");
  assert_string_equal(text_in(80), "deadlock: App#call, Report#write wait for one another, for 1.0 s");
  assert_int_equal(verdict.kind, VERDICT_LOCK);
  assert_int_equal(verdict.deadlock.count, 2);
  verdict_keep(&verdict, symbols);
  HAPPENS(wants("a", other, 1, 2), wants("b", other, 2, 3), wants("c", other, 3, 4), wants("d", other, 4, 5),
          wants("e", other, 5, 1));
  assert_string_equal(text_in(60), "deadlock of 5 threads: a, b, c, d wait for one another");
  uint32_t one = call(call(0, "<top (required)>", "/app/one.rb"), "Kernel#require_relative", "");
  uint32_t two = call(call(0, "<top (required)>", "/app/two.rb"), "Kernel#require_relative", "");
  HAPPENS(wants("web 1", one, 1, 2), wants("web 2", two, 2, 1)); /* names that are no help */
  assert_string_equal(text_in(60), "deadlock: web 1, web 2 wait for one another, for 1.0 s");
  HAPPENS(wants("a", other, 1, 1), runs("hog", hog, 1000)); /* of itself: a number that makes no sense */
  assert_int_equal(verdict.deadlock.count, 0);
}

/* Two may have it (they are two locks), or nobody is seen: no owner is named. */
static void test_no_owner_that_is_sure(void **state)
{
  (void)state;
  HAPPENS(blocked("a", waits_for_lock(), 1000), blocked("b", has_lock(), 1000), blocked("c", has_lock(), 1000));
  says("lock: 1 thread waits in Thread::Mutex#synchronize < App#call, for 1.0 s");
  verdict = (struct verdict){ 0 };
  HAPPENS(blocked("a", waits_for_lock(), 1000), blocked("b", waits_for_lock(), 1000), rests(queue_wait()));
  says("lock: 2 threads wait in Thread::Mutex#synchronize < App#call, for 1.0 s");
}

/* Whether it is the same lock is not known, and not said. */
static void test_a_lock_taken_elsewhere(void **state)
{
  (void)state;
  uint32_t elsewhere = call(request(), "Inventory#reserve", "/app/inventory.rb");
  elsewhere = call(call(elsewhere, "Thread::Mutex#synchronize", ""), "Kernel#sleep", "");
  HAPPENS(blocked("a", waits_for_lock(), 1000), blocked("puma 002", elsewhere, 1000),
          blocked("c", waits_for_lock(), 1000));
  says("lock: 2 threads wait in Thread::Mutex#synchronize < App#call; puma 002 is inside a lock, in Kernel#sleep < "
       "Inventory#reserve, for 1.0 s");
  assert_string_equal(text_in(80), "lock: 2 wait; one other is inside a lock, in Inventory#reserve, for 1.0 s");
  assert_true(verdict.owner_elsewhere);
  verdict = (struct verdict){ 0 };
  HAPPENS(blocked("a", waits_for_lock(), 1000), blocked("b", elsewhere, 1000), blocked("c", elsewhere, 1000));
  says("lock: 1 thread waits in Thread::Mutex#synchronize < App#call, for 1.0 s");
  verdict = (struct verdict){ 0 };
  HAPPENS(blocked("a", waits_for_lock(), 1000), blocked("b", elsewhere, 1000), blocked("puma 003", has_lock(), 1000));
  assert_true(verdict.owner.known && !verdict.owner_elsewhere);
}

/* ConditionVariable#wait has let go of the lock that it stands in. */
static void test_who_waits_for_a_condition_owns_nothing(void **state)
{
  (void)state;
  uint32_t waits = call(call(waits_for_lock(), "Thread::ConditionVariable#wait", ""), "Thread::Mutex#sleep", "");
  HAPPENS(blocked("a", waits_for_lock(), 1000), blocked("b", waits, 1000));
  assert_false(verdict.owner.known);
}

/* Threads that queue for a lock which is held for a short time only. */
static void test_short_lock(void **state)
{
  (void)state;
  struct life lives[5];
  for (int i = 0; i < 5; i++) {
    lives[i] = blocked("puma", waits_for_lock(), 800);
    lives[i].age_ms = 150;
    lives[i].other = has_lock();
    lives[i].other_state = RTOP_BLOCKED;
    lives[i].other_ms = 200;
  }
  lives[2].node = has_lock();
  lives[2].ms = 200;
  happens(lives, 5);
  assert_int_equal(verdict.kind, VERDICT_LOCK);
  assert_non_null(strstr(text_in(200), "; puma is inside it, in Kernel#sleep < Report#write"));
}

static void test_stack_not_known(void **state)
{
  (void)state;
  struct life lost = { .node = rtop_symbols_unsampled(symbols), .state = RTOP_BLOCKED, .ms = 1000 };
  HAPPENS(rests(queue_wait()), lost);
  says("idle: 1 thread waits for work, 1 blocked, stack unknown");
}

/* Was there trouble so many seconds ago, with so many threads that have waited since then? */
static bool finds_trouble(int seconds, size_t threads)
{
  static struct life many[THREADS_MAX];
  struct verdict_trouble trouble;
  for (size_t i = 0; i < threads; i++) many[i] = rests(queue_wait());
  HAPPENS(runs("hog", call(index_action(), "Report#sum", "/app/report.rb"), 1000));
  for (int i = 0; i < seconds; i++, now_ms += WINDOW_MS) second_of(0, many, threads);
  bool found = verdict_trouble_find(&maker, profile, VERDICT_ALL_SOURCES, &(struct verdict){ .kind = VERDICT_IDLE },
                                    now_ms * MS, &trouble);
  assert_true(!found || trouble.ago_ns == (int64_t)seconds * WINDOW_MS * MS);
  return found;
}

/* The user waits for it: with thousands of threads it looks back for a shorter time. */
static void test_trouble_of_thousands_of_threads(void **state)
{
  (void)state;
  assert_true(finds_trouble(50, 1));
  assert_true(finds_trouble(10, THREADS_MAX));
  assert_false(finds_trouble(50, THREADS_MAX));
}

static void test_nothing(void **state)
{
  (void)state;
  judge();
  assert_int_equal(verdict.kind, VERDICT_NONE);
  says("");
}

/* Busy for a moment only. */
static void test_hardly_anything(void **state)
{
  (void)state;
  struct life one = runs("", index_action(), 30);
  one.other = queue_wait();
  one.other_state = RTOP_BLOCKED;
  one.other_ms = 970;
  HAPPENS(rests(queue_wait()), one);
  says("idle: 2 threads wait for work");
}

static void test_busiest_of_several_processes(void **state)
{
  (void)state;
  const struct life calm[] = { runs("", request(), 100) };
  const struct life busy[] = { runs("", call(request(), "Order#total", "/app/order.rb"), 900) };
  second_of(0, calm, 1);
  second_of(1, busy, 1);
  judge();
  says("running: 90% Order#total, main thread");
  assert_int_equal(verdict.source, 1);
  assert_int_equal(verdict.gvl.count, 2);
  assert_true(verdict.gvl.held > 0.499 && verdict.gvl.held < 0.501); /* on the average */
  assert_false(verdict.gvl.holder.known);
  char meter[100];
  verdict_gvl_words(meter, sizeof meter, &verdict.gvl, 60);
  assert_string_equal(meter, "held  50% of 2 GVLs");
}

static void test_ractors(void **state)
{
  (void)state;
  HAPPENS(runs("a", request(), 1000), runs("b", request(), 1000));
  char meter[100];
  verdict_gvl_words(meter, sizeof meter, &verdict.gvl, 60);
  assert_true(verdict.gvl.ractors);
  assert_string_equal(meter, "held 200% (Ractors)");
}

/* Near the threshold the verdict stays what it was; from nothing it is the other one. */
static void test_calm(void **state)
{
  (void)state;
  uint32_t total = call(request(), "Order#total", "/app/order.rb"), tax = call(request(), "Tax#of", "/app/tax.rb");
  struct life one = runs("", total, 500), other = runs("", tax, 400);
  HAPPENS(one, other);
  says("running: 50% Order#total, main thread");
  for (int i = 0; i < 6; i++) { /* which of two is the larger one does not matter */
    one.ms = i % 2 ? 500 : 400;
    other.ms = i % 2 ? 400 : 500;
    HAPPENS(one, other);
    assert_non_null(strstr(text_in(200), "Order#total"));
  }
  for (int i = 0; i < 6; i++) { /* nor whether a little more or less of it is collection */
    struct life collects = runs("", total, 700);
    collects.objects = 1000;
    collects.other = total;
    collects.other_state = RTOP_MARKING;
    collects.other_ms = i == 0 ? 210 : i % 2 ? 160 : 220;
    HAPPENS(collects);
    assert_int_equal(verdict.kind, VERDICT_GC);
  }
}

/* How long it has been so is looked up in the windows before. */
static void test_since_when(void **state)
{
  (void)state;
  struct verdict_past past = { 0 };
  HAPPENS(rests(queue_wait()));
  HAPPENS(rests(queue_wait()));
  for (int i = 0; i < 4; i++) HAPPENS(runs("", index_action(), 900));
  struct rtop_span span = { (now_ms - WINDOW_MS) * MS, now_ms * MS };
  assert_int_equal(verdict_past_ns(&past, &maker, profile, VERDICT_ALL_SOURCES, &verdict, span), 4000 * MS);
  assert_false(past.now.longer);
  HAPPENS(runs("", index_action(), 900));
  span = (struct rtop_span){ (now_ms - WINDOW_MS) * MS, now_ms * MS };
  assert_int_equal(verdict_past_ns(&past, &maker, profile, VERDICT_ALL_SOURCES, &verdict, span), 5000 * MS);
  for (int i = 0; i < 20; i++) HAPPENS(runs("", index_action(), 900));
  verdict_past_destroy(&past);
  span = (struct rtop_span){ (now_ms - WINDOW_MS) * MS, now_ms * MS };
  assert_int_equal(verdict_past_ns(&past, &maker, profile, VERDICT_ALL_SOURCES, &verdict, span), 10000 * MS);
  assert_true(past.now.longer);
  verdict_past_destroy(&past);
}

static int64_t past_seconds(struct verdict_past *past)
{
  struct rtop_span span = { (now_ms - WINDOW_MS) * MS, now_ms * MS };
  return verdict_past_ns(past, &maker, profile, VERDICT_ALL_SOURCES, &verdict, span) / (1000 * MS);
}

/* A look at the windows goes back ten seconds, but what was seen for longer is not forgotten for a verdict between. */
static void test_since_when_with_another_one_for_a_moment(void **state)
{
  (void)state;
  struct verdict_past past = { 0 };
  HAPPENS(rests(queue_wait()));
  HAPPENS(rests(queue_wait()));
  for (int i = 0; i < 20; i++) {
    HAPPENS(runs("", index_action(), 900));
    assert_int_equal(past_seconds(&past), i + 1);
  }
  struct verdict running = verdict;
  verdict.kind = VERDICT_IDLE;
  assert_int_equal(past_seconds(&past), 1);
  verdict = running;
  assert_int_equal(past_seconds(&past), 20);
  assert_false(past.now.longer);
  HAPPENS(rests(queue_wait()));
  HAPPENS(rests(queue_wait()));
  past_seconds(&past);
  for (int i = 0; i < 3; i++) HAPPENS(runs("", index_action(), 900));
  assert_int_equal(past_seconds(&past), 3); /* that was another time */
  verdict_past_destroy(&past);
}

/* Whatever names are like, the words fit, and stay text. */
static void test_hostile_names_fit(void **state)
{
  (void)state;
  char label[3000];
  for (int i = 0; i < 999; i++) memcpy(label + i * 3, "\xe6\xb3\xa8", 3);
  label[999 * 3] = '\0';
  uint32_t node = call(call(request(), "A::B::\x1b[31m::C#\xff", "/app/x.rb"), label, "");
  struct life one = runs(label, node, 1000), waits = { .node = request(), .state = RTOP_WAITING, .waits_ms = 900 };
  one.blame_ms = 900;
  HAPPENS(one, waits);
  for (int columns = 0; columns < 300; columns++) {
    const char *text = text_in(columns);
    assert_null(strchr(text, '\x1b'));
    char meter[400];
    verdict_gvl_words(meter, sizeof meter, &verdict.gvl, columns);
    assert_true(columns < 12 || rtop_text_width(meter) <= columns);
  }
}

/* What is hidden or put together on the screen is still what the verdict is made from, and what it names. */
static void test_whatever_is_shown(void **state)
{
  (void)state;
  static const struct rtop_lens_look looks[] = {
    { .merge = RTOP_MERGE_METHOD },      { .only_mine = true },       { .no_c = true },
    { .merge = RTOP_MERGE_CLASS },       { .merge = RTOP_MERGE_GEM }, { .merge = RTOP_MERGE_FILE },
    { .exclude = "OrdersController#*" }, { .exclude = "gem:puma" },   { .processes = true },
  };
  for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++) {
    assert_true(rtop_lens_set(rtop_profile_lens(profile), &looks[i]));
    verdict = (struct verdict){ 0 };
    HAPPENS(rests(queue_wait()), blocked("a", query(), 850), blocked("b", query(), 850));
    says("100% of 2 threads at work wait in PG::Connection#exec < OrdersController#index");
    assert_int_equal(verdict.resting, 1);
    verdict = (struct verdict){ 0 };
    test_unfinished_call(NULL);
    test_hog_and_its_victims(NULL);
  }
}

/* The newest stall stands at the right, longer or shorter. */
static void test_stall_beside_it(void **state)
{
  (void)state;
  struct verdict_words words;
  struct stall stall = { .cause = STALL_BLOCKED,
                         .start_ns = 0,
                         .end_ns = 3000 * MS,
                         .thread = "",
                         .mark = "",
                         .frame = fixture_frame(symbols, "Kernel#sleep", "", 0),
                         .caller = fixture_frame(symbols, "Report#run", "/app/report.rb", 1) };
  struct verdict_say say = { .symbols = symbols, .process = "", .stall = &stall, .stall_ago_ns = 12400 * MS };
  HAPPENS(rests(queue_wait()), rests(queue_wait()));
  verdict_words(&words, &verdict, &say, 86);
  assert_string_equal(words.text, "idle: 2 threads wait for work");
  assert_string_equal(words.stall, "[(] stall 12 s ago: 3.0 s in Kernel#sleep < Report#run");
  verdict_words(&words, &verdict, &say, 70);
  assert_string_equal(words.stall, "[(] stall 12 s ago: 3.0 s in Report#run");
  verdict_words(&words, &verdict, &say, 66);
  assert_string_equal(words.stall, "[(] stall 12 s ago: 3.0 s blocked");
  verdict_words(&words, &verdict, &say, 40);
  assert_string_equal(words.stall, "");
  say.stall_ago_ns = 0;
  verdict_words(&words, &verdict, &say, 160);
  assert_string_equal(words.stall, "[(] stall now: 3.0 s in Kernel#sleep < Report#run");
  stall.cause = STALL_MANY_WAITS;
  verdict_words(&words, &verdict, &say, 160);
  assert_string_equal(words.stall, "[(] stall now: many short waits for 3.0 s in Kernel#sleep < Report#run");
}

int main(void)
{
  setlocale(LC_ALL, "C.UTF-8");
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
    CASE(test_pool_rests),
    CASE(test_a_loop_around_the_place),
    CASE(test_a_pool_of_connections),
    CASE(test_program_of_a_gem_rests),
    CASE(test_server_that_a_script_starts_rests),
    CASE(test_forked_child_rests),
    CASE(test_plain_worker_rests_in_its_queue),
    CASE(test_threads_that_wait_for_one_another_to_end),
    CASE(test_sleep_of_the_program_is_what_it_is),
    CASE(test_pauses_in_several_places),
    CASE(test_sleep_in_a_request_is_work),
    CASE(test_pop_in_a_request_is_work),
    CASE(test_most_of_the_threads_in_a_query),
    CASE(test_two_alike),
    CASE(test_two_hold_alike),
    CASE(test_two_processes_alike),
    CASE(test_no_core_for_a_quota),
    CASE(test_no_core_for_others),
    CASE(test_held_asleep),
    CASE(test_no_core_not_known_why),
    CASE(test_no_core_of_a_call_that_goes_on),
    CASE(test_held_asleep_by_a_call_that_goes_on),
    CASE(test_stopped_is_not_starved),
    CASE(test_computes_off_the_gvl),
    CASE(test_hog_and_its_victims),
    CASE(test_unfinished_call),
    CASE(test_holder_is_not_whose_method_it_is),
    CASE(test_the_share_is_of_what_is_held),
    CASE(test_many_share_the_gvl),
    CASE(test_busy_method),
    CASE(test_no_leaf_has_half),
    CASE(test_gems),
    CASE(test_spread_time),
    CASE(test_framework_with_most_of_the_time),
    CASE(test_collection),
    CASE(test_collection_that_was_asked_for),
    CASE(test_collection_of_what_is_shared),
    CASE(test_collection_of_everybody),
    CASE(test_lock_and_its_owner),
    CASE(test_lock_that_is_told),
    CASE(test_lock_behind_a_method),
    CASE(test_deadlock),
    CASE(test_no_owner_that_is_sure),
    CASE(test_a_lock_taken_elsewhere),
    CASE(test_who_waits_for_a_condition_owns_nothing),
    CASE(test_short_lock),
    CASE(test_stack_not_known),
    CASE(test_trouble_of_thousands_of_threads),
    CASE(test_nothing),
    CASE(test_hardly_anything),
    CASE(test_busiest_of_several_processes),
    CASE(test_ractors),
    CASE(test_calm),
    CASE(test_since_when),
    CASE(test_since_when_with_another_one_for_a_moment),
    CASE(test_hostile_names_fit),
    CASE(test_whatever_is_shown),
    CASE(test_stall_beside_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
