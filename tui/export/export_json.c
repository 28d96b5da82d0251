/* SPDX-License-Identifier: MIT */
/* JSON strings, for formats that are printed piece by piece. */
#include "export_impl.h"

#include <jansson.h>

void export_json_text(FILE *out, const char *text)
{
  json_t *string = json_string(text);
  if (!string || json_dumpf(string, out, JSON_ENCODE_ANY) != 0) fputs("\"\"", out);
  json_decref(string);
}

void export_json_key_text(FILE *out, bool first, const char *key, const char *text)
{
  fputs(first ? "" : ",", out);
  export_json_text(out, key);
  fputc(':', out);
  export_json_text(out, text);
}
