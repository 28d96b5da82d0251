/* SPDX-License-Identifier: MIT */
/* The hook on all C calls, and the list of traced methods among them. */
#include "functions.h"

#include "call_place.h"
#include "lookup.h"
#include "trace_hook.h"
#include "whole_probe.h"
#include "ext/base/fast_clock.h"
#include "ext/base/vm_unknown.h"
#include "ext/names/method_entry.h"
#include <ruby/debug.h>

#define COST_LEAST_NS INT64_C(15)
#define COST_MOST_NS INT64_C(5000)

static const rb_event_flag_t events_of_c = RUBY_EVENT_C_CALL | RUBY_EVENT_C_RETURN;

/* Characteristics of a kind of method. Members of a Struct share their kind with methods for which the VM sends no
 * events, so `way` distinguishes the two. */
struct look {
  bool known;
  unsigned kind;
  uint32_t way; /* compared only for members */
};

static struct look reader, writer, member, member_set;

/* The state of the hook. It is static, because the VM would mark anything passed to a hook as a Ruby object; there is
 * only one session. */
static struct functions *followed;

static inline uint64_t function_bit(ID name)
{
  return UINT64_C(1) << (name >> 4 & 63); /* the lowest bits of an ID only give its kind */
}

/* The hook, which runs at every C call of the program. */
static void hook(VALUE unused, const rb_trace_arg_t *event)
{
  struct functions *functions = followed;
  ID name = call_place_function_name(event);
  (void)unused;
  trace_add(&functions->events, 1);
  if (!(functions->names & function_bit(name))) return;
  VALUE owner = call_place_function_owner(event);
  for (uint32_t i = 0; i < functions->count; i++)
    if (functions->traced[i].name == name && functions->traced[i].owner == owner) {
      trace_hook_function(functions->traced[i].target, event);
      return;
    }
}

static struct look look_at(VALUE class, const char *name)
{
  ID id = rb_intern(name);
  VALUE method = lookup_instance_method(class, id), entry = method_entry_of(method);
  struct look look = { 0 };
  if (entry && method_entry_owner(entry) == class && method_entry_first_name(entry) == id)
    look = (struct look){ true, method_entry_kind(entry), method_entry_way(entry) };
  RB_GC_GUARD(method);
  return look;
}

void functions_learn_kinds(void)
{
  static bool looked;
  if (looked) return;
  looked = true;
  VALUE module = rb_module_new();
  rb_attr(module, rb_intern("plain"), 1, 1, 0);
  reader = look_at(module, "plain");
  writer = look_at(module, "plain=");
  if (!vm_unknown_unless(reader.known && writer.known, RTOP_VM_ATTRIBUTES)) return;
  /* it would run the program's code */
  if (!rb_method_basic_definition_p(CLASS_OF(rb_cStruct), rb_intern("inherited"))) return;
  VALUE members = rb_struct_define(NULL, "plain", NULL);
  member = look_at(members, "plain");
  member_set = look_at(members, "plain=");
  vm_unknown_unless(member.known && member_set.known, RTOP_VM_ATTRIBUTES);
  RB_GC_GUARD(module);
  RB_GC_GUARD(members);
}

static bool is_as(const struct look *look, VALUE entry, bool way)
{
  return look->known && method_entry_kind(entry) == look->kind && (!way || method_entry_way(entry) == look->way);
}

bool functions_are_members(VALUE entry)
{
  return is_as(&member, entry, true) || is_as(&member_set, entry, true);
}

bool functions_are(VALUE entry)
{
  return method_entry_owner(entry) && (method_entry_is_function(entry) || is_as(&reader, entry, false) ||
                                       is_as(&writer, entry, false) || functions_are_members(entry));
}

static void set_hook(struct functions *functions)
{
  if (functions->is_set) return;
  followed = functions;
  rb_add_event_hook2((rb_event_hook_func_t)(void (*)(void))hook, events_of_c, Qnil,
                     RUBY_EVENT_HOOK_FLAG_SAFE | RUBY_EVENT_HOOK_FLAG_RAW_ARG);
  functions->is_set = true;
}

static void remove_hook(struct functions *functions)
{
  if (!functions->is_set) return;
  functions->is_set = false;
  rb_remove_event_hook((rb_event_hook_func_t)(void (*)(void))hook);
}

/* Measures an untraced call of our own with and without the hook. Disturbances only lengthen a round, so the shortest
 * round counts. Calls without the hook are timed before and after, so that a slow moment of the machine cannot make
 * the hook appear free. */
static int64_t measure_call(struct functions *functions)
{
  struct fast_clock_start start = fast_clock_start();
  double before = whole_probe_least(functions->probe, WHOLE_C);
  set_hook(functions);
  double with = whole_probe_least(functions->probe, WHOLE_C);
  remove_hook(functions);
  double after = whole_probe_least(functions->probe, WHOLE_C);
  int64_t ns = (int64_t)((with - (before < after ? before : after)) * fast_clock_ns_per_tick(&start));
  return ns < COST_LEAST_NS ? COST_LEAST_NS : ns > COST_MOST_NS ? COST_MOST_NS : ns;
}

bool functions_learn(struct functions *functions)
{
  if (!functions->probe) {
    functions->probe = whole_probe_make();
    rb_gc_register_address(&functions->probe);
  }
  if (!vm_unknown_unless(whole_probe_learn(functions->probe, events_of_c), RTOP_VM_C_CALLS)) return false;
  if (!atomic_load(&functions->call_cost_ns)) atomic_store(&functions->call_cost_ns, measure_call(functions));
  return true;
}

static void find_names(struct functions *functions)
{
  functions->names = 0;
  for (uint32_t i = 0; i < functions->count; i++) functions->names |= function_bit(functions->traced[i].name);
}

void functions_add(struct functions *functions, struct trace_target *target)
{
  if (functions->count == RTOP_TRACE_SLOTS) return; /* cannot happen: each target is added once */
  functions->traced[functions->count++] = (struct function){ target->first_name, target->owner, target };
  find_names(functions);
  set_hook(functions);
}

void functions_remove(struct functions *functions, struct trace_target *target)
{
  for (uint32_t i = 0; i < functions->count; i++)
    if (functions->traced[i].target == target) functions->traced[i--] = functions->traced[--functions->count];
  find_names(functions);
  if (functions->count == 0) remove_hook(functions);
}
