/* SPDX-License-Identifier: MIT */
/* Measures the duration of pieces of work with labels. */
#include "work.h"

#include "lock_waits.h"
#include "sampler.h"
#include "shm/base/clock.h"
#include "shm/base/latency.h"
#include <assert.h>
#include <sched.h>
#include <string.h>

enum {
  PLACE_BITS = 12,
  TICKET_MAX = (1 << 30) - 1,
  PLACE_TRIES = 64,
  PROBES = 32,
  TAKE_TRIES = 1000,
  LOCK_TRIES = 1000
};
static_assert(WORK_PIECES_MAX == 1 << PLACE_BITS, "places");
static_assert(LABEL_SETS_MAX <= 1 << 16 && RTOP_LABEL_PAIRS_MAX <= 16, "labels in a word");

void work_forget(struct work *work)
{
  uint32_t high = atomic_load(&work->high);
  for (uint32_t i = 0; i < high; i++) {
    atomic_store(&work->pieces[i].labels, 0);
    atomic_store(&work->pieces[i].begin_ns, 0);
  }
  atomic_store(&work->hint, 0);
  atomic_store(&work->high, 0);
  atomic_store(&work->gc_word, 0);
}

/* Clears only buffers that were used, so that unused ones keep taking no memory. */
void work_clear(struct work *work)
{
  work_forget(work);
  atomic_store(&work->writers, 0);
  atomic_store(&work->untimed, 0);
  for (int i = 0; i < 2; i++)
    if (atomic_exchange(&work->buffers[i].used, false)) memset(&work->buffers[i], 0, sizeof work->buffers[i]);
}

/* ---- pieces ------------------------------------------------------------------------------------------- */

static struct work_piece *piece_at(struct work *work, uint64_t piece)
{
  struct work_piece *at = &work->pieces[piece & (WORK_PIECES_MAX - 1)];
  bool open = piece && atomic_load_explicit(&at->begin_ns, memory_order_relaxed);
  return open && atomic_load_explicit(&at->ticket, memory_order_relaxed) == piece >> PLACE_BITS ? at : NULL;
}

static bool take_place(struct work_piece *at, int64_t now_ns)
{
  int64_t nobody = 0;
  return atomic_load_explicit(&at->begin_ns, memory_order_relaxed) == 0 &&
         atomic_compare_exchange_strong_explicit(&at->begin_ns, &nobody, now_ns, memory_order_acquire,
                                                 memory_order_relaxed);
}

/* Claims a free entry, searching from the hint: the entry that was freed last, because entries next to it are mostly
 * free. Returns WORK_PIECES_MAX when there is none. */
static uint32_t find_place(struct work *work, int64_t now_ns)
{
  uint32_t from = atomic_load_explicit(&work->hint, memory_order_relaxed);
  uint32_t high = atomic_load_explicit(&work->high, memory_order_relaxed);
  for (uint32_t i = 0; i < PLACE_TRIES && i < high; i++)
    if (take_place(&work->pieces[(from + i) % high], now_ns)) return (from + i) % high;
  while (high < WORK_PIECES_MAX) {
    if (!atomic_compare_exchange_weak(&work->high, &high, high + 1)) continue;
    if (take_place(&work->pieces[high], now_ns)) return high;
    high = atomic_load_explicit(&work->high, memory_order_relaxed);
  }
  return WORK_PIECES_MAX;
}

/* Reads the thread's time by cause from the point of view of its running fiber: without what the thread did while the
 * fiber was not running, which counts as RTOP_WORK_FIBER. */
static void read_sums(const struct thread_data *data, const struct work_piece *outermost,
                      int64_t sums[RTOP_WORK_CAUSES])
{
  for (int cause = RTOP_WORK_GVL; cause < RTOP_WORK_CAUSES; cause++)
    sums[cause] = data->work_ns[cause] - outermost->away_ns[cause];
  sums[RTOP_WORK_FIBER] = outermost->away_ns[RTOP_WORK_FIBER];
}

static struct thread_data *calling_thread(struct sampler *sampler)
{
  bool active = atomic_load_explicit(&sampler->active, memory_order_relaxed);
  return active ? threads_of(&sampler->threads, rb_thread_current()) : NULL;
}

uint64_t work_begin(struct sampler *sampler, uint64_t outer)
{
  struct work *work = &sampler->work;
  struct thread_data *data = calling_thread(sampler);
  if (!data) return 0;
  int64_t now = clock_now_ns();
  uint32_t place = find_place(work, now);
  if (place == WORK_PIECES_MAX) {
    atomic_fetch_add_explicit(&work->untimed, 1, memory_order_relaxed);
    return 0;
  }
  struct work_piece *piece = &work->pieces[place], *around = piece_at(work, outer);
  uint32_t ticket = atomic_fetch_add_explicit(&work->ticket, 1, memory_order_relaxed) % TICKET_MAX + 1;
  atomic_store_explicit(&piece->ticket, ticket, memory_order_relaxed);
  piece->serial = data->serial;
  bool outermost = !around || around->serial != data->serial;
  piece->outermost = outermost ? place : around->outermost;
  if (outermost) {
    memset(piece->away_ns, 0, sizeof piece->away_ns);
    piece->left_at_ns = 0;
  }
  read_sums(data, &work->pieces[piece->outermost], piece->before_ns);
  data->work_open++;
  return data->work_piece = (uint64_t)ticket << PLACE_BITS | place;
}

void work_tell(struct work *work, uint64_t piece, uint32_t set, uint32_t own, uint32_t ahead)
{
  struct work_piece *at = piece_at(work, piece);
  uint64_t labels = (uint64_t)set << 32 | ahead << 16 | own;
  if (at) atomic_store_explicit(&at->labels, labels, memory_order_relaxed);
}

uint32_t work_own(struct work *work, uint64_t piece)
{
  const struct work_piece *at = piece_at(work, piece);
  return at ? atomic_load_explicit(&at->labels, memory_order_relaxed) & UINT16_MAX : 0;
}

/* ---- ended pieces ------------------------------------------------------------------------------------- */

static void add(_Atomic uint64_t *sum, uint64_t more)
{
  atomic_fetch_add_explicit(sum, more, memory_order_relaxed);
}

static void most(_Atomic uint64_t *largest, uint64_t value)
{
  uint64_t before = atomic_load_explicit(largest, memory_order_relaxed);
  while (before < value &&
         !atomic_compare_exchange_weak_explicit(largest, &before, value, memory_order_relaxed, memory_order_relaxed))
    ;
}

static struct work_row *row_of(struct work_buffer *buffer, uint32_t label)
{
  uint32_t at = label * UINT32_C(2654435769) >> 22;
  for (int i = 0; i < PROBES; i++, at++) {
    struct work_row *row = &buffer->rows[at % WORK_ROWS_MAX];
    uint32_t there = atomic_load_explicit(&row->label, memory_order_relaxed);
    if (there == 0 && atomic_compare_exchange_strong(&row->label, &there, label)) return row;
    if (there == label) return row;
  }
  return &buffer->rest;
}

static void count_time(struct work_buffer *buffer, uint32_t label, uint32_t cause, uint64_t ns)
{
  uint32_t bucket = rtop_latency_bucket(ns);
  if (cause != RTOP_WORK_WHOLE) bucket = rtop_latency_coarse(bucket);
  uint64_t key = (uint64_t)label << 20 | rtop_work_key(0, cause, bucket);
  uint32_t at = (uint32_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 51);
  for (int i = 0; i < PROBES; i++, at++) {
    struct work_bucket *to = &buffer->buckets[at % WORK_BUCKETS_MAX];
    uint64_t there = atomic_load_explicit(&to->key, memory_order_relaxed);
    if (there == 0 && atomic_compare_exchange_strong(&to->key, &there, key)) there = key;
    if (there != key) continue;
    add(&to->count, 1);
    return;
  }
}

static void add_piece(struct work_buffer *buffer, struct work_row *row, uint32_t label,
                      const int64_t took_ns[RTOP_WORK_CAUSES])
{
  for (uint32_t cause = 0; cause < RTOP_WORK_CAUSES; cause++) {
    uint64_t ns = (uint64_t)took_ns[cause];
    if (!ns && cause != RTOP_WORK_WHOLE) continue;
    add(&row->ended[cause], 1);
    add(&row->sum_ns[cause], ns);
    most(&row->longest_ns[cause], ns);
    if (row != &buffer->rest) count_time(buffer, label, cause, ns);
  }
}

static void find_shortest(struct work_longest *longest, uint32_t *shortest)
{
  uint32_t count = atomic_load_explicit(&longest->count, memory_order_relaxed);
  *shortest = 0;
  for (uint32_t i = 1; i < count; i++)
    if (longest->all[i].took_ns[RTOP_WORK_WHOLE] < longest->all[*shortest].took_ns[RTOP_WORK_WHOLE]) *shortest = i;
}

static uint32_t longest_room(const struct work_slow *slow)
{
  return slow->took_ns[RTOP_WORK_WHOLE] >= WORK_SHORT_NS ? WORK_SLOW_MAX : WORK_SHORT_MAX;
}

static bool is_among_longest(struct work_longest *longest, const struct work_slow *slow)
{
  return atomic_load_explicit(&longest->count, memory_order_relaxed) < longest_room(slow) ||
         slow->took_ns[RTOP_WORK_WHOLE] > atomic_load_explicit(&longest->shortest_ns, memory_order_relaxed);
}

/* Keeps the piece if it is among the longest of its window. Most pieces are too short, which costs one comparison. If
 * the lock stays busy for too long, the piece is only counted. */
static void note_longest(struct work_longest *longest, const struct work_slow *slow)
{
  int tries = LOCK_TRIES;
  if (!is_among_longest(longest, slow)) return;
  while (!trylock_take(&longest->lock))
    if (--tries == 0) return;
  uint32_t count = atomic_load_explicit(&longest->count, memory_order_relaxed), at = count;
  if (count >= longest_room(slow)) find_shortest(longest, &at);
  if (at == count || slow->took_ns[RTOP_WORK_WHOLE] > longest->all[at].took_ns[RTOP_WORK_WHOLE]) {
    longest->all[at] = *slow;
    if (at == count) atomic_store_explicit(&longest->count, count + 1, memory_order_relaxed);
    find_shortest(longest, &at);
    atomic_store_explicit(&longest->shortest_ns, longest->all[at].took_ns[RTOP_WORK_WHOLE], memory_order_relaxed);
  }
  trylock_release(&longest->lock);
}

void work_put_off(struct work *work, const struct work_slow *slow)
{
  struct work_buffer *buffer = &work->buffers[atomic_load(&work->open)];
  atomic_store_explicit(&buffer->used, true, memory_order_relaxed);
  note_longest(&buffer->longest, slow);
}

/* Adds an ended piece to the open buffer. work_take() hands out a buffer only when `writers` is 0. */
static void add_ended(struct work *work, const struct work_slow *piece)
{
  const int64_t *took_ns = piece->took_ns;
  uint32_t set = (uint32_t)(piece->labels >> 32), own = piece->labels & UINT16_MAX;
  atomic_fetch_add(&work->writers, 1);
  struct work_buffer *buffer = &work->buffers[atomic_load(&work->open)];
  atomic_store_explicit(&buffer->used, true, memory_order_relaxed);
  for (uint32_t i = 0; own >> i; i++) {
    uint32_t label = (set << 4 | i) + 1;
    if (own >> i & 1) add_piece(buffer, set ? row_of(buffer, label) : &buffer->rest, label, took_ns);
  }
  if (set) note_longest(&buffer->longest, piece);
  atomic_fetch_sub_explicit(&work->writers, 1, memory_order_release);
}

/* Limits the times by cause to the length of the piece; the remainder is running time. The causes can exceed the length
 * when frequent hooks use a coarse clock. */
static void divide(int64_t took_ns[RTOP_WORK_CAUSES])
{
  int64_t left = took_ns[RTOP_WORK_WHOLE];
  for (int cause = RTOP_WORK_GVL; cause < RTOP_WORK_CAUSES; cause++) {
    if (took_ns[cause] < 0) took_ns[cause] = 0;
    if (took_ns[cause] > left) took_ns[cause] = left;
    left -= took_ns[cause];
  }
  took_ns[RTOP_WORK_RUNNING] = left;
}

static void give_back(struct work *work, struct work_piece *piece)
{
  atomic_store_explicit(&piece->labels, 0, memory_order_relaxed);
  atomic_store_explicit(&piece->begin_ns, 0, memory_order_release);
  atomic_store_explicit(&work->hint, (uint32_t)(piece - work->pieces), memory_order_relaxed);
}

void work_end(struct sampler *sampler, uint64_t id, uint64_t outer)
{
  struct work *work = &sampler->work;
  struct work_piece *piece = piece_at(work, id);
  if (!piece) return;
  int64_t now = clock_now_ns(), begin = atomic_load_explicit(&piece->begin_ns, memory_order_relaxed);
  struct thread_data *data = calling_thread(sampler);
  uint64_t labels = atomic_load_explicit(&piece->labels, memory_order_relaxed);
  if (data && data->serial == piece->serial) {
    struct work_slow ended = { .labels = labels, .serial = data->serial, .end_ns = now };
    int64_t *took_ns = ended.took_ns;
    read_sums(data, &work->pieces[piece->outermost], took_ns);
    for (int cause = RTOP_WORK_GVL; cause < RTOP_WORK_CAUSES; cause++) took_ns[cause] -= piece->before_ns[cause];
    took_ns[RTOP_WORK_WHOLE] = now > begin ? now - begin : 0;
    divide(took_ns);
    if (labels & UINT16_MAX) add_ended(work, &ended);
    if (data->work_open) data->work_open--;
    data->work_piece = outer;
  }
  give_back(work, piece);
}

/* ---- fibers ------------------------------------------------------------------------------------------- */

static struct work_piece *outermost_of(struct work *work, const struct thread_data *data, uint64_t id)
{
  struct work_piece *piece = piece_at(work, id);
  return piece && piece->serial == data->serial ? &work->pieces[piece->outermost] : NULL;
}

void work_switch(struct sampler *sampler, struct thread_data *data, uint64_t id)
{
  struct work *work = &sampler->work;
  struct work_piece *left = outermost_of(work, data, data->work_piece), *next = outermost_of(work, data, id);
  data->work_piece = id;
  if (left == next) return;
  int64_t now = clock_now_ns();
  if (left) {
    left->left_at_ns = now;
    memcpy(left->left_ns, data->work_ns, sizeof left->left_ns);
  }
  if (!next || !next->left_at_ns) return;
  for (int cause = RTOP_WORK_GVL; cause < RTOP_WORK_CAUSES; cause++)
    if (cause != RTOP_WORK_FIBER) next->away_ns[cause] += data->work_ns[cause] - next->left_ns[cause];
  next->away_ns[RTOP_WORK_FIBER] += now - next->left_at_ns;
  next->left_at_ns = 0;
}

/* ---- causes of waits ---------------------------------------------------------------------------------- */

static enum rtop_work_cause cause_now(const struct sampler *sampler, const struct thread_data *data)
{
  VALUE frame;
  int line;
  switch (lock_waits_kind(data)) {
  case RTOP_LOCK_MUTEX:
  case RTOP_LOCK_MONITOR:
  case RTOP_LOCK_LOAD: return RTOP_WORK_LOCK;
  case RTOP_LOCK_QUEUE:
  case RTOP_LOCK_SIZED_QUEUE:
  case RTOP_LOCK_CONDITION: return RTOP_WORK_QUEUE;
  default: break; /* waits for the end of a thread are handled as waits in any other method */
  }
  if (rb_profile_frames(0, 1, &frame, &line) < 1) return RTOP_WORK_OTHER;
  return waits_cause(&sampler->frames.waits, frame);
}

void work_go_off(struct sampler *sampler, struct thread_data *data)
{
  if (data->work_open) data->work_cause = cause_now(sampler, data);
}

int64_t work_gc_until(const struct work *work, int64_t now_ns)
{
  int64_t word = atomic_load_explicit(&work->gc_word, memory_order_relaxed);
  return word & 1 ? now_ns - (word >> 1) : word >> 1;
}

void work_ready(struct sampler *sampler, struct thread_data *data, int64_t now_ns)
{
  data->work_gc_ns = work_gc_until(&sampler->work, now_ns);
}

void work_resumed(struct sampler *sampler, struct thread_data *data, int64_t off_ns, int64_t wait_ns, int64_t now_ns)
{
  if (!data->work_open) return;
  int64_t collected = wait_ns > 0 ? work_gc_until(&sampler->work, now_ns) - data->work_gc_ns : 0;
  if (collected > wait_ns) collected = wait_ns;
  if (collected < 0) collected = 0;
  if (off_ns > 0) data->work_ns[data->work_cause] += off_ns;
  data->work_ns[RTOP_WORK_GC_OTHERS] += collected;
  data->work_ns[RTOP_WORK_GVL] += wait_ns - collected;
}

void work_gc_enter(struct work *work, int64_t now_ns)
{
  atomic_store_explicit(&work->gc_word, (now_ns - work_gc_until(work, now_ns)) * 2 | 1, memory_order_relaxed);
}

void work_gc_leave(struct work *work, struct thread_data *data, int64_t ns, int64_t now_ns)
{
  atomic_store_explicit(&work->gc_word, work_gc_until(work, now_ns) * 2, memory_order_relaxed);
  data->work_ns[RTOP_WORK_GC] += ns;
}

/* ---- the publisher ------------------------------------------------------------------------------------ */

void work_drop(struct work *work)
{
  for (int i = 0; i < 2; i++) {
    struct work_buffer *buffer = work_take(work);
    if (buffer && atomic_load(&buffer->used)) memset(buffer, 0, sizeof *buffer);
  }
  atomic_store(&work->untimed, 0);
}

struct work_buffer *work_take(struct work *work)
{
  uint32_t full = atomic_load(&work->open);
  atomic_store(&work->open, 1 - full);
  for (int i = 0; i < TAKE_TRIES; i++) {
    if (atomic_load(&work->writers) == 0) return &work->buffers[full];
    sched_yield();
  }
  return NULL;
}
