/* SPDX-License-Identifier: MIT */
/* Learns at load where the VM stores its data about locks, and reads these data. */
#include "lock_words.h"

#include "fiber_frames.h"
#include "method_entry.h"
#include "ext/base/readable.h"
#include "ext/base/vm_object.h"
#include "ext/base/vm_unknown.h"
#include "shm/base/format.h"
#include <ruby/debug.h>
#include <stdatomic.h>
#include <string.h>

/* Words of an execution context: its stack, the stack's size, its current frame. Words of a frame: how far its stack is
 * used, its receiver, and the end of its local variables. */
enum { CONTEXT_STACK, CONTEXT_STACK_WORDS, CONTEXT_FRAME };
enum { FRAME_STACK_POINTER = 1, FRAME_RECEIVER = 3, FRAME_ENVIRONMENT, FRAME_WORDS = 7 };
#define STACK_WORDS_MAX ((VALUE)1 << 27)

/* Words of a Mutex: its owner (two words from 3.4.11 on), the next Mutex that the same thread owns, and the first and
 * last element of the list of waiting threads. The position of the list is found by a search; the word before the list
 * points to the next Mutex. */
enum { MUTEX_OWNER, MUTEX_WAITERS_LEAST = 2, MUTEX_WAITERS_MOST };
enum { MONITOR_MUTEX = 2, MONITOR_WORDS = 3 };
enum { THREAD_WORDS_MAX = 160, UNKNOWN = -1, HEADS_MAX = 2, MONITOR_TRIES = 3 };
#define OWN_STACK_BYTES ((uintptr_t)16384) /* largest distance between a list element and the hook's frame */

/* A queue class: offsets in bytes of its lists of waiting threads, the list of consumers first. */
struct queue_type {
  const rb_data_type_t *type;
  uint32_t heads;
  size_t head[HEADS_MAX];
};

/* Layout of ConditionVariable#wait. Since Ruby 4.0 it is Ruby code that sleeps without calling Mutex#sleep; the Mutex
 * is its first argument. ENVIRONMENT_...: words of the environment relative to its end. WAITER_LOCK: the word, relative
 * to a list element, that holds the lock. */
enum { ENVIRONMENT_LAST = -3 };
enum { ENVIRONMENT_MUTEX = -4, ENVIRONMENT_TIMEOUT, WAITER_LOCK = -3, CONDITION_ARITY = -2 };
static const rb_data_type_t *condition_type; /* NULL: the class is written in C, or unknown */
static bool arguments_were_right;            /* whether the probe found the arguments at the expected positions */
static _Thread_local struct {
  const VALUE *frame;
  VALUE mutex;
} in_condition; /* last call of ConditionVariable#wait on this thread */

static bool known;
static int held_word = UNKNOWN; /* index of the word in a thread's data that points to its owned Mutexes */
static bool wanted_known;       /* the word before held_word, the Mutex that the thread waits for, is known */
static const rb_data_type_t *mutex_type, *thread_type;
static size_t mutex_waiters;                         /* index of the word where the list of waiters begins */
static _Atomic(const rb_data_type_t *) monitor_type; /* NULL: the class is not loaded yet */
static _Atomic bool monitor_met;                     /* a hook saw an object of the class since it was loaded */
static _Atomic int monitor_tries;
static struct queue_type queue, sized_queue;
static VALUE mutex_class;
static ID id_join, id_value, id_sleep, id_require, id_require_relative, id_const_get;
static bool frame_was_right; /* result of the probe for frames */

static size_t data_bytes(VALUE object)
{
  const rb_data_type_t *type = vm_data_type(object);
  return type && type->function.dsize ? type->function.dsize(vm_data_of(object)) : 0;
}

static const VALUE *words_of(VALUE object)
{
  return vm_data_of(object);
}

/* Returns the innermost frame; NULL when there is none. A thread that is ending has no frame, since its stack is freed
 * first. */
static const VALUE *frame_of(VALUE thread)
{
  const VALUE *context = fiber_frames_current(thread);
  return context && context[CONTEXT_STACK] ? (const VALUE *)context[CONTEXT_FRAME] : NULL;
}

/* Tells whether the thread's current frame is plausible: it must be inside the current stack. */
static bool frame_is_right(VALUE thread)
{
  const VALUE *context = fiber_frames_current(thread), *frame = frame_of(thread);
  if (!context || !frame) return false;
  const VALUE *stack = (const VALUE *)context[CONTEXT_STACK];
  VALUE words = context[CONTEXT_STACK_WORDS];
  return stack && frame >= stack && words > FRAME_WORDS && words < STACK_WORDS_MAX &&
         frame <= stack + (words - FRAME_WORDS) && (uintptr_t)frame % sizeof(VALUE) == 0;
}

/* Reads the first and last element of a list at an offset in an object's data. */
static void read_head(const void *data, size_t offset, uintptr_t head[2])
{
  memcpy(head, (const char *)data + offset, 2 * sizeof *head);
}

static bool is_empty_head(const void *data, size_t offset)
{
  uintptr_t head[2], own = (uintptr_t)data + offset;
  read_head(data, offset, head);
  return head[0] == own && head[1] == own;
}

/* Tells whether the calling thread waits in this list. The latest waiter's element is the last one of the list, and
 * lies on the waiter's stack, slightly above this function's frame. */
static bool waits_in(const void *data, size_t offset)
{
  uintptr_t head[2], here = (uintptr_t)__builtin_frame_address(0);
  read_head(data, offset, head);
  return head[1] > here && head[1] - here < OWN_STACK_BYTES;
}

static const VALUE *next_held(const VALUE *mutex)
{
  return (const VALUE *)mutex[mutex_waiters - 1];
}

/* ---- learning at load ------------------------------------------------------------------------------ */

static VALUE probe(VALUE self)
{
  VALUE thread = rb_thread_current();
  frame_was_right = frame_was_right && frame_is_right(thread) && frame_of(thread)[FRAME_RECEIVER] == self;
  return Qnil;
}

static VALUE run_probe(RB_BLOCK_CALL_FUNC_ARGLIST(unused, object))
{
  return rb_funcallv(object, rb_intern("rperf_top_receiver"), 0, NULL);
}

/* Checks the layout of frames, also in another fiber. */
static bool learn_frames(void)
{
  VALUE class = rb_class_new(rb_cObject), object = rb_obj_alloc(class);
  frame_was_right = fiber_frames_known();
  if (!frame_was_right) return false;
  rb_define_method(class, "rperf_top_receiver", probe, 0);
  rb_funcallv(object, rb_intern("rperf_top_receiver"), 0, NULL);
  rb_fiber_resume(rb_fiber_new(run_probe, object), 0, NULL);
  RB_GC_GUARD(object);
  return frame_was_right;
}

/* Returns the index of the only word of the thread that is `now` and was `before` in the copy `then`; UNKNOWN when
 * there is none or more than one. */
static int changed_word(const VALUE *thread, const VALUE *then, int words, VALUE now, VALUE before)
{
  int found = UNKNOWN;
  for (int which = 0; which < words; which++) {
    if (thread[which] != now || then[which] != before) continue;
    if (found != UNKNOWN) return UNKNOWN;
    found = which;
  }
  return found;
}

/* Learns the word for owned Mutexes: locks two Mutexes, one within the other, and unlocks them. */
static bool learn_held(VALUE one, VALUE other)
{
  VALUE then[THREAD_WORDS_MAX], current = rb_thread_current();
  const VALUE *thread = words_of(current), *a = words_of(one), *b = words_of(other);
  size_t bytes = data_bytes(current);
  int words = bytes / sizeof(VALUE) < THREAD_WORDS_MAX ? (int)(bytes / sizeof(VALUE)) : THREAD_WORDS_MAX;
  memcpy(then, thread, (size_t)words * sizeof *then);
  rb_mutex_lock(one);
  VALUE before = (VALUE)next_held(a);
  int which = changed_word(thread, then, words, (VALUE)a, before);
  bool right = which != UNKNOWN && a[MUTEX_OWNER];
  rb_mutex_lock(other);
  right = right && thread[which] == (VALUE)b && next_held(b) == a && b[MUTEX_OWNER] == a[MUTEX_OWNER];
  rb_mutex_unlock(other);
  right = right && thread[which] == (VALUE)a && !b[MUTEX_OWNER];
  rb_mutex_unlock(one);
  right = right && thread[which] == before && !a[MUTEX_OWNER];
  if (right) held_word = which;
  wanted_known =
      /* The thread waits for no Mutex, so the word before held_word must be 0; its meaning is confirmed when it is
       * used. */
      right && which > 0 && !thread[which - 1];
  return right;
}

/* Returns the index of the word where the list of waiters begins in a Mutex without waiters; 0 when it is at none of
 * the expected positions. */
static size_t waiters_of(VALUE mutex)
{
  size_t words = data_bytes(mutex) / sizeof(VALUE);
  for (size_t at = MUTEX_WAITERS_LEAST; at <= MUTEX_WAITERS_MOST && at + 2 <= words; at++)
    if (is_empty_head(words_of(mutex), at * sizeof(VALUE))) return at;
  return 0;
}

static bool learn_mutex(void)
{
  VALUE one = rb_mutex_new(), other = rb_mutex_new();
  mutex_type = vm_data_type(one);
  mutex_waiters = waiters_of(one);
  bool right = mutex_type && mutex_type == vm_data_type(other) && mutex_waiters && mutex_waiters == waiters_of(other) &&
               !words_of(one)[MUTEX_OWNER] && learn_held(one, other);
  mutex_class = CLASS_OF(one);
  rb_gc_register_mark_object(mutex_class); /* compared by address, so it must not move */
  RB_GC_GUARD(one);
  RB_GC_GUARD(other);
  return right;
}

/* Learns the positions of the lists in objects of a queue class: an empty list points to itself. Returns false for a
 * class with a different number of lists, which is then not used. */
static bool learn_queue(struct queue_type *to, const char *name, uint32_t heads)
{
  struct queue_type found = { 0 };
  ID id = rb_intern(name);
  VALUE class = rb_const_defined(rb_cThread, id) ? rb_const_get(rb_cThread, id) : Qnil;
  *to = found;
  if (!RB_TYPE_P(class, T_CLASS)) return false;
  VALUE object = rb_obj_alloc(class);
  size_t bytes = data_bytes(object);
  for (size_t at = 0; bytes && at + 2 * sizeof(VALUE) <= bytes; at += sizeof(uint32_t)) {
    if (!is_empty_head(words_of(object), at)) continue;
    if (found.heads < HEADS_MAX) found.head[found.heads] = at;
    found.heads++;
  }
  found.type = vm_data_type(object);
  if (found.heads == heads) *to = found;
  RB_GC_GUARD(object);
  return found.type && found.heads == heads;
}

/* Probe that is called by a Ruby method whose two arguments are the object itself and nil, like those of
 * ConditionVariable#wait: checks that the arguments are at the expected positions. */
static VALUE probe_arguments(VALUE self)
{
  VALUE thread = rb_thread_current();
  if (!frame_is_right(thread)) return Qnil;
  const VALUE *caller = frame_of(thread) + FRAME_WORDS, *context = fiber_frames_current(thread);
  const VALUE *stack = (const VALUE *)context[CONTEXT_STACK], *environment = (const VALUE *)caller[FRAME_ENVIRONMENT];
  bool inside = environment > stack - ENVIRONMENT_MUTEX && environment < caller;
  arguments_were_right = caller[FRAME_RECEIVER] == self && inside && environment[ENVIRONMENT_MUTEX] == self &&
                         environment[ENVIRONMENT_TIMEOUT] == Qnil;
  return Qnil;
}

static bool learn_arguments(void)
{
  VALUE object = rb_eval_string("Module.new do\n"
                                "def self.wait(mutex, timeout = nil) = rperf_top_arguments\n"
                                "end\n");
  arguments_were_right = false;
  rb_define_singleton_method(object, "rperf_top_arguments", probe_arguments, 0);
  rb_funcallv(object, rb_intern("wait"), 1, &object);
  return arguments_were_right;
}

/* Learns the layout of ConditionVariable. Not needed if the class is written in C: then it calls Mutex#sleep, which is
 * known already. */
static void learn_condition(void)
{
  ID id = rb_intern("ConditionVariable");
  VALUE class = rb_const_defined(rb_cThread, id) ? rb_const_get(rb_cThread, id) : Qnil;
  condition_type = NULL;
  if (!RB_TYPE_P(class, T_CLASS)) return;
  VALUE object = rb_obj_alloc(class);
  if (rb_obj_method_arity(object, rb_intern("wait")) == CONDITION_ARITY) {
    bool right = data_bytes(object) >= 2 * sizeof(VALUE) && is_empty_head(words_of(object), 0) && learn_arguments();
    if (vm_unknown_unless(right, RTOP_VM_CONDITIONS)) condition_type = vm_data_type(object);
  }
  RB_GC_GUARD(object);
}

/* Tells whether the object's data are as large as a monitor's, three words. If the data are embedded in the object, its
 * type does not give their size. */
static bool is_as_large_as_a_monitor(VALUE object)
{
  const rb_data_type_t *type = vm_data_type(object);
  uintptr_t data = (uintptr_t)vm_data(object);
  if (type && type->function.dsize) return data_bytes(object) == MONITOR_WORDS * sizeof(VALUE);
  return type && data > object && data - object <= VM_OBJECT_WORDS * sizeof(VALUE);
}

static bool is_address(VALUE word)
{
  return word % sizeof word == 0 && word >= 1 << 16 && word < UINTPTR_MAX >> 8;
}

/* Learns the type of Monitor, whose objects contain a Mutex. */
static void learn_monitor(void)
{
  ID id = rb_intern("Monitor");
  VALUE class =
      rb_const_defined(rb_cObject, id) && NIL_P(rb_autoload_p(rb_cObject, id)) ? rb_const_get(rb_cObject, id) : Qnil;
  if (!RB_TYPE_P(class, T_CLASS)) return;
  VALUE object = rb_obj_alloc(class);
  VALUE mutex = is_as_large_as_a_monitor(object) ? words_of(object)[MONITOR_MUTEX] : Qnil;
  bool right = is_address(mutex) && vm_data_type(mutex) == mutex_type;
  if (vm_unknown_unless(right, RTOP_VM_MONITORS)) atomic_store(&monitor_type, vm_data_type(object));
  RB_GC_GUARD(object);
}

void lock_words_learn_more(void)
{
  if (!atomic_load_explicit(&monitor_met, memory_order_relaxed)) return;
  atomic_store(&monitor_met, false);
  if (atomic_fetch_add(&monitor_tries, 1) < MONITOR_TRIES) learn_monitor();
}

void lock_words_learn(void)
{
  known = false;
  held_word = UNKNOWN;
  wanted_known = false;
  atomic_store(&monitor_type, NULL);
  thread_type = vm_data_type(rb_thread_current());
  id_join = rb_intern("join");
  id_value = rb_intern("value");
  id_sleep = rb_intern("sleep");
  id_require = rb_intern("require");
  id_require_relative = rb_intern("require_relative");
  id_const_get = rb_intern("const_get");
  bool one = learn_queue(&queue, "Queue", 1), other = learn_queue(&sized_queue, "SizedQueue", 2);
  known = vm_unknown_unless(learn_frames() && learn_mutex(), RTOP_VM_LOCKS);
  vm_unknown_unless(known && one && other, RTOP_VM_QUEUES);
  if (!known) return;
  learn_condition();
  learn_monitor();
}

bool lock_words_known(void)
{
  return known;
}

/* ---- reading waits --------------------------------------------------------------------------------- */

static struct lock_wait wait_for(uint32_t kind, const void *lock)
{
  return (struct lock_wait){ kind, (uint64_t)(uintptr_t)lock };
}

/* Returns the wait of the calling thread at a Mutex: in the Mutex's list, or asleep in Mutex#sleep, as
 * ConditionVariable#wait does. */
static struct lock_wait wait_in_mutex(const void *data)
{
  VALUE frames[2];
  if (waits_in(data, mutex_waiters * sizeof(VALUE))) return wait_for(RTOP_LOCK_MUTEX, data);
  bool sleeps = rb_profile_frames(0, 2, frames, NULL) > 0 && !RB_SPECIAL_CONST_P(frames[0]) &&
                method_entry_is(frames[0]) && method_entry_id(frames[0]) == id_sleep &&
                method_entry_class(frames[0]) == mutex_class;
  return sleeps ? wait_for(RTOP_LOCK_CONDITION, data) : wait_for(RTOP_LOCK_NONE, NULL);
}

/* Returns the wait of the calling thread in ConditionVariable#wait. The argument is trusted if the list of waiters
 * confirms it. After the thread woke up, while it waits for the Mutex, the argument is still trusted as long as the
 * call is the same. */
static struct lock_wait wait_in_condition(const VALUE *frame, const void *data)
{
  VALUE mutex = ((const VALUE *)frame[FRAME_ENVIRONMENT])[ENVIRONMENT_MUTEX];
  if (waits_in(data, 0)) {
    uintptr_t head[2];
    read_head(data, 0, head);
    in_condition.frame =
        ((const VALUE *)head[1])[WAITER_LOCK] == mutex && vm_data_type(mutex) == mutex_type ? frame : NULL;
    in_condition.mutex = mutex;
    return in_condition.frame ? wait_for(RTOP_LOCK_CONDITION, words_of(mutex)) : wait_for(RTOP_LOCK_NONE, NULL);
  }
  if (in_condition.frame != frame || in_condition.mutex != mutex) return wait_for(RTOP_LOCK_NONE, NULL);
  bool waits = waits_in(words_of(mutex), mutex_waiters * sizeof(VALUE));
  return waits ? wait_for(RTOP_LOCK_MUTEX, words_of(mutex)) : wait_for(RTOP_LOCK_NONE, NULL);
}

static struct lock_wait wait_in_queue(const struct queue_type *type, const void *data)
{
  for (uint32_t i = 0; i < type->heads; i++)
    if (waits_in(data, type->head[i])) return wait_for(i ? RTOP_LOCK_SIZED_QUEUE : RTOP_LOCK_QUEUE, data);
  return wait_for(RTOP_LOCK_NONE, NULL);
}

/* Records that a hook saw a Monitor, if the type has that name; a job checks the type then. */
static void meet_monitor(const rb_data_type_t *type)
{
  static const char wanted[] = "monitor";
  const char *name = type->wrap_struct_name;
  for (size_t i = 0; name && i < sizeof wanted; i++)
    if (name[i] != wanted[i]) return;
  if (name) atomic_store_explicit(&monitor_met, true, memory_order_relaxed);
}

static struct lock_wait wait_in_monitor(VALUE monitor, const rb_data_type_t *type)
{
  const rb_data_type_t *right = atomic_load_explicit(&monitor_type, memory_order_relaxed);
  if (!right && atomic_load_explicit(&monitor_tries, memory_order_relaxed) < MONITOR_TRIES) meet_monitor(type);
  VALUE mutex = right == type ? words_of(monitor)[MONITOR_MUTEX] : Qnil;
  if (vm_data_type(mutex) != mutex_type || !waits_in(words_of(mutex), mutex_waiters * sizeof(VALUE)))
    return wait_for(RTOP_LOCK_NONE, NULL);
  return wait_for(RTOP_LOCK_MONITOR, words_of(mutex));
}

/* Tells whether the thread waits for the loading of a file. Files are loaded by `require`, and by code that uses a
 * constant. A wait in another C function is for a Mutex of an extension, and a wait of an IO is for its writer. */
static bool waits_for_file(const VALUE *frame)
{
  VALUE leaf;
  if (RB_TYPE_P(frame[FRAME_RECEIVER], T_FILE)) return false;
  if (rb_profile_frames(0, 1, &leaf, NULL) <= 0 || RB_SPECIAL_CONST_P(leaf)) return false;
  if (!method_entry_is(leaf)) return method_entry_is_code(leaf);
  if (!method_entry_is_function(leaf)) return true;
  ID name = method_entry_first_name(leaf);
  return name == id_require || name == id_require_relative || name == id_const_get;
}

/* Returns the wait for a Mutex that is not the receiver of a method, but locked by the VM or a C extension. The address
 * is first tested for readability, and used only if it is a Mutex with the calling thread in its list. */
static struct lock_wait wait_of_the_vm(VALUE thread, const VALUE *frame)
{
  VALUE wanted = wanted_known ? words_of(thread)[held_word - 1] : Qfalse;
  if (!is_address(wanted)) return wait_for(RTOP_LOCK_NONE, NULL);
  const VALUE *object = (const VALUE *)wanted;
  if (!readable_word(object) || !readable_word(object + VM_OBJECT_WORDS - 1) || vm_data_type(wanted) != mutex_type ||
      !waits_in(words_of(wanted), mutex_waiters * sizeof(VALUE)))
    return wait_for(RTOP_LOCK_NONE, NULL);
  return wait_for(frame && waits_for_file(frame) ? RTOP_LOCK_LOAD : RTOP_LOCK_MUTEX, words_of(wanted));
}

/* Returns how many words the caller put on its stack for this call of a method in C, its receiver and arguments, and
 * where they begin; 0: they are not there, as when C code calls it, or code that ZJIT compiled, which passes them in
 * registers. They lie between the caller's stack pointer and the frame's environment. */
static size_t passed_words(VALUE thread, const VALUE *frame, const VALUE **passed)
{
  const VALUE *context = fiber_frames_current(thread), *caller = frame + FRAME_WORDS;
  const VALUE *stack = (const VALUE *)context[CONTEXT_STACK];
  if (caller > stack + context[CONTEXT_STACK_WORDS] - FRAME_WORDS) return 0;
  const VALUE *environment = (const VALUE *)frame[FRAME_ENVIRONMENT];
  *passed = (const VALUE *)caller[FRAME_STACK_POINTER];
  bool inside = *passed >= stack && *passed <= environment + ENVIRONMENT_LAST && environment < frame;
  return inside ? (size_t)(environment + ENVIRONMENT_LAST + 1 - *passed) : 0;
}

/* Is this no limit: nil, or a splat of nothing? */
static bool is_no_limit(VALUE passed)
{
  return NIL_P(passed) || (RB_TYPE_P(passed, T_ARRAY) && RARRAY_LEN(passed) == 0);
}

/* Returns the wait for the end of another thread, if it has no time limit. A call whose arguments cannot be seen may
 * have one: its wait is unknown. */
static struct lock_wait wait_for_end(VALUE thread, const VALUE *frame)
{
  VALUE leaf, joined = frame[FRAME_RECEIVER];
  const VALUE *passed;
  if (rb_profile_frames(0, 1, &leaf, NULL) <= 0 || RB_SPECIAL_CONST_P(leaf) || !method_entry_is(leaf) ||
      !method_entry_is_function(leaf) || method_entry_class(leaf) != rb_cThread)
    return wait_for(RTOP_LOCK_NONE, NULL);
  ID name = method_entry_id(leaf);
  size_t words = name == id_join ? passed_words(thread, frame, &passed) : 0;
  bool seen = words && passed[0] == joined;
  bool unlimited = name == id_value || (seen && (words == 1 || (words == 2 && is_no_limit(passed[1]))));
  return unlimited ? wait_for(RTOP_LOCK_THREAD, (const void *)joined) : wait_for(RTOP_LOCK_NONE, NULL);
}

static struct lock_wait wait_of_receiver(VALUE thread, const VALUE *frame)
{
  const rb_data_type_t *type = frame ? vm_data_type(frame[FRAME_RECEIVER]) : NULL;
  if (!type) return wait_for(RTOP_LOCK_NONE, NULL);
  VALUE receiver = frame[FRAME_RECEIVER];
  if (type == thread_type) return wait_for_end(thread, frame);
  if (type == mutex_type) return wait_in_mutex(words_of(receiver));
  if (type == queue.type) return wait_in_queue(&queue, words_of(receiver));
  if (type == sized_queue.type) return wait_in_queue(&sized_queue, words_of(receiver));
  if (type == condition_type) return wait_in_condition(frame, words_of(receiver));
  return wait_in_monitor(receiver, type);
}

struct lock_wait lock_words_wait(VALUE thread)
{
  const VALUE *frame = known ? frame_of(thread) : NULL;
  struct lock_wait wait = wait_of_receiver(thread, frame);
  return known && wait.kind == RTOP_LOCK_NONE ? wait_of_the_vm(thread, frame) : wait;
}

bool lock_words_holds(VALUE thread)
{
  return known && words_of(thread)[held_word];
}

uint32_t lock_words_held(VALUE thread, uint64_t held[LOCK_WORDS_HELD_MAX])
{
  uint32_t count = 0;
  if (!known) return 0;
  const VALUE *mutex = (const VALUE *)words_of(thread)[held_word];
  for (; mutex && count < LOCK_WORDS_HELD_MAX; mutex = next_held(mutex)) held[count++] = (uint64_t)(uintptr_t)mutex;
  return count;
}
