/* SPDX-License-Identifier: MIT */
/* Makes a request for an OTLP endpoint from pprof data, so both formats have the same content.
 *
 * Threads: no shared state.
 */
#ifndef RTOP_TUI_PUSH_OTLP_H
#define RTOP_TUI_PUSH_OTLP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct push_process;

/* Writes the request; `pprof` must be uncompressed. False: memory ran out. */
bool push_otlp_write(const struct push_process *process, const uint8_t *pprof, size_t bytes, FILE *out);
/* Returns the number of profiles that the endpoint reports as refused, 0 if it reports none; `why` gets
   the sanitised reason. */
uint64_t push_otlp_refused(const uint8_t *response, size_t bytes, char *why, size_t why_bytes);

#endif
