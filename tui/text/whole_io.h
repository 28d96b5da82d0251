/* SPDX-License-Identifier: MIT */
/* Complete reads and writes on files, pipes and sockets, whatever signals interrupt them. */
#ifndef RTOP_TUI_TEXT_WHOLE_IO_H
#define RTOP_TUI_TEXT_WHOLE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Milliseconds of CLOCK_MONOTONIC, which io_receive() compares with. */
/* Reads until `bytes` bytes have come, the end is reached, or the time is until_ms (0: no limit). Returns the number
   of bytes read. */
size_t io_receive(int fd, void *to, size_t bytes, int64_t until_ms);
/* Writes all of them, or returns false. */
bool io_send(int fd, const void *from, size_t bytes);

#endif
