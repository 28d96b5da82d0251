/* SPDX-License-Identifier: MIT */
/* The version of all programs and libraries in this tree. */
#ifndef RTOP_SHM_VERSION_H
#define RTOP_SHM_VERSION_H

#define RPERF_TOP_VERSION "0.9.0"

#endif
