/* SPDX-License-Identifier: MIT */
/* Writes the page to a temporary file beside the target, and renames it. */
#include "metrics_file.h"

#include "metrics_text.h"
#include "tui/export/export.h"
#include <sys/stat.h>

/* Returns the file mode by the umask, which can only be read by setting it; this is safe with a single thread. */
static mode_t file_mode(void)
{
  mode_t mask = umask(077);
  umask(mask);
  return 0644 & ~mask;
}

bool metrics_file_write(const struct metrics *metrics, const char *path)
{
  struct rtop_export_file file;
  if (!rtop_export_file_open(&file, path)) return false;
  bool fine = metrics_write(metrics, METRICS_PLAIN, file.stream) && fchmod(fileno(file.stream), file_mode()) == 0;
  return rtop_export_file_close(&file, fine) && fine;
}
