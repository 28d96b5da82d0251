/* SPDX-License-Identifier: MIT */
/* Reserves, fills and publishes a record in the ring; reads one and checks that it was not overwritten meanwhile. */
#include "ring.h"
#include "atomics.h"
#include "outlet.h"

#include <stdbool.h>

static uint64_t ring_round_up(uint64_t bytes)
{
  return (bytes + RTOP_RECORD_ALIGN - 1) & ~(uint64_t)(RTOP_RECORD_ALIGN - 1);
}

static uint32_t ring_crc(const struct rtop_ring *ring, const struct rtop_slot *slot, const void *payload)
{
  struct rtop_slot signed_slot = *slot;
  signed_slot.crc32c = 0;
  uint32_t crc = rtop_crc32c(0, ring->instance_id, 16);
  crc = rtop_crc32c(crc, &signed_slot, sizeof signed_slot);
  return rtop_crc32c(crc, payload, slot->stored_bytes);
}

uint32_t rtop_ring_payload_max(const struct rtop_ring *ring)
{
  uint64_t eighth = ring->capacity / 8;
  return eighth < RTOP_WINDOW_RAW_BYTES_MAX ? (uint32_t)eighth : RTOP_WINDOW_RAW_BYTES_MAX;
}

/* Returns the position for a payload, which never wraps: in the present lap if the payload fits and blocks can be
 * allocated, else at the start of the next lap. So a full file system only shortens the history. */
static uint64_t ring_place(const struct rtop_ring *ring, uint64_t bytes)
{
  uint64_t mask = ring->capacity - 1;
  uint64_t position = ring->next_position;
  if ((position & mask) + bytes > ring->capacity ||
      !outlet_reserve(ring->outlet, ring->bytes + (position & mask), bytes))
    position = (position | mask) + 1;
  return position;
}

uint64_t rtop_ring_publish(struct rtop_ring *ring, struct rtop_slot *slot, const void *payload)
{
  if (slot->stored_bytes > rtop_ring_payload_max(ring)) return 0;
  uint64_t bytes = ring_round_up(slot->stored_bytes);
  slot->position = ring_place(ring, bytes);
  slot->sequence = ring->last_sequence + 1;
  slot->crc32c = ring_crc(ring, slot, payload);
  ring->last_sequence = slot->sequence;
  ring->next_position = slot->position + bytes;

  struct rtop_counters *counters = ring->counters;
  struct outlet *outlet = ring->outlet;
  const uint64_t intent[2] = { ring->next_position, slot->sequence };
  outlet_store(outlet, &counters->intent_position, intent, sizeof intent); /* W1 */
  outlet_fence(outlet);                                                    /* W2, pairs with R2 and R4 */
  outlet_store(outlet, ring->bytes + (slot->position & (ring->capacity - 1)), payload, slot->stored_bytes);
  outlet_store(outlet, &ring->slots[slot->sequence & (ring->slot_count - 1)], slot, sizeof *slot);
  outlet_release(outlet, &counters->head_sequence, slot->sequence); /* W4, pairs with R1 */
  return outlet_failed(outlet) ? 0 : slot->sequence;
}

uint64_t rtop_ring_newest(const struct rtop_ring *ring)
{
  return rtop_load_acquire(&ring->counters->head_sequence);
}

/* Returns the oldest intact window. Positions grow with sequences, so a binary search finds this window. */
uint64_t rtop_ring_oldest(const struct rtop_ring *ring)
{
  uint64_t newest = rtop_ring_newest(ring);
  if (newest == 0) return 0;
  uint64_t low = newest >= ring->slot_count ? newest - ring->slot_count + 1 : 1;
  uint64_t high = newest;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    struct rtop_slot slot;
    if (rtop_ring_read_slot(ring, middle, &slot) == RTOP_OK) high = middle;
    else low = middle + 1;
  }
  return low;
}

/* R3: rejects a slot that points outside the ring or is larger than any writer makes. */
static bool ring_slot_plausible(const struct rtop_ring *ring, const struct rtop_slot *slot, uint64_t sequence)
{
  uint64_t offset = slot->position & (ring->capacity - 1);
  if (slot->sequence != sequence || slot->position % RTOP_RECORD_ALIGN != 0) return false;
  if (slot->stored_bytes > rtop_ring_payload_max(ring) || slot->stored_bytes > ring->capacity - offset) return false;
  if (slot->raw_bytes > RTOP_WINDOW_RAW_BYTES_MAX || slot->stored_bytes > slot->raw_bytes) return false;
  if (slot->codec > RTOP_CODEC_LZ4 || (slot->codec == RTOP_CODEC_RAW && slot->raw_bytes != slot->stored_bytes))
    return false;
  return slot->start_mono_ns >= 0 && slot->end_mono_ns >= slot->start_mono_ns;
}

static bool ring_position_lost(const struct rtop_ring *ring, uint64_t position)
{
  return rtop_load_relaxed(&ring->counters->intent_position) - position > ring->capacity;
}

enum rtop_result rtop_ring_read_slot(const struct rtop_ring *ring, uint64_t sequence, struct rtop_slot *slot)
{
  struct rtop_counters *counters = ring->counters;
  uint64_t head = rtop_load_acquire(&counters->head_sequence); /* R1, pairs with W4 */
  if (sequence > head) return RTOP_NONE_YET;
  if (sequence == 0 || head - sequence >= ring->slot_count) return RTOP_LOST;
  rtop_copy_from_shared(slot, &ring->slots[sequence & (ring->slot_count - 1)], sizeof *slot);
  rtop_fence_acquire(); /* R2, pairs with W2 */
  if (rtop_load_relaxed(&counters->intent_sequence) - sequence >= ring->slot_count) return RTOP_LOST;
  if (!ring_slot_plausible(ring, slot, sequence)) return RTOP_CORRUPT;
  return ring_position_lost(ring, slot->position) ? RTOP_LOST : RTOP_OK;
}

enum rtop_result rtop_ring_read(const struct rtop_ring *ring, uint64_t sequence, struct rtop_slot *slot, void *payload,
                                size_t payload_bytes)
{
  enum rtop_result result = rtop_ring_read_slot(ring, sequence, slot);
  if (result != RTOP_OK) return result;
  if (slot->stored_bytes > payload_bytes) return RTOP_CORRUPT;
  rtop_copy_from_shared(payload, ring->bytes + (slot->position & (ring->capacity - 1)), slot->stored_bytes);
  rtop_fence_acquire(); /* R4, pairs with W2 */
  if (ring_position_lost(ring, slot->position)) return RTOP_LOST;
  return ring_crc(ring, slot, payload) == slot->crc32c ? RTOP_OK : RTOP_CORRUPT;
}
