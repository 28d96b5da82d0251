/* SPDX-License-Identifier: MIT */
/* Converts pprof to OTLP: the tables are almost the same, but an OTLP profile has a single type of value. */
#include "push_otlp.h"

#include "push.h"
#include "shm/base/version.h"
#include "tui/text/reserve.h"
#include "tui/text/text.h"
#include <otlp.pb-c.h>
#include <pprof.pb-c.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(element) ((element)->lost = true)
#include <uthash.h>

/* What is in a table once. */
struct otlp_entry {
  UT_hash_handle hh;
  int32_t number;
  bool lost;
  size_t bytes;
  uint8_t key[];
};

struct otlp {
  const Rtop__Pprof__Profile *from;
  FILE *out;
  struct otlp_entry *stacks, *attributes;
  int32_t stack_count, attribute_count;
  int32_t *stack_of;  /* by sample */
  int32_t *marks;     /* attribute numbers of samples, one sample after the other */
  size_t *first_mark; /* by sample, and one more */
  size_t mark_capacity;
  uint8_t *buffer;
  size_t capacity;
  bool failed;
};

/* Returns the number of a key; *is_new if it was added. 0: memory ran out. */
static int32_t otlp_number(struct otlp_entry **entries, int32_t *count, const void *key, size_t bytes, bool *is_new)
{
  struct otlp_entry *entry = NULL;
  HASH_FIND(hh, *entries, key, bytes, entry);
  *is_new = !entry;
  if (entry) return entry->number;
  entry = calloc(1, sizeof *entry + bytes);
  if (!entry) return 0;
  memcpy(entry->key, key, bytes);
  entry->bytes = bytes;
  entry->number = *count + 1; /* 0 is the empty one */
  HASH_ADD_KEYPTR(hh, *entries, entry->key, bytes, entry);
  if (!entry->lost) return ++*count;
  free(entry);
  return 0;
}

static void otlp_forget(struct otlp_entry **entries)
{
  struct otlp_entry *entry = *entries;
  HASH_CLEAR(hh, *entries);
  while (entry) { /* entries of the former hash table are still a linked list */
    struct otlp_entry *next = entry->hh.next;
    free(entry);
    entry = next;
  }
}

/* Writes a piece of the dictionary. Readers join lists that are split over several messages, so memory holds one piece
   at a time. */
static void otlp_emit(struct otlp *otlp, const Rtop__Otlp__Dictionary *piece)
{
  Rtop__Otlp__Request request = RTOP__OTLP__REQUEST__INIT;
  request.dictionary = (Rtop__Otlp__Dictionary *)(uintptr_t)piece;
  size_t bytes = rtop__otlp__request__get_packed_size(&request);
  if (!rtop_reserve(&otlp->buffer, &otlp->capacity, bytes, 1)) otlp->failed = true;
  else fwrite(otlp->buffer, 1, rtop__otlp__request__pack(&request, otlp->buffer), otlp->out);
}

static void otlp_stack(struct otlp *otlp, const Rtop__Pprof__Sample *sample, int32_t number)
{
  Rtop__Otlp__Dictionary piece = RTOP__OTLP__DICTIONARY__INIT;
  Rtop__Otlp__Stack stack = RTOP__OTLP__STACK__INIT, *list[] = { &stack };
  int32_t *locations = calloc(sample->n_location_id + 1, sizeof *locations);
  otlp->failed = otlp->failed || !locations || number == 0;
  for (size_t i = 0; locations && i < sample->n_location_id; i++) locations[i] = (int32_t)sample->location_id[i];
  stack.locations = locations;
  stack.n_locations = locations ? sample->n_location_id : 0;
  piece.stack_table = list;
  piece.n_stack_table = 1;
  otlp_emit(otlp, &piece);
  free(locations);
}

static const char *otlp_text(const struct otlp *otlp, int64_t number)
{
  return number >= 0 && (size_t)number < otlp->from->n_string_table ? otlp->from->string_table[number] : "";
}

static void otlp_attribute(struct otlp *otlp, const Rtop__Pprof__Label *label, int32_t number)
{
  Rtop__Otlp__Dictionary piece = RTOP__OTLP__DICTIONARY__INIT;
  Rtop__Otlp__Attribute attribute = RTOP__OTLP__ATTRIBUTE__INIT, *list[] = { &attribute };
  Rtop__Otlp__AnyValue value = RTOP__OTLP__ANY_VALUE__INIT;
  otlp->failed = otlp->failed || number == 0;
  attribute.key = (int32_t)label->key;
  attribute.value = &value;
  value.value_case = label->str ? RTOP__OTLP__ANY_VALUE__VALUE_STRING_VALUE : RTOP__OTLP__ANY_VALUE__VALUE_INT_VALUE;
  if (label->str) value.string_value = (char *)(uintptr_t)otlp_text(otlp, label->str);
  else value.int_value = label->num;
  piece.attribute_table = list;
  piece.n_attribute_table = 1;
  otlp_emit(otlp, &piece);
}

/* Is the attribute wanted? pid belongs to the resource; of two attributes with one name, the profiler's and the
 * program's, the first is used. */
static bool otlp_is_wanted(const struct otlp *otlp, const Rtop__Pprof__Sample *sample, size_t at)
{
  if (strcmp(otlp_text(otlp, sample->label[at]->key), "pid") == 0 && !sample->label[at]->str) return false;
  for (size_t i = 0; i < at; i++)
    if (sample->label[i]->key == sample->label[at]->key) return false;
  return true;
}

static void otlp_sample_tables(struct otlp *otlp, size_t at, size_t *marks)
{
  const Rtop__Pprof__Sample *sample = otlp->from->sample[at];
  bool is_new;
  otlp->stack_of[at] = otlp_number(&otlp->stacks, &otlp->stack_count, sample->location_id,
                                   sample->n_location_id * sizeof *sample->location_id, &is_new);
  if (is_new) otlp_stack(otlp, sample, otlp->stack_of[at]);
  otlp->first_mark[at] = *marks;
  for (size_t i = 0; i < sample->n_label; i++) {
    const Rtop__Pprof__Label *label = sample->label[i];
    const int64_t key[] = { label->key, label->str, label->num };
    if (!otlp_is_wanted(otlp, sample, i)) continue;
    if (!rtop_reserve(&otlp->marks, &otlp->mark_capacity, *marks + 1, sizeof *otlp->marks)) {
      otlp->failed = true;
      return;
    }
    int32_t number = otlp_number(&otlp->attributes, &otlp->attribute_count, key, sizeof key, &is_new);
    if (is_new) otlp_attribute(otlp, label, number);
    otlp->marks[(*marks)++] = number;
  }
}

static void otlp_location(struct otlp *otlp, const Rtop__Pprof__Location *from)
{
  Rtop__Otlp__Dictionary piece = RTOP__OTLP__DICTIONARY__INIT;
  Rtop__Otlp__Location location = RTOP__OTLP__LOCATION__INIT, *list[] = { &location };
  Rtop__Otlp__Line line = RTOP__OTLP__LINE__INIT, *lines[] = { &line };
  location.mapping = (int32_t)from->mapping_id;
  location.lines = lines;
  location.n_lines = from->n_line > 0;
  if (from->n_line) {
    line.function = (int32_t)from->line[0]->function_id;
    line.line = from->line[0]->line;
  }
  piece.location_table = list;
  piece.n_location_table = 1;
  otlp_emit(otlp, &piece);
}

static void otlp_function(struct otlp *otlp, const Rtop__Pprof__Function *from)
{
  Rtop__Otlp__Dictionary piece = RTOP__OTLP__DICTIONARY__INIT;
  Rtop__Otlp__Function function = RTOP__OTLP__FUNCTION__INIT, *list[] = { &function };
  function.name = (int32_t)from->name;
  function.filename = (int32_t)from->filename;
  function.start_line = from->start_line;
  piece.function_table = list;
  piece.n_function_table = 1;
  otlp_emit(otlp, &piece);
}

/* What comes first in each table. */
static void otlp_empties(struct otlp *otlp)
{
  Rtop__Otlp__Dictionary piece = RTOP__OTLP__DICTIONARY__INIT;
  Rtop__Otlp__Mapping mapping = RTOP__OTLP__MAPPING__INIT, *mappings[] = { &mapping };
  Rtop__Otlp__Location location = RTOP__OTLP__LOCATION__INIT, *locations[] = { &location };
  Rtop__Otlp__Function function = RTOP__OTLP__FUNCTION__INIT, *functions[] = { &function };
  Rtop__Otlp__Link link = RTOP__OTLP__LINK__INIT, *links[] = { &link };
  Rtop__Otlp__Attribute attribute = RTOP__OTLP__ATTRIBUTE__INIT, *attributes[] = { &attribute };
  Rtop__Otlp__Stack stack = RTOP__OTLP__STACK__INIT, *stacks[] = { &stack };
  uint8_t none[16] = { 0 };
  link.trace_id = (ProtobufCBinaryData){ 16, none };
  link.span_id = (ProtobufCBinaryData){ 8, none };
  piece.mapping_table = mappings;
  piece.location_table = locations;
  piece.function_table = functions;
  piece.link_table = links;
  piece.attribute_table = attributes;
  piece.stack_table = stacks;
  piece.n_mapping_table = piece.n_location_table = piece.n_function_table = piece.n_link_table = 1;
  piece.n_attribute_table = piece.n_stack_table = 1;
  otlp_emit(otlp, &piece);
}

/* Writes locations and functions, which pprof numbers 1, 2, … in order, and strings, which begin with "". */
static void otlp_tables(struct otlp *otlp)
{
  const Rtop__Pprof__Profile *from = otlp->from;
  Rtop__Otlp__Dictionary strings = RTOP__OTLP__DICTIONARY__INIT, maps = RTOP__OTLP__DICTIONARY__INIT;
  Rtop__Otlp__Mapping mapping = RTOP__OTLP__MAPPING__INIT, *mappings[] = { &mapping };
  otlp_empties(otlp);
  mapping.filename = from->n_mapping ? (int32_t)from->mapping[0]->filename : 0;
  maps.mapping_table = mappings;
  maps.n_mapping_table = 1;
  otlp_emit(otlp, &maps);
  for (size_t i = 0; i < from->n_location; i++) otlp_location(otlp, from->location[i]);
  for (size_t i = 0; i < from->n_function; i++) otlp_function(otlp, from->function[i]);
  strings.string_table = from->string_table;
  strings.n_string_table = from->n_string_table;
  otlp_emit(otlp, &strings);
  size_t marks = 0;
  for (size_t i = 0; i < from->n_sample && !otlp->failed; i++) otlp_sample_tables(otlp, i, &marks);
  if (!otlp->failed) otlp->first_mark[from->n_sample] = marks;
}

/* Collects the samples with any value of this type. Returns their number. */
static size_t otlp_samples(const struct otlp *otlp, size_t kind, Rtop__Otlp__Sample *samples, Rtop__Otlp__Sample **list)
{
  size_t count = 0;
  for (size_t i = 0; i < otlp->from->n_sample; i++) {
    const Rtop__Pprof__Sample *from = otlp->from->sample[i];
    if (kind >= from->n_value || from->value[kind] == 0) continue;
    Rtop__Otlp__Sample *sample = &samples[count];
    rtop__otlp__sample__init(sample);
    sample->stack = otlp->stack_of[i];
    sample->attributes = otlp->marks + otlp->first_mark[i];
    sample->n_attributes = otlp->first_mark[i + 1] - otlp->first_mark[i];
    sample->values = &from->value[kind];
    sample->n_values = 1;
    list[count++] = sample;
  }
  return count;
}

enum { OTLP_ATTRIBUTES = 6 };

struct otlp_resource {
  Rtop__Otlp__KeyValue pairs[OTLP_ATTRIBUTES], *list[OTLP_ATTRIBUTES];
  Rtop__Otlp__AnyValue values[OTLP_ATTRIBUTES];
  Rtop__Otlp__Resource resource;
};

static void resource_add(struct otlp_resource *to, const char *key, const char *text, int64_t number)
{
  size_t at = to->resource.n_attributes++;
  rtop__otlp__key_value__init(&to->pairs[at]);
  rtop__otlp__any_value__init(&to->values[at]);
  to->pairs[at].key = (char *)(uintptr_t)key;
  to->pairs[at].value = &to->values[at];
  to->values[at].value_case = text ? RTOP__OTLP__ANY_VALUE__VALUE_STRING_VALUE : RTOP__OTLP__ANY_VALUE__VALUE_INT_VALUE;
  if (text) to->values[at].string_value = (char *)(uintptr_t)text;
  else to->values[at].int_value = number;
  to->list[at] = &to->pairs[at];
}

static void resource_fill(struct otlp_resource *to, const struct push_process *process)
{
  rtop__otlp__resource__init(&to->resource);
  to->resource.attributes = to->list;
  resource_add(to, "service.name", process->name, 0);
  resource_add(to, "host.name", process->host, 0);
  resource_add(to, "process.pid", NULL, process->pid);
  resource_add(to, "process.command_line", process->command, 0);
  resource_add(to, "process.runtime.name", "ruby", 0);
  resource_add(to, "process.runtime.version", process->ruby, 0);
}

static bool otlp_pack(struct otlp *otlp, const struct push_process *process, Rtop__Otlp__Profile **profiles,
                      size_t count)
{
  struct otlp_resource resource = { 0 };
  Rtop__Otlp__Request request = RTOP__OTLP__REQUEST__INIT;
  Rtop__Otlp__ResourceProfiles one = RTOP__OTLP__RESOURCE_PROFILES__INIT, *ones[] = { &one };
  Rtop__Otlp__ScopeProfiles scoped = RTOP__OTLP__SCOPE_PROFILES__INIT, *scopes[] = { &scoped };
  Rtop__Otlp__Scope scope = RTOP__OTLP__SCOPE__INIT;
  scope.name = (char *)(uintptr_t) "rperf-top";
  scope.version = (char *)(uintptr_t)RPERF_TOP_VERSION;
  scoped.scope = &scope;
  scoped.profiles = profiles;
  scoped.n_profiles = count;
  resource_fill(&resource, process);
  one.resource = &resource.resource;
  one.scope_profiles = scopes;
  one.n_scope_profiles = 1;
  request.resource_profiles = ones;
  request.n_resource_profiles = 1;
  size_t bytes = rtop__otlp__request__get_packed_size(&request);
  if (!rtop_reserve(&otlp->buffer, &otlp->capacity, bytes, 1)) return false;
  fwrite(otlp->buffer, 1, rtop__otlp__request__pack(&request, otlp->buffer), otlp->out);
  return !ferror(otlp->out);
}

enum { OTLP_KINDS_MAX = 8 };

struct otlp_profile {
  Rtop__Otlp__Profile profile;
  Rtop__Otlp__ValueType type, period;
  uint8_t id[16];
  Rtop__Otlp__Sample *samples, **list;
};

static bool otlp_profile(const struct otlp *otlp, struct otlp_profile *to, size_t kind)
{
  const Rtop__Pprof__Profile *from = otlp->from;
  rtop__otlp__profile__init(&to->profile);
  rtop__otlp__value_type__init(&to->type);
  rtop__otlp__value_type__init(&to->period);
  to->samples = calloc(from->n_sample + 1, sizeof *to->samples);
  to->list = calloc(from->n_sample + 1, sizeof(Rtop__Otlp__Sample *));
  if (!to->samples || !to->list) return false;
  to->type.type = (int32_t)from->sample_type[kind]->type;
  to->type.unit = (int32_t)from->sample_type[kind]->unit;
  to->profile.sample_type = &to->type;
  to->profile.samples = to->list;
  to->profile.n_samples = otlp_samples(otlp, kind, to->samples, to->list);
  to->profile.time_unix_nano = from->time_nanos > 0 ? (uint64_t)from->time_nanos : 0;
  to->profile.duration_nano = from->duration_nanos > 0 ? (uint64_t)from->duration_nanos : 0;
  if (from->period_type && from->period > 0) {
    to->period.type = (int32_t)from->period_type->type;
    to->period.unit = (int32_t)from->period_type->unit;
    to->profile.period_type = &to->period;
    to->profile.period = from->period;
  }
  if (getrandom(to->id, sizeof to->id, GRND_NONBLOCK) == sizeof to->id)
    to->profile.profile_id = (ProtobufCBinaryData){ sizeof to->id, to->id };
  return true;
}

static bool otlp_profiles(struct otlp *otlp, const struct push_process *process)
{
  struct otlp_profile profiles[OTLP_KINDS_MAX] = { 0 };
  Rtop__Otlp__Profile *list[OTLP_KINDS_MAX];
  size_t kinds = otlp->from->n_sample_type < OTLP_KINDS_MAX ? otlp->from->n_sample_type : OTLP_KINDS_MAX, count = 0;
  bool fine = true;
  for (size_t i = 0; fine && i < kinds; i++) {
    fine = otlp_profile(otlp, &profiles[i], i);
    if (fine && profiles[i].profile.n_samples) list[count++] = &profiles[i].profile;
  }
  fine = fine && otlp_pack(otlp, process, list, count);
  for (size_t i = 0; i < kinds; i++) {
    free(profiles[i].samples);
    free(profiles[i].list);
  }
  return fine;
}

bool push_otlp_write(const struct push_process *process, const uint8_t *pprof, size_t bytes, FILE *out)
{
  Rtop__Pprof__Profile *from = rtop__pprof__profile__unpack(NULL, bytes, pprof);
  struct otlp otlp = { .from = from, .out = out };
  if (!from) return false;
  otlp.stack_of = calloc(from->n_sample + 1, sizeof *otlp.stack_of);
  otlp.first_mark = calloc(from->n_sample + 1, sizeof *otlp.first_mark);
  otlp.failed = !otlp.stack_of || !otlp.first_mark;
  if (!otlp.failed) otlp_tables(&otlp);
  bool fine = !otlp.failed && otlp_profiles(&otlp, process);
  otlp_forget(&otlp.stacks);
  otlp_forget(&otlp.attributes);
  free(otlp.stack_of);
  free(otlp.first_mark);
  free(otlp.marks);
  free(otlp.buffer);
  rtop__pprof__profile__free_unpacked(from, NULL);
  return fine;
}

uint64_t push_otlp_refused(const uint8_t *response, size_t bytes, char *why, size_t why_bytes)
{
  Rtop__Otlp__Response *said = rtop__otlp__response__unpack(NULL, bytes, response);
  uint64_t refused = 0;
  *why = '\0';
  if (said && said->partial_success) {
    const char *text = said->partial_success->error_message;
    if (said->partial_success->rejected_profiles > 0) refused = (uint64_t)said->partial_success->rejected_profiles;
    rtop_text_sanitize(why, why_bytes, text, strlen(text));
  }
  if (said) rtop__otlp__response__free_unpacked(said, NULL);
  return refused;
}
