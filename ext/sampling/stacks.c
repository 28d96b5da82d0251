/* SPDX-License-Identifier: MIT */
/* Walks stacks down the call tree, and chooses the pool of each thread. */
#include "stacks.h"

#include "ext/names/label_nodes.h"
#include "ext/names/own_objects.h"
#include "ext/base/trylock.h"
#include <stdatomic.h>
#include <string.h>

/* Tells whether this frame gets a node of its own below `node`. The level is at least the depth of the node. */
static bool kept(const struct sampler *sampler, uint32_t frame, uint32_t node, uint32_t level, uint32_t root)
{
  if (sampler->frames.entries[frame].excluded) return false;
  uint32_t above = root == RTOP_NODE_ROOT ? 0 : 1; /* the node of the labels is not a frame */
  return level < sampler->depth_max || sampler->tree.entries[node].depth < sampler->depth_max + above;
}

/* Chooses the pool of a thread by its outermost frame, the block that the thread began with. This frame is the same
 * wherever the thread is first sampled, so workers of one kind share a pool. */
static uint64_t pool_key(VALUE outermost)
{
  return ((uint64_t)outermost * UINT64_C(0x9E3779B97F4A7C15)) | 1;
}

static void choose_pool(struct sampler *sampler, struct thread_data *data, uint32_t depth)
{
  uint32_t pool = pools_find(&sampler->pools, pool_key(sampler->stack_frames[depth - 1]));
  if (!pool) return; /* There are too many pools, so the thread stays in its present one. */
  atomic_store_explicit(&data->pool, pool, memory_order_relaxed);
  atomic_store_explicit(&data->strata[STRATA_SHORT].epoch, axis_epoch(&sampler->pools.entries[pool].strata.short_axis),
                        memory_order_relaxed);
  for (int state = 0; state < RTOP_STATE_COUNT; state++)
    atomic_store_explicit(&data->lanes[state].epoch, axis_epoch(&sampler->pools.entries[pool].axes[state]),
                          memory_order_relaxed);
}

/* Names the pool after the outermost frame of a stack: the first such stack gives the name. Only the main thread has
 * several outermost frames, because libraries are loaded before the program itself (ruby -r). */
static void name_pool(struct sampler *sampler, const struct thread_data *data, VALUE outermost, uint32_t frame)
{
  uint32_t at = atomic_load_explicit(&data->pool, memory_order_relaxed);
  struct pool *pool = &sampler->pools.entries[at];
  if (atomic_load_explicit(&pool->frame, memory_order_relaxed) || at == 0) return;
  bool begins = data->is_main ? frames_is_main(&sampler->frames, frame)
                              : atomic_load_explicit(&pool->key, memory_order_relaxed) == pool_key(outermost);
  if (begins) atomic_store_explicit(&pool->frame, frame, memory_order_relaxed);
}

uint32_t sampler_root(struct sampler *sampler, const struct thread_data *data)
{
  return label_nodes_root(&sampler->labels, &sampler->frames, &sampler->tree,
                          atomic_load_explicit(&data->thread, memory_order_relaxed));
}

/* Returns a hash seed made of everything besides frames and lines that determines a stack's node. */
static uint64_t seed_of(const struct sampler *sampler, uint32_t root, bool cut)
{
  uint64_t generation = atomic_load_explicit(&sampler->frames.generation, memory_order_relaxed);
  uint64_t limit = (uint64_t)sampler->depth_max * UINT64_C(0xD6E8FEB86659FD93);
  return (generation << 33 | (uint64_t)cut << 32 | root) + limit;
}

/* Returns the first level of the stack that is not in the cache, and in *node the node of the levels before it. */
static uint32_t known_levels(struct sampler *sampler, const struct stack_hashes *hashes, uint32_t depth, uint32_t *node)
{
  for (uint32_t step = depth ? (depth - 1) / STACK_CACHE_STEP : 0; step > 0; step--)
    if (stack_cache_find(&sampler->known, hashes->steps[step - 1], node)) return step * STACK_CACHE_STEP;
  return 0;
}

/* Returns the number of a frame in the stack buffers; FRAMES_UNKNOWN when the frame has no name yet. A job may ask the
 * VM for the name. */
static uint32_t frame_of(struct sampler *sampler, const struct thread_data *data, VALUE value, bool in_job)
{
  uint32_t frame = frames_find(&sampler->frames, value);
  if (frame != FRAMES_UNKNOWN || (in_job && own_objects_allowed())) return frame;
  bool peeks = data->main_ractor && !atomic_load(&sampler->ractors_seen);
  return peeks ? frames_peek(&sampler->frames, value) : frame;
}

/* Remembers the node of a stack, unless the call tree overflowed during the walk: then each such stack must count as
 * overflowed again. */
static void remember(struct sampler *sampler, uint64_t hash, uint32_t node, uint64_t overflowed)
{
  if (atomic_load_explicit(&sampler->tree.overflowed, memory_order_relaxed) == overflowed)
    stack_cache_set(&sampler->known, hash, node);
}

/* Walks the stack down the call tree. Returns SAMPLER_NO_STACK when a frame has no name yet, the root when all frames
 * are excluded. */
static uint32_t walk(struct sampler *sampler, struct thread_data *data, int frames, uint32_t root, VALUE *unknown)
{
  uint32_t depth = (uint32_t)frames, node;
  bool cut = frames == SAMPLER_STACK_MAX;
  struct stack_hashes hashes;
  if (depth && !atomic_load_explicit(&data->pool, memory_order_relaxed)) choose_pool(sampler, data, depth);
  stack_cache_hash(&hashes, seed_of(sampler, root, cut), sampler->stack_frames, sampler->stack_lines, depth);
  if (stack_cache_find(&sampler->known, hashes.whole, &node)) return node;
  uint64_t overflowed = atomic_load_explicit(&sampler->tree.overflowed, memory_order_relaxed);
  uint32_t level = known_levels(sampler, &hashes, depth, &node);
  if (level == 0) node = cut ? calltree_child(&sampler->tree, root, FRAMES_TRUNCATED, 0) : root;
  for (; level < depth; level++) {
    VALUE value = sampler->stack_frames[depth - 1 - level];
    int line = sampler->stack_lines[depth - 1 - level];
    uint32_t frame = frame_of(sampler, data, value, unknown != NULL);
    if (level && level % STACK_CACHE_STEP == 0)
      remember(sampler, hashes.steps[level / STACK_CACHE_STEP - 1], node, overflowed);
    if (frame == FRAMES_UNKNOWN) {
      if (unknown) *unknown = value;
      return SAMPLER_NO_STACK;
    }
    bool is_c = sampler->frames.entries[frame].kind == RTOP_FRAME_C;
    if (level == 0 && !cut && !sampler->frames.entries[frame].excluded) name_pool(sampler, data, value, frame);
    if (kept(sampler, frame, node, level, root))
      node = calltree_child(&sampler->tree, node, frame, line > 0 && !is_c ? (uint32_t)line : 0);
  }
  remember(sampler, hashes.whole, node, overflowed);
  return node;
}

uint32_t sampler_walk(struct sampler *sampler, struct thread_data *data, int frames, uint32_t root, VALUE *unknown)
{
  uint32_t node = walk(sampler, data, frames, root, unknown);
  return node == RTOP_NODE_ROOT ? calltree_child(&sampler->tree, node, FRAMES_EXCLUDED, 0) : node;
}

uint32_t sampler_stack(struct sampler *sampler, struct thread_data *data, VALUE *unknown)
{
  int depth = rb_profile_frames(0, SAMPLER_STACK_MAX, sampler->stack_frames, sampler->stack_lines);
  sampler->stack_depth = depth;
  if (depth <= 0) return RTOP_NODE_NO_FRAMES;
  /* JIT code keeps no program counter for the innermost frame; the VM can still find its line. */
  if (sampler->stack_lines[0] == 0) sampler->stack_lines[0] = rb_sourceline();
  uint32_t node = sampler_walk(sampler, data, depth, sampler_root(sampler, data), unknown);
  if (node != SAMPLER_NO_STACK) sampler_count(&sampler->counters.samples, 1);
  return node;
}

uint32_t sampler_named_stack(struct sampler *sampler, void *what,
                             uint32_t (*stack)(struct sampler *sampler, void *what, VALUE *unknown))
{
  for (int budget = FRAMES_ADD_PER_JOB; budget > 0; budget--) {
    if (!trylock_take(&sampler->lock)) return SAMPLER_NO_LOCK;
    VALUE unknown = 0;
    uint32_t node = stack(sampler, what, &unknown);
    if (node != SAMPLER_NO_STACK) return node;
    trylock_release(&sampler->lock);
    if (!unknown || !frames_add(&sampler->frames, unknown)) break;
  }
  return SAMPLER_NO_STACK;
}

static uint32_t walk_noted(struct sampler *sampler, void *what, VALUE *unknown)
{
  static struct thread_data nobody = { .pool = 1, .main_ractor = true }; /* used only under the lock */
  const struct raw_stack *noted = what;
  memcpy(sampler->stack_frames, noted->frames, noted->depth * sizeof *noted->frames);
  memcpy(sampler->stack_lines, noted->lines, noted->depth * sizeof *noted->lines);
  uint32_t root = label_nodes_of(&sampler->labels, &sampler->frames, &sampler->tree, noted->label_set);
  return sampler_walk(sampler, &nobody, (int)noted->depth, root, unknown);
}

bool sampler_name_noted(struct sampler *sampler, struct raw_stack *noted, uint32_t *node)
{
  *node = RTOP_NODE_ROOT;
  if (noted->depth == 0 || calltree_count(&sampler->tree) >= sampler->tree.capacity / 4 * 3) return true;
  uint32_t found = sampler_named_stack(sampler, noted, walk_noted);
  if (sampler_has_stack(found)) {
    trylock_release(&sampler->lock);
    *node = found;
  }
  return found != SAMPLER_NO_LOCK;
}
