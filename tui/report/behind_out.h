/* SPDX-License-Identifier: MIT */
/* Whom labelled work waits behind, as text and as JSON. Private to reports. */
#ifndef RTOP_TUI_BEHIND_OUT_H
#define RTOP_TUI_BEHIND_OUT_H

#include "report.h"
#include <jansson.h>
#include <stdio.h>

/* A line for each label that waits behind others for a good part of its time. */
void behind_write_text(const struct rtop_report *report, FILE *out, int columns);
/* The array of a label. */
json_t *behind_json(const struct rtop_report *report, const struct label_row *row);

#endif
