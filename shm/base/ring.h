/* SPDX-License-Identifier: MIT */
/* Directory and ring of windows: one writer, any number of readers. The oldest window is overwritten, and neither side
 * ever waits. The code works on memory of the caller, without files, so that tests can use plain arrays. A process that
 * is observed writes through an outlet (outlet.h): the same steps, each a pwrite, with a full barrier for W2.
 *
 * Writing window s with payload [p, e), e = p + stored bytes rounded up to RTOP_RECORD_ALIGN:
 *   W1 intent_position = e, intent_sequence = s        relaxed
 *   W2 release fence                                    pairs with R2 and R4
 *   W3 payload words, slot words                        relaxed
 *   W4 head_sequence = s                                release, pairs with R1 (left out when W3 failed)
 * Reading window q:
 *   R1 head_sequence                                    acquire; require 0 < q <= head, head - q < slots
 *   R2 copy slot (relaxed), acquire fence, intent_sequence; require intent - q < slots
 *   R3 bound every field of the copy
 *   R4 copy payload (relaxed), acquire fence, intent_position; require intent - p <= capacity
 *   R5 CRC, then decode the private copy
 * Why it holds: a load in R2 or R4 that saw a word of a later W3 makes that writer's W2 synchronize with the acquire
 * fence behind it, so W1 is visible to the check. Positions are compared by unsigned difference only. (The protocol of
 * Aeron's broadcast buffer, with the directory out of band.)
 */
#ifndef RTOP_SHM_RING_H
#define RTOP_SHM_RING_H

#include "format.h"
#include <stddef.h>
#include <stdint.h>

enum rtop_result {
  RTOP_OK = 0,
  RTOP_NONE_YET, /* the window is not published yet */
  RTOP_LOST,     /* the window was overwritten */
  RTOP_CORRUPT,  /* the content is invalid, or the file was truncated or removed */
  RTOP_ENDED,    /* the process ended the channel; no more windows follow */
  RTOP_DEAD,     /* the process died without ending the channel; no more windows follow */
};

struct outlet;

/* A ring in borrowed memory; capacities are powers of two, checked by the owner. */
struct rtop_ring {
  struct rtop_counters *counters;
  struct rtop_slot *slots;
  unsigned char *bytes;
  uint64_t slot_count;
  uint64_t capacity;
  const uint8_t *instance_id; /* 16 bytes, included in the CRC */
  struct outlet *outlet;      /* outlet through which the writer stores; NULL: directly into memory */
  /* last_sequence and next_position: the writer's own cursors, which begin at 0 and are never read from the segment */
  uint64_t last_sequence;
  uint64_t next_position; /* position of the next payload; readers do not use the two cursors */
};

/* Returns the size of the largest payload: an eighth of the ring, so that a single window cannot overwrite what a
 * reader near the head reads; at most RTOP_WINDOW_RAW_BYTES_MAX. */
uint32_t rtop_ring_payload_max(const struct rtop_ring *ring);

/* For the writer: publishes a window. The caller sets start, end, stored_bytes, raw_bytes, codec and counts of `slot`;
 * this function sets the other fields. Returns the sequence, or 0 when the payload exceeds rtop_ring_payload_max()
 * (nothing is written) or the outlet failed. Never waits for a reader, never allocates. */
uint64_t rtop_ring_publish(struct rtop_ring *ring, struct rtop_slot *slot, const void *payload);

/* For readers: newest and oldest sequence that can be read; both 0 when there is none. The oldest may be overwritten
 * before it is read. */
uint64_t rtop_ring_newest(const struct rtop_ring *ring);
uint64_t rtop_ring_oldest(const struct rtop_ring *ring);

/* For readers: copies slot and stored payload of a window; `payload` has room for payload_bytes. Returns OK,
 * NONE_YET, LOST or CORRUPT; *slot and payload are valid only after OK. */
enum rtop_result rtop_ring_read(const struct rtop_ring *ring, uint64_t sequence, struct rtop_slot *slot, void *payload,
                                size_t payload_bytes);

/* For readers: copies only the slot (R1 to R3, no CRC), for searches by time. */
enum rtop_result rtop_ring_read_slot(const struct rtop_ring *ring, uint64_t sequence, struct rtop_slot *slot);

/* CRC-32C (Castagnoli), as in RFC 3720; start with crc = 0. */
uint32_t rtop_crc32c(uint32_t crc, const void *bytes, size_t count);

#endif
