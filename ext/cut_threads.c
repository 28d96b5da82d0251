#include "cut_threads.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct thread_data *thread_at(const struct cut *cut, uint32_t index)
{
  return atomic_load_explicit(&cut->sampler->threads.table[index], memory_order_acquire);
}

static uint32_t high(const struct cut *cut)
{
  return atomic_load_explicit(&cut->sampler->threads.high, memory_order_acquire);
}

void cut_threads_note_ended(struct cut *cut)
{
  for (uint32_t index = 0; index < high(cut); index++) {
    struct thread_data *data = thread_at(cut, index);
    if (data && atomic_load_explicit(&data->ended, memory_order_acquire)) data->last_window = true;
  }
}

uint32_t cut_threads_window_index(const struct cut *cut, uint32_t registry_index)
{
  const struct thread_data *data = thread_at(cut, registry_index);
  return data && data->window_index < cut->window.thread_count ? data->window_index : 0;
}

/* ---- the thread in the segment ------------------------------------------------------------------ */

/* Until Ruby code told a name, the kernel's: Ruby puts the first line of the thread's block there. */
static size_t kernel_name(uint32_t native_id, char *name, size_t bytes)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%u/comm", native_id);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t count = read(fd, name, bytes);
  close(fd);
  if (count > 0 && name[count - 1] == '\n') count--;
  return count > 0 ? (size_t)count : 0;
}

static size_t current_name(const struct thread_data *data, uint32_t native_id, char *name)
{
  size_t count = data->name_bytes;
  if (count > 0 && count <= THREADS_NAME_MAX) {
    memcpy(name, data->name, count);
    return count;
  }
  if (data->is_main) {
    static const char main_name[] = { 'm', 'a', 'i', 'n' };
    memcpy(name, main_name, sizeof main_name);
    return sizeof main_name;
  }
  return native_id ? kernel_name(native_id, name, THREADS_NAME_MAX) : 0;
}

static void publish_thread(struct cut *cut, struct thread_data *data)
{
  char name[THREADS_NAME_MAX];
  uint32_t native_id = atomic_load_explicit(&data->native_id, memory_order_acquire);
  uint64_t version = atomic_load_explicit(&data->name_version, memory_order_acquire);
  if (data->in_segment && version == data->name_published && native_id == data->native_published) return;
  size_t bytes = current_name(data, native_id, name);
  if (!data->in_segment) {
    data->slot = rtop_writer_thread_start(cut->writer, data->serial, native_id, data->start_ns,
                                          data->is_main ? RTOP_THREAD_MAIN : 0, name, bytes);
    data->in_segment = true;
  }
  else {
    if (native_id != data->native_published)
      rtop_writer_thread_native_id(cut->writer, data->slot, data->serial, native_id);
    rtop_writer_thread_name(cut->writer, data->slot, data->serial, name, bytes);
  }
  data->name_published = version;
  data->native_published = native_id;
}

/* ---- charging ----------------------------------------------------------------------------------- */

/* CPU that a blocked thread burnt off the GVL since its clock was read last, at most `limit_ns`. */
static int64_t take_blocked_cpu(struct thread_data *data, int64_t limit_ns)
{
  if (!atomic_load_explicit(&data->native_id, memory_order_acquire) || data->native_shared) return 0;
  int64_t taken = atomic_load_explicit(&data->cpu_taken_ns, memory_order_relaxed);
  int64_t used = clock_read_ns(data->cpu_clock) - atomic_load(&data->cpu_read_ns) - taken;
  if (used <= 0) return 0;
  if (used > limit_ns) used = limit_ns;
  atomic_store_explicit(&data->cpu_taken_ns, taken + used, memory_order_relaxed);
  return used;
}

/* Charges a stretch that ended at end_ns: late when it began before this window. */
static void charge_stretch(struct cut *cut, struct cells *cells, const struct rtop_cell *cell, int64_t end_ns,
                           bool late)
{
  int64_t start = end_ns - (int64_t)cell->wall_ns;
  if (cell->wall_ns == 0) return;
  late = late || start < cut->window.start_mono_ns;
  if (!late || !cells_add_late(cells, start, cell)) cells_add(cells, cell);
}

/* A thread whose stack is known while it is off the GVL: its time up to the cut is the publisher's. */
static bool charge_off_gvl(struct cut *cut, struct thread_data *data, struct cells *cells, uint64_t word)
{
  int64_t end = cut->window.end_mono_ns;
  struct rtop_cell cell = {
    .node = atomic_load_explicit(&data->node, memory_order_acquire), .thread = data->index,
    .state = threads_state(word),
  };
  if (!atomic_compare_exchange_strong(&data->word, &word, threads_pack(end, threads_state(word)))) return false;
  /* Its stack may have become known only after it had been shown as provisional. */
  bool late = atomic_exchange(&data->provisional, false);
  cell.wall_ns = (uint64_t)(end - threads_since_ns(word));
  if (cell.state == RTOP_BLOCKED) cell.cpu_ns = (uint64_t)take_blocked_cpu(data, (int64_t)cell.wall_ns);
  charge_stretch(cut, cells, &cell, end, late);
  if (cell.state != RTOP_WAITING) return true;
  struct rtop_cell blocked = { .node = cell.node, .thread = data->index, .state = RTOP_BLOCKED };
  blocked.wall_ns = (uint64_t)atomic_exchange_explicit(&data->off_blocked_ns, 0, memory_order_acquire);
  charge_stretch(cut, cells, &blocked, atomic_load_explicit(&data->ready_ns, memory_order_relaxed), late);
  return true;
}

/* Shows an open stretch as provisional. The flag is set before the word is looked at again: either the
 * thread sees the flag, or this sees that the thread has moved on. */
static bool note_provisional(struct thread_data *data, uint64_t word)
{
  atomic_store(&data->provisional, true);
  return atomic_load(&data->word) == word;
}

static void charge_open(struct cut *cut, struct thread_data *data, struct cells *cells,
                        struct rtop_window_thread *row)
{
  int64_t end = cut->window.end_mono_ns;
  for (int tries = 0; tries < 8; tries++) {
    uint64_t word = atomic_load(&data->word);
    int64_t since = threads_since_ns(word);
    enum rtop_thread_state state = threads_state(word);
    row->state = state;
    if (since >= end) return;
    bool off = state == RTOP_WAITING || state == RTOP_BLOCKED;
    if (off && atomic_load_explicit(&data->stack_known, memory_order_acquire)) {
      if (charge_off_gvl(cut, data, cells, word)) return;
      continue;
    }
    int64_t period = atomic_load(off ? &cut->sampler->off_period_ns : &cut->sampler->period_ns);
    if (end - since <= 2 * period) return;   /* will be handed in soon */
    if (!note_provisional(data, word)) continue;
    int64_t start = since > cut->window.start_mono_ns ? since : cut->window.start_mono_ns;
    row->flags |= RTOP_WINDOW_THREAD_PROVISIONAL;
    row->provisional_ns = (uint64_t)(end - start);
    return;
  }
}

/* What an ended thread left unattributed. */
static void charge_rest(struct cut *cut, struct thread_data *data, struct cells *cells)
{
  cut->rest_cost_ns += (uint64_t)data->own_cpu_ns;
  sampler_charge_own(cut->sampler, cells, data);
  uint32_t off_node = data->off_node ? data->off_node : RTOP_NODE_UNSAMPLED;
  uint32_t running_node = data->sampled ? data->running_node : RTOP_NODE_UNSAMPLED;
  for (int state = 0; state < RTOP_STATE_COUNT; state++) {
    struct rtop_cell cell = {
      .thread = data->index, .state = (uint32_t)state,
      .node = state == RTOP_WAITING || state == RTOP_BLOCKED ? off_node : running_node,
      .wall_ns = data->pending[state].wall_ns > 0 ? (uint64_t)data->pending[state].wall_ns : 0,
      .cpu_ns = data->pending[state].cpu_ns > 0 ? (uint64_t)data->pending[state].cpu_ns : 0,
    };
    if (state == RTOP_RUNNING) {
      cell.allocations = data->allocations;
      cell.blame_ns = (uint64_t)data->blame_ns;
    }
    if (cell.cpu_ns > cell.wall_ns) cell.cpu_ns = cell.wall_ns;
    if (cell.wall_ns || cell.allocations || cell.blame_ns) cells_add(cells, &cell);
  }
}

static void add_releases(struct cut *cut, struct thread_data *data)
{
  uint64_t releases = atomic_load_explicit(&data->releases, memory_order_relaxed);
  uint64_t coarse = atomic_load_explicit(&data->coarse_releases, memory_order_relaxed);
  cut->releases += releases - data->releases_seen;
  cut->coarse_releases += coarse - data->coarse_releases_seen;
  data->releases_seen = releases;
  data->coarse_releases_seen = coarse;
}

static bool charge_thread(struct cut *cut, struct thread_data *data, struct cells *cells)
{
  struct rtop_window_thread *row = rtop_window_add_thread(&cut->window);
  if (!row) return false;
  data->window_index = (uint32_t)cut->window.thread_count - 1;
  publish_thread(cut, data);
  add_releases(cut, data);
  *row = (struct rtop_window_thread){ .slot = data->slot, .serial = data->serial };
  if (data->start_ns >= cut->window.start_mono_ns) row->flags |= RTOP_WINDOW_THREAD_STARTED;
  if (data->last_window) {
    row->state = RTOP_BLOCKED;
    row->flags |= RTOP_WINDOW_THREAD_ENDED;
    charge_rest(cut, data, cells);
    rtop_writer_thread_end(cut->writer, data->slot, data->serial, data->end_ns);
  }
  else {
    charge_open(cut, data, cells, row);
  }
  row->node = atomic_load_explicit(&data->node, memory_order_acquire);
  int64_t age = cut->window.end_mono_ns - atomic_load_explicit(&data->state_since_ns, memory_order_relaxed);
  row->state_age_ns = age > 0 ? (uint64_t)age : 0;
  return true;
}

void cut_threads_forget_slots(struct cut *cut)
{
  for (uint32_t index = 0; index < high(cut); index++) {
    struct thread_data *data = thread_at(cut, index);
    if (data) data->in_segment = false;
  }
}

void cut_threads_end_slots(struct cut *cut, int64_t now_ns)
{
  for (uint32_t index = 0; index < high(cut); index++) {
    struct thread_data *data = thread_at(cut, index);
    if (data && data->in_segment) rtop_writer_thread_end(cut->writer, data->slot, data->serial, now_ns);
  }
  cut_threads_forget_slots(cut);
}

/* While the hooks are off nothing is known of threads: what the table holds is from before. */
bool cut_threads_charge(struct cut *cut, struct cells *cells)
{
  if (!atomic_load(&cut->sampler->active)) return true;
  for (uint32_t index = 0; index < high(cut); index++) {
    struct thread_data *data = thread_at(cut, index);
    if (data && !charge_thread(cut, data, cells)) return false;
  }
  return true;
}

void cut_threads_update_nodes(struct cut *cut)
{
  for (size_t i = 0; i < cut->window.thread_count; i++) {
    struct rtop_window_thread *row = &cut->window.threads[i];
    row->node = names_out_known(cut->names, &cut->sampler->tree, row->node);
  }
}

void cut_threads_remove_ended(struct cut *cut)
{
  for (uint32_t index = 0; index < high(cut); index++) {
    struct thread_data *data = thread_at(cut, index);
    if (data && data->last_window) threads_remove(&cut->sampler->threads, data);
  }
}
