/* SPDX-License-Identifier: MIT */
/* A request for an OTLP endpoint, made of what was written for pprof: so both say the same.
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

/* `pprof` is not compressed. False: memory ran out. */
bool push_otlp_write(const struct push_process *process, const uint8_t *pprof, size_t bytes, FILE *out);
/* How many profiles the endpoint says that it refused, 0 when it says nothing; `why` is sanitised. */
uint64_t push_otlp_refused(const uint8_t *response, size_t bytes, char *why, size_t why_bytes);

#endif
