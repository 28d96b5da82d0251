/* SPDX-License-Identifier: MIT */
/* Reads and writes that do not stop half-way: on files, pipes and sockets, whatever signals arrive meanwhile. */
#ifndef RTOP_TUI_TEXT_WHOLE_IO_H
#define RTOP_TUI_TEXT_WHOLE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Milliseconds of CLOCK_MONOTONIC, which io_receive() compares with. */
/* Reads until it has `bytes`, the end is reached or it is until_ms (0: without limit). Returns how many it has. */
size_t io_receive(int fd, void *to, size_t bytes, int64_t until_ms);
/* Writes all of them, or returns false. */
bool io_send(int fd, const void *from, size_t bytes);

#endif
