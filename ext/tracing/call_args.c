/* SPDX-License-Identifier: MIT */
/* Reads the parameters of methods, and their values in a frame. */
#include "call_args.h"

#include "call_place.h"
#include "ext/base/vm_unknown.h"
#include "ext/names/method_entry.h"
#include "ext/names/value_text.h"
#include <string.h>

static bool looked, known;
static method_entry_call_1 *local_variable;

static VALUE call_protected(VALUE (*call)(VALUE), void *argument, bool *raised)
{
  VALUE error = rb_errinfo();
  int state = 0;
  VALUE result = rb_protect(call, (VALUE)argument, &state);
  if (state) rb_set_errinfo(error);
  *raised = state != 0;
  return result;
}

/* ---- parameters -------------------------------------------------------------------------------------- */

struct parameters_wish {
  VALUE method;
  struct call_parameters *parameters;
};

/* Returns the mark before a parameter's name; NULL for kinds that take no argument (**nil). *valued: a local variable
 * holds the parameter's value. */
static const char *mark_of(VALUE kind, bool *valued)
{
  static const struct {
    const char *kind, *mark;
  } marks[] = { { "req", "" }, { "opt", "" },       { "rest", "*" }, { "keyreq", "" },
                { "key", "" }, { "keyrest", "**" }, { "block", "&" } };
  const char *name = RB_STATIC_SYM_P(kind) ? rb_id2name(RB_SYM2ID(kind)) : NULL;
  for (size_t i = 0; name && i < sizeof marks / sizeof marks[0]; i++)
    if (strcmp(name, marks[i].kind) == 0) {
      *valued = *marks[i].mark != '&';
      return marks[i].mark;
    }
  return NULL;
}

/* Tells whether this is one of the numbered parameters _1 to _9, which cannot be read from a binding. */
static bool is_numbered(ID name)
{
  const char *text = rb_id2name(name);
  return text && text[0] == '_' && text[1] >= '1' && text[1] <= '9' && text[2] == '\0';
}

static void add_parameter(struct call_parameters *parameters, VALUE row)
{
  struct call_parameter parameter = { 0 };
  if (!RB_TYPE_P(row, T_ARRAY) || RARRAY_LEN(row) == 0) return;
  parameter.mark = mark_of(RARRAY_AREF(row, 0), &parameter.valued);
  VALUE name = RARRAY_LEN(row) > 1 ? RARRAY_AREF(row, 1) : Qnil;
  if (!parameter.mark) return;
  if (RB_SYMBOL_P(name) && rb_is_local_id(RB_SYM2ID(name))) parameter.name = RB_SYM2ID(name);
  parameter.valued = parameter.valued && parameter.name && !is_numbered(parameter.name);
  parameters->valued = parameters->valued || parameter.valued;
  parameters->more = parameters->count == CALL_ARGS_MAX;
  if (!parameters->more) parameters->all[parameters->count++] = parameter;
}

static VALUE read_parameters(VALUE pointer)
{
  struct parameters_wish *wish = (struct parameters_wish *)pointer;
  method_entry_call *call = method_entry_function(wish->method, rb_obj_class(wish->method), "parameters");
  VALUE rows = call ? call(wish->method) : Qnil;
  for (long i = 0; RB_TYPE_P(rows, T_ARRAY) && i < RARRAY_LEN(rows); i++)
    add_parameter(wish->parameters, RARRAY_AREF(rows, i));
  RB_GC_GUARD(rows);
  return Qnil;
}

void call_args_of(VALUE method, struct call_parameters *parameters)
{
  bool raised;
  struct parameters_wish wish = { method, parameters };
  *parameters = (struct call_parameters){ 0 };
  call_protected(read_parameters, &wish, &raised);
  if (raised) *parameters = (struct call_parameters){ 0 };
}

/* ---- values ------------------------------------------------------------------------------------------ */

struct text_wish {
  rb_trace_arg_t *event;
  const struct call_parameters *parameters;
  struct value_text *text;
};

static void tell_parameter(struct value_text *text, const struct call_parameter *parameter, VALUE binding)
{
  value_text_add(text, parameter->mark, strlen(parameter->mark));
  if (parameter->name) value_text_name(text, parameter->name);
  else if (!*parameter->mark) value_text_add(text, "()", 2);
  if (!parameter->valued) return;
  value_text_add(text, ": ", 2);
  value_text_value(text, local_variable(binding, ID2SYM(parameter->name)));
}

static VALUE tell_parameters(VALUE pointer)
{
  const struct text_wish *wish = (const struct text_wish *)pointer;
  const struct call_parameters *parameters = wish->parameters;
  VALUE binding = parameters->valued ? rb_tracearg_binding(wish->event) : Qnil;
  if (parameters->valued && (NIL_P(binding) || !local_variable)) return Qfalse;
  for (uint32_t i = 0; i < parameters->count && !wish->text->cut; i++) {
    if (i > 0) value_text_add(wish->text, ", ", 2);
    tell_parameter(wish->text, &parameters->all[i], binding);
  }
  if (parameters->more) wish->text->cut = true;
  RB_GC_GUARD(binding);
  return Qtrue;
}

size_t call_args_text(rb_trace_arg_t *event, const struct call_parameters *parameters, char *out, size_t bytes)
{
  struct value_text text;
  struct text_wish wish = { event, parameters, &text };
  bool raised;
  value_text_begin(&text, out, bytes);
  bool told = call_protected(tell_parameters, &wish, &raised) == Qtrue && !raised;
  return told ? value_text_end(&text) : 0;
}

/* ---- a method of our own ----------------------------------------------------------------------------- */

static const char probe[] = "Module.new do\n"
                            "def self.probe(a, (b, c), d = 2, *e, f, g:, h: 7, **i, &j) = nil\n"
                            "end\n";
static const char probe_text[] = "a: 1, (), d: 3, *e: Array(1), f: \"5\", g: :six, h: 7, **i: Hash(1), &j";

struct probe_seen {
  struct call_parameters parameters;
  char text[sizeof probe_text + 32];
  size_t bytes;
};

static void note_probe(VALUE tracepoint, void *pointer)
{
  struct probe_seen *seen = pointer;
  rb_trace_arg_t *event = rb_tracearg_from_tracepoint(tracepoint);
  VALUE binding = rb_tracearg_binding(event);
  if (!rb_obj_is_kind_of(binding, rb_cBinding)) return;
  local_variable = method_entry_function_1(binding, rb_cBinding, "local_variable_get");
  seen->bytes = call_args_text(event, &seen->parameters, seen->text, sizeof seen->text);
}

static void call_probe(VALUE object)
{
  VALUE keywords = rb_hash_new(), pair = rb_ary_new_from_args(2, INT2FIX(1), INT2FIX(2));
  rb_hash_aset(keywords, ID2SYM(rb_intern("g")), ID2SYM(rb_intern("six")));
  rb_hash_aset(keywords, ID2SYM(rb_intern("k")), Qnil);
  VALUE arguments[] = { INT2FIX(1), pair, INT2FIX(3), Qnil, rb_str_new_cstr("5"), keywords };
  rb_funcallv_kw(object, rb_intern("probe"), 6, arguments, RB_PASS_KEYWORDS);
}

static VALUE learn(VALUE pointer)
{
  struct probe_seen *seen = (struct probe_seen *)pointer;
  VALUE object = call_place_run(probe), method = rb_obj_method(object, ID2SYM(rb_intern("probe")));
  call_args_of(method, &seen->parameters);
  VALUE tracepoint = rb_tracepoint_new(0, RUBY_EVENT_RETURN, note_probe, seen);
  if (!call_place_enable(tracepoint, method)) return Qfalse;
  call_probe(object);
  rb_tracepoint_disable(tracepoint);
  RB_GC_GUARD(object);
  return seen->bytes == sizeof probe_text - 1 && memcmp(seen->text, probe_text, seen->bytes) == 0 ? Qtrue : Qfalse;
}

/* Tells whether these methods are the VM's own; false if the program has redefined them. */
static bool are_of_the_vm(void)
{
  return rb_method_basic_definition_p(rb_cMethod, rb_intern("parameters")) &&
         rb_method_basic_definition_p(rb_cBinding, rb_intern("local_variable_get"));
}

bool call_args_learn(void)
{
  static struct probe_seen seen;
  bool raised;
  if (looked) return known;
  looked = true;
  known = call_protected(learn, &seen, &raised) == Qtrue && !raised;
  vm_unknown_unless(known || !are_of_the_vm(), RTOP_VM_ARGUMENTS);
  return known;
}
