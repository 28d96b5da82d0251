/* SPDX-License-Identifier: MIT */
/* Decodes untrusted bytes into a window whose every index is in range. */
#include "window_parts.h"
#include "shm/base/label_text.h"
#include "shm/base/latency.h"
#include "shm/base/varint.h"

#include <string.h>

static bool decode_store(unsigned char *element, const struct window_column *column, uint64_t value)
{
  if (column->field_bytes == sizeof value) {
    memcpy(element + column->offset, &value, sizeof value);
    return true;
  }
  uint32_t narrow = (uint32_t)value;
  memcpy(element + column->offset, &narrow, sizeof narrow);
  return value <= UINT32_MAX;
}

static bool decode_column(struct varint_reader *reader, const struct window_column *column, unsigned char *elements,
                          size_t count, size_t element_bytes, int64_t start_mono_ns)
{
  uint64_t before = column->coding == WINDOW_TIME ? (uint64_t)start_mono_ns : 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t value = varint_get(reader);
    if (column->coding != WINDOW_PLAIN) value = before + varint_unzigzag(value);
    if (!decode_store(elements + i * element_bytes, column, value)) return false;
    before = value;
  }
  return !reader->bad;
}

/* Reads a count, limited by the remaining bytes, since every element takes at least one byte per column. */
static bool decode_count(struct varint_reader *reader, size_t column_count, size_t *count)
{
  uint64_t claimed = varint_get(reader);
  *count = (size_t)claimed;
  return !reader->bad && claimed <= varint_left(reader) / column_count;
}

static void *decode_part(struct varint_reader *reader, const struct window_part *part, void *array, size_t *capacity,
                         size_t *count, int64_t start_mono_ns, bool *right)
{
  size_t elements;
  *right = false;
  if (!decode_count(reader, part->column_count, &elements)) return array;
  void *grown = window_grow(array, capacity, elements, part->element_bytes);
  if (!grown) return array;
  *right = true;
  for (size_t i = 0; i < part->column_count && *right; i++)
    *right = decode_column(reader, &part->columns[i], grown, elements, part->element_bytes, start_mono_ns);
  *count = elements;
  return grown;
}

/* Reads further columns of the threads into elements decoded before. */
static bool decode_more(struct varint_reader *reader, const struct window_part *part, struct rtop_window *window)
{
  size_t count;
  bool right = decode_count(reader, part->column_count, &count) && count == window->thread_count;
  for (size_t i = 0; i < part->column_count && right; i++)
    right = decode_column(reader, &part->columns[i], (unsigned char *)window->threads, count, part->element_bytes, 0);
  return right;
}

static bool decode_threads(struct varint_reader *reader, struct rtop_window *window)
{
  bool right;
  window->threads = decode_part(reader, &window_part_threads, window->threads, &window->thread_capacity,
                                &window->thread_count, window->start_mono_ns, &right);
  for (size_t i = 0; right && i < window->thread_count; i++) { /* the array is used again and again */
    struct rtop_window_thread *thread = &window->threads[i];
    thread->stack_age_ns = thread->lock_holder = 0;
    thread->lock_kind = thread->lock = 0;
  }
  return right;
}

static bool decode_slow(struct varint_reader *reader, struct rtop_window *window)
{
  bool right;
  window->slow = decode_part(reader, &window_part_slow, window->slow, &window->slow_capacity, &window->slow_count,
                             window->start_mono_ns, &right);
  for (size_t i = 0; right && i < window->slow_count; i++) {
    window->slow[i].args_bytes = 0;
    memset(window->slow[i].work_ns, 0, sizeof window->slow[i].work_ns);
  }
  return right;
}

static bool decode_causes(struct varint_reader *reader, struct rtop_window *window)
{
  const struct window_part *part = &window_part_causes;
  size_t count;
  bool right = decode_count(reader, part->column_count, &count) && count == window->slow_count;
  for (size_t i = 0; i < part->column_count && right; i++)
    right = decode_column(reader, &part->columns[i], (unsigned char *)window->slow, count, part->element_bytes, 0);
  return right;
}

/* Lengths, then what is so long. */
static bool decode_args(struct varint_reader *reader, struct rtop_window *window)
{
  size_t count;
  bool right = decode_count(reader, window_part_args.column_count, &count) && count == window->slow_count &&
               decode_column(reader, &window_part_args.columns[0], (unsigned char *)window->slow, count,
                             window_part_args.element_bytes, 0);
  for (size_t i = 0; i < count && right; i++) {
    struct rtop_slow *slow = &window->slow[i];
    right = slow->args_bytes <= sizeof slow->args && slow->args_bytes <= varint_left(reader);
    if (!right) break;
    memcpy(slow->args, reader->next, slow->args_bytes);
    reader->next += slow->args_bytes;
  }
  return right;
}

static bool decode_counters(struct varint_reader *reader, struct rtop_window *window)
{
  size_t count;
  if (!decode_count(reader, 2, &count)) return false;
  struct varint_reader ids = *reader;
  for (size_t i = 0; i < count; i++) varint_get(reader);
  uint64_t id = 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t step = varint_get(&ids);
    uint64_t value = varint_get(reader);
    if (reader->bad || ids.bad || step > UINT32_MAX || (i > 0 && step == 0)) return false;
    id += step;
    if (id < RTOP_COUNTER_ID_MAX) rtop_window_set_counter(window, (enum rtop_counter_id)id, value);
  }
  return true;
}

static bool decode_known_part(struct varint_reader *reader, uint64_t kind, struct rtop_window *window)
{
  bool right = false;
  int64_t start = window->start_mono_ns;
  if (kind == RTOP_PART_COUNTERS) right = decode_counters(reader, window);
  else if (kind == RTOP_PART_THREADS) right = decode_threads(reader, window);
  else if (kind == RTOP_PART_CELLS)
    window->cells = decode_part(reader, &window_part_cells, window->cells, &window->cell_capacity, &window->cell_count,
                                start, &right);
  else if (kind == RTOP_PART_LATE)
    window->late = decode_part(reader, &window_part_late, window->late, &window->late_capacity, &window->late_count,
                               start, &right);
  else if (kind == RTOP_PART_MARKS)
    window->marks = decode_part(reader, &window_part_marks, window->marks, &window->mark_capacity, &window->mark_count,
                                start, &right);
  else if (kind == RTOP_PART_STACKS) right = decode_more(reader, &window_part_stacks, window);
  else if (kind == RTOP_PART_BEGUN)
    window->begun = decode_part(reader, &window_part_begun, window->begun, &window->begun_capacity,
                                &window->begun_count, start, &right);
  else if (kind == RTOP_PART_FIBERS)
    window->fibers = decode_part(reader, &window_part_fibers, window->fibers, &window->fibers_capacity,
                                 &window->fibers_count, start, &right);
  else if (kind == RTOP_PART_EXACT)
    window->exact = decode_part(reader, &window_part_exact, window->exact, &window->exact_capacity,
                                &window->exact_count, start, &right);
  else if (kind == RTOP_PART_SLOW) right = decode_slow(reader, window);
  else if (kind == RTOP_PART_ARGS) right = decode_args(reader, window);
  else if (kind == RTOP_PART_CAUSES) right = decode_causes(reader, window);
  else if (kind == RTOP_PART_LOCKS) right = decode_more(reader, &window_part_locks, window);
  else if (kind == RTOP_PART_RAISES)
    window->raised = decode_part(reader, &window_part_raises, window->raised, &window->raised_capacity,
                                 &window->raised_count, start, &right);
  else if (kind == RTOP_PART_PAIRS)
    window->pairs = decode_part(reader, &window_part_pairs, window->pairs, &window->pair_capacity, &window->pair_count,
                                start, &right);
  return right && reader->next == reader->end;
}

/* Reads the table and the parts together; they must fill the payload exactly. */
static bool decode_parts(struct rtop_window *window, const unsigned char *raw, size_t raw_bytes)
{
  struct varint_reader table = { .next = raw, .end = raw + raw_bytes };
  uint64_t part_count = varint_get(&table);
  if (table.bad || part_count > varint_left(&table) / 2) return false;
  struct varint_reader bodies = table;
  for (uint64_t i = 0; i < 2 * part_count; i++) varint_get(&bodies);
  uint32_t seen = 0;
  for (uint64_t i = 0; i < part_count && !bodies.bad; i++) {
    uint64_t kind = varint_get(&table);
    uint64_t bytes = varint_get(&table);
    if (bytes > varint_left(&bodies)) return false;
    struct varint_reader body = { .next = bodies.next, .end = bodies.next + bytes };
    bodies.next = body.end;
    if (kind == 0 || kind >= RTOP_PART_KIND_END) continue;
    if (seen >> kind & 1 || !decode_known_part(&body, kind, window)) return false;
    seen |= 1u << kind;
  }
  return !bodies.bad && bodies.next == bodies.end;
}

static bool decode_threads_valid(const struct rtop_window *window, const struct rtop_window_limits *limits)
{
  for (size_t i = 0; i < window->thread_count; i++) {
    const struct rtop_window_thread *thread = &window->threads[i];
    if (thread->slot >= limits->thread_slots || thread->state >= RTOP_STATE_COUNT ||
        thread->node >= limits->node_count || thread->state_age_ns > INT64_MAX || thread->provisional_ns > INT64_MAX ||
        thread->stack_age_ns > INT64_MAX)
      return false;
  }
  return true;
}

/* Sums over all cells of a window; checked, so that viewers can add cells without overflow. */
struct decode_sums {
  uint64_t samples, wall_ns, cpu_ns, allocations, blame_ns;
};

static bool decode_add(uint64_t *sum, uint64_t value)
{
  return !__builtin_add_overflow(*sum, value, sum) && *sum <= INT64_MAX;
}

static bool decode_cell_valid(const struct rtop_cell *cell, const struct rtop_window *window,
                              const struct rtop_window_limits *limits, struct decode_sums *sums)
{
  return cell->thread < window->thread_count && cell->node < limits->node_count && cell->state < RTOP_STATE_COUNT &&
         decode_add(&sums->samples, cell->samples) && decode_add(&sums->wall_ns, cell->wall_ns) &&
         decode_add(&sums->cpu_ns, cell->cpu_ns) && decode_add(&sums->allocations, cell->allocations) &&
         decode_add(&sums->blame_ns, cell->blame_ns);
}

static bool decode_cells_valid(struct rtop_window *window, const struct rtop_window_limits *limits)
{
  struct decode_sums sums = { 0 };
  for (size_t i = 0; i < window->cell_count; i++) {
    if (!decode_cell_valid(&window->cells[i], window, limits, &sums)) return false;
    if (window->cells[i].node == RTOP_NODE_FOLDED) window->folded = true;
  }
  for (size_t i = 0; i < window->late_count; i++) {
    const struct rtop_late *late = &window->late[i];
    if (!decode_cell_valid(&late->cell, window, limits, &sums) || late->start_mono_ns < 0 ||
        late->start_mono_ns > window->end_mono_ns || late->cell.wall_ns > (uint64_t)(INT64_MAX - late->start_mono_ns))
      return false;
  }
  return true;
}

static bool decode_marks_valid(const struct rtop_window *window, const struct rtop_window_limits *limits)
{
  for (size_t i = 0; i < window->mark_count; i++)
    if (window->marks[i].mono_ns < 0 || window->marks[i].name >= limits->string_bytes) return false;
  return true;
}

static bool decode_begun_valid(const struct rtop_window *window, const struct rtop_window_limits *limits)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < window->begun_count; i++) {
    const struct rtop_begun *begun = &window->begun[i];
    if (begun->node >= limits->node_count || begun->label >= RTOP_LABEL_PAIRS_MAX || !decode_add(&sum, begun->count))
      return false;
  }
  return true;
}

static bool decode_fibers_valid(const struct rtop_window *window, const struct rtop_window_limits *limits)
{
  uint64_t waited = 0, alive = 0;
  for (size_t i = 0; i < window->fibers_count; i++) {
    const struct rtop_fibers *fibers = &window->fibers[i];
    if (fibers->name >= limits->node_count || fibers->node >= limits->node_count || fibers->waiting > fibers->alive ||
        fibers->longest_ns > INT64_MAX || !decode_add(&waited, fibers->wait_ns) || !decode_add(&alive, fibers->alive))
      return false;
  }
  return true;
}

/* Validates a bucket, which viewers use as an index. Causes and labels may be those of a later version. */
static bool decode_bucket_valid(const struct rtop_exact *exact)
{
  if (exact->what == RTOP_WORK_TIMES) return rtop_work_key_bucket(exact->key) < RTOP_LATENCY_BUCKETS;
  bool times = exact->what == RTOP_EXACT_TOTAL_TIMES || exact->what == RTOP_EXACT_SELF_TIMES;
  return !times || exact->key < RTOP_LATENCY_BUCKETS;
}

static bool decode_exact_valid(const struct rtop_window *window, const struct rtop_window_limits *limits)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < window->exact_count; i++) {
    const struct rtop_exact *exact = &window->exact[i];
    if (exact->node >= limits->node_count || !decode_bucket_valid(exact) || !decode_add(&sum, exact->value))
      return false;
  }
  return true;
}

/* What it did is no longer than it took. */
static bool decode_slow_causes_valid(const struct rtop_slow *slow)
{
  uint64_t left = slow->total_ns;
  for (int cause = RTOP_WORK_RUNNING; cause < RTOP_WORK_CAUSES; cause++) {
    if (slow->work_ns[cause] > left) return false;
    left -= slow->work_ns[cause];
  }
  return slow->work_ns[RTOP_WORK_WHOLE] == 0;
}

static bool decode_slow_valid(const struct rtop_window *window, const struct rtop_window_limits *limits)
{
  uint64_t sum = 0, off = 0;
  for (size_t i = 0; i < window->slow_count; i++) {
    const struct rtop_slow *slow = &window->slow[i];
    if (slow->node >= limits->node_count || slow->stack >= limits->node_count || slow->end_mono_ns < 0 ||
        slow->end_mono_ns > window->end_mono_ns || slow->self_ns > slow->total_ns ||
        slow->args_bytes > sizeof slow->args || !decode_slow_causes_valid(slow) || !decode_add(&sum, slow->total_ns) ||
        !decode_add(&off, slow->wait_ns) || !decode_add(&off, slow->off_ns))
      return false;
  }
  return true;
}

static bool decode_raised_valid(const struct rtop_window *window, const struct rtop_window_limits *limits)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < window->raised_count; i++) {
    const struct rtop_raised *raised = &window->raised[i];
    if (raised->name >= limits->node_count || raised->node >= limits->node_count || raised->first_mono_ns < 0 ||
        raised->first_mono_ns > raised->last_mono_ns || raised->last_mono_ns > window->end_mono_ns ||
        !decode_add(&sum, raised->count))
      return false;
  }
  return true;
}

static bool decode_pairs_valid(const struct rtop_window *window, const struct rtop_window_limits *limits)
{
  uint64_t times = 0, waited = 0;
  for (size_t i = 0; i < window->pair_count; i++) {
    const struct rtop_behind *pair = &window->pairs[i];
    if (pair->node >= limits->node_count || pair->holder >= limits->node_count || pair->place >= limits->node_count ||
        !decode_add(&times, pair->count) || !decode_add(&waited, pair->wait_ns))
      return false;
  }
  return true;
}

bool rtop_window_valid(struct rtop_window *window, const struct rtop_window_limits *limits)
{
  return decode_threads_valid(window, limits) && decode_cells_valid(window, limits) &&
         decode_marks_valid(window, limits) && decode_begun_valid(window, limits) &&
         decode_fibers_valid(window, limits) && decode_exact_valid(window, limits) &&
         decode_slow_valid(window, limits) && decode_raised_valid(window, limits) && decode_pairs_valid(window, limits);
}

bool rtop_window_decode(struct rtop_window *window, const void *raw, size_t raw_bytes,
                        const struct rtop_window_limits *limits)
{
  uint64_t sequence = window->sequence;
  int64_t start_mono_ns = window->start_mono_ns, end_mono_ns = window->end_mono_ns;
  rtop_window_reset(window);
  window->sequence = sequence;
  window->start_mono_ns = start_mono_ns;
  window->end_mono_ns = end_mono_ns;
  if (decode_parts(window, raw, raw_bytes) && rtop_window_valid(window, limits)) return true;
  rtop_window_reset(window);
  return false;
}
