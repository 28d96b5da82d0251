/* Threads that do not come back: off the GVL, or on it without a safepoint; and which of them only rest. */
#include "stalls_impl.h"

#include <stdlib.h>
#include <string.h>

enum { STALLS_SHALLOW = 3, STALLS_DEPTH_MAX = 4096 };
static const int64_t stalls_patience_ns = INT64_C(60000000000);

enum waiting_kind { WAITING_NOT, WAITING_WORK, WAITING_OTHERS };

static bool stalls_one_of(const char *const *names, const char *name)
{
  for (; *names; names++)
    if (strcmp(*names, name) == 0)
      return true;
  return false;
}

/* Is the leaf a call that is made for waiting? Methods of C and of Ruby's own only. */
static enum waiting_kind stalls_waiting_kind(const struct rtop_symbol *symbol)
{
  static const char *const work[] = {
    "pop", "shift", "deq", "wait", "sleep", "select", "stop", "accept", "sysaccept", "accept_nonblock",
    "wait_readable", "wait_writable", "gets", "getc", "getbyte", "read", "readpartial", "readline",
        "sysread",
    "each_line", "receive", "take", "recv", "recvfrom", "recvmsg", "poll", "sleep_forever", NULL,
  };
  static const char *const others[] = {"join", "value", "waitpid", "wait2", "waitpid2", "waitall", NULL};
  const char *name = strrchr(symbol->label, '#'), *dot = strrchr(symbol->label, '.');
  name = dot && (!name || dot > name) ? dot : name;
  name = name ? name + 1 : symbol->label;
  bool own = symbol->kind == RTOP_SYMBOL_C || strncmp(symbol->path, "<internal:", 10) == 0;
  if (!own)
    return WAITING_NOT;
  if (stalls_one_of(others, name) || strcmp(symbol->label, "Process.wait") == 0)
    return WAITING_OTHERS;
  return stalls_one_of(work, name) ? WAITING_WORK : WAITING_NOT;
}

/* Methods of the program under a node. */
static uint32_t stalls_depth(const struct rtop_symbols *symbols, uint32_t node)
{
  uint32_t depth = 0;
  for (int i = 0; node && i < STALLS_DEPTH_MAX; i++) {
    const struct rtop_call_node *call = rtop_symbols_get_node(symbols, node);
    const struct rtop_symbol *symbol = rtop_symbols_get(symbols, call->frame);
    depth += symbol->kind == RTOP_SYMBOL_RUBY && strncmp(symbol->path, "<internal:", 10) != 0;
    node = call->parent;
  }
  return depth;
}

/* The entry of a place to wait; the deepest one makes room for it. */
static struct stalls_site *stalls_site(struct stalls_thread *thread, const struct rtop_symbols *symbols,
                                       uint32_t node)
{
  struct stalls_site *worst = &thread->site[0];
  for (int i = 0; i < STALLS_SITES; i++) {
    struct stalls_site *site = &thread->site[i];
    if (site->node == node)
      return site;
    if (worst->node && (!site->node || site->depth > worst->depth))
      worst = site;
  }
  *worst = (struct stalls_site){.node = node, .depth = stalls_depth(symbols, node)};
  return worst;
}

static bool stalls_rests(const struct stalls_thread *thread, const struct stalls_site *site)
{
  for (int i = 0; i < STALLS_SITES; i++)
    if (thread->site[i].node && thread->site[i].depth < site->depth)
      return false;
  return site->visits > 1 || site->depth <= STALLS_SHALLOW;
}

static struct stalls_thread *stalls_thread(struct stalls_look *look, const struct rtop_look *window,
                                           uint32_t id)
{
  struct stalls_key key;
  memset(&key, 0, sizeof key);
  key.source = window->source;
  key.serial = rtop_profile_thread_serial(look->profile, id);
  struct stalls_thread *thread = NULL;
  HASH_FIND(hh, look->state->threads, &key, sizeof key, thread);
  if (thread)
    return thread;
  thread = calloc(1, sizeof *thread);
  if (!thread)
    return NULL;
  thread->key = key;
  HASH_ADD(hh, look->state->threads, key, sizeof key, thread);
  return thread;
}

static void stalls_open(struct stalls_look *look, const struct rtop_look *window,
    struct stalls_thread *thread,
                        const struct rtop_look_thread *now, enum stall_cause cause, int64_t start_ns)
{
  struct stall *stall = stalls_add(look->stalls, cause, start_ns, window->end_ns);
  if (!stall)
    return;
  stall->open = true;
  stall->source = window->source;
  stall->thread = rtop_profile_thread_name(look->profile, now->thread);
  stalls_blame(stall, look->symbols, now->node);
  thread->open = stall->id;
}

static void stalls_blocked(struct stalls_look *look, const struct rtop_look *window,
                           struct stalls_thread *thread, const struct rtop_look_thread *now)
{
  const struct rtop_symbol *leaf =
    rtop_symbols_get(look->symbols, rtop_symbols_get_node(look->symbols, now->node)->frame);
  enum waiting_kind kind = stalls_waiting_kind(leaf);
  int64_t age_ns = (int64_t)(now->state_age_ns < INT64_MAX / 2 ? now->state_age_ns : INT64_MAX / 2);
  int64_t since_ns = window->end_ns - age_ns;
  bool new_stretch = thread->last_node != now->node || since_ns >= window->start_ns;
  bool rests = kind == WAITING_OTHERS;
  if (new_stretch)
    stalls_close(look->stalls, &thread->open);
  if (kind == WAITING_WORK) {
    struct stalls_site *site = stalls_site(thread, look->symbols, now->node);
    site->visits += new_stretch;
    rests = stalls_rests(thread, site) || age_ns >= stalls_patience_ns;
  }
  thread->last_node = now->node;
  if (rests)
    stalls_withdraw(look->stalls, &thread->open);
  else if (thread->open)
    stalls_extend(look->stalls, thread->open, window->end_ns);
  else if (look->limits->blocked_ns > 0 && age_ns >= look->limits->blocked_ns)
    stalls_open(look, window, thread, now, STALL_BLOCKED, since_ns);
}

static void stalls_no_safepoint(struct stalls_look *look, const struct rtop_look *window,
                                struct stalls_thread *thread, const struct rtop_look_thread *now)
{
  if (!thread->provisional_since_ns) {
    stalls_close(look->stalls, &thread->open);
    thread->provisional_since_ns = window->end_ns - (int64_t)now->provisional_ns;
  }
  int64_t length_ns = window->end_ns - thread->provisional_since_ns;
  if (thread->open)
    stalls_extend(look->stalls, thread->open, window->end_ns);
  else if (look->limits->no_safepoint_ns > 0 && length_ns >= look->limits->no_safepoint_ns)
    stalls_open(look, window, thread, now, STALL_NO_SAFEPOINT, thread->provisional_since_ns);
}

void stalls_look_at_threads(struct stalls_look *look, const struct rtop_look *window)
{
  for (size_t i = 0; i < window->thread_count; i++) {
    struct rtop_look_thread now = rtop_look_thread(window, i);
    struct stalls_thread *thread = stalls_thread(look, window, now.thread);
    if (!thread)
      return;
    thread->seen_ns = window->end_ns;
    bool on = now.state != RTOP_STATE_BLOCKED && now.provisional_ns > 0 && !now.ended;
    bool off = now.state == RTOP_STATE_BLOCKED && !now.ended;
    thread->provisional_since_ns = on ? thread->provisional_since_ns : 0;
    if (off) {
      stalls_blocked(look, window, thread, &now);
      continue;
    }
    thread->last_node = 0;
    if (on && now.state == RTOP_STATE_RUNNING)
      stalls_no_safepoint(look, window, thread, &now);
    else
      stalls_close(look->stalls, &thread->open);
  }
}

void stalls_forget_threads(struct stalls_state *state, int64_t before_ns)
{
  struct stalls_thread *thread, *next, *gone = NULL;
  HASH_ITER(hh, state->threads, thread, next) {
    if (thread->seen_ns < before_ns || before_ns == INT64_MAX) {
      HASH_DEL(state->threads, thread);
      thread->hh.next = gone;
      gone = thread;
    }
  }
  for (; gone; gone = next) {
    next = gone->hh.next;
    free(gone);
  }
}
