/* SPDX-License-Identifier: MIT */
/* Reads and writes points in time. */
#include "time_text.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const int64_t second_ns = INT64_C(1000000000);
static const char not_understood[] = "a time is 14:31:52, -90s, +5, start, end, or 2026-11-20T14:31:52";

/* Parses seconds: digits, optionally a dot with digits. False: there is no number. */
static bool take_number(const char **text, double *number)
{
  char *end;
  if (!isdigit((unsigned char)**text)) return false;
  *number = strtod(*text, &end);
  bool plain = strspn(*text, "0123456789.") == (size_t)(end - *text);
  *text = end;
  return plain && *number < 1e10;
}

/* Parses a length such as "90", "90s", "1h30m" or "1m30.5s"; stops at other text. */
static bool take_length(const char **text, int64_t *length_ns)
{
  double seconds = 0, number;
  bool any = false;
  while (take_number(text, &number)) {
    static const char units[] = "smhd";
    static const double factor[] = { 1, 60, 3600, 86400 };
    const char *unit = **text != '\0' ? strchr(units, **text) : NULL;
    seconds += number * (unit != NULL ? factor[unit - units] : 1);
    *text += unit != NULL;
    any = true;
    if (unit == NULL) break;
  }
  *length_ns = seconds < 9e9 ? (int64_t)(seconds * 1e9 + 0.5) : 0;
  return any && seconds < 9e9;
}

struct clock_text {
  int hour, minute;
  double second;
};

static bool take_clock(const char **text, struct clock_text *clock)
{
  int used = 0;
  *clock = (struct clock_text){ 0 };
  if (!isdigit((unsigned char)**text) || sscanf(*text, "%2d:%2d%n", &clock->hour, &clock->minute, &used) != 2 ||
      used < 3)
    return false;
  *text += used;
  if (**text == ':') {
    (*text)++;
    if (!take_number(text, &clock->second)) return false;
  }
  return clock->hour < 24 && clock->minute >= 0 && clock->minute < 60 && clock->second < 61;
}

static int64_t with_fraction(time_t whole, double second)
{
  double fraction = second - (double)(int)second;
  return (int64_t)whole * second_ns + (int64_t)(fraction * 1e9 + 0.5);
}

static bool of_parts(struct tm *parts, const struct clock_text *clock, bool utc, int64_t *time_ns)
{
  parts->tm_hour = clock->hour;
  parts->tm_min = clock->minute;
  parts->tm_sec = (int)clock->second;
  parts->tm_isdst = -1;
  struct tm made = *parts;
  time_t whole = utc ? timegm(&made) : mktime(&made);
  *time_ns = with_fraction(whole, clock->second);
  return whole != (time_t)-1;
}

/* Finds a time of today, or of yesterday if that of today is later than all data held. */
static bool of_day(const struct clock_text *clock, const struct time_base *base, int64_t *time_ns)
{
  struct tm parts;
  time_t end = (time_t)(base->end_ns / second_ns);
  if (localtime_r(&end, &parts) == NULL || !of_parts(&parts, clock, false, time_ns)) return false;
  if (*time_ns > base->end_ns + 60 * second_ns) {
    parts.tm_mday--;
    return of_parts(&parts, clock, false, time_ns);
  }
  return true;
}

/* Parses a zone: "Z", "+01:00", "-0530", into seconds east of Greenwich. */
static bool take_zone(const char **text, bool *there, int *east_seconds)
{
  int hours = 0, minutes = 0, used = 0;
  *there = **text != '\0';
  *east_seconds = 0;
  if (**text == 'Z' || **text == 'z') {
    (*text)++;
  } else if (**text == '+' || **text == '-') {
    int sign = *(*text)++ == '-' ? -1 : 1;
    if (!isdigit((unsigned char)**text) || (sscanf(*text, "%2d:%2d%n", &hours, &minutes, &used) != 2 &&
                                            sscanf(*text, "%2d%2d%n", &hours, &minutes, &used) != 2))
      return false;
    *text += used;
    *east_seconds = sign * (hours * 3600 + minutes * 60);
  }
  return true;
}

static bool of_date(const char **text, int64_t *time_ns)
{
  struct tm parts = { 0 };
  struct clock_text clock = { 0 };
  int used = 0, east_seconds;
  bool zone;
  if (sscanf(*text, "%4d-%2d-%2d%n", &parts.tm_year, &parts.tm_mon, &parts.tm_mday, &used) != 3) return false;
  *text += used;
  if ((**text == 'T' || **text == 't' || **text == ' ') && (*text)[1] != '\0') {
    (*text)++;
    if (!take_clock(text, &clock)) return false;
  }
  if (parts.tm_year < 1970 || parts.tm_year > 9999 || parts.tm_mon < 1 || parts.tm_mon > 12 || parts.tm_mday < 1 ||
      parts.tm_mday > 31 || !take_zone(text, &zone, &east_seconds))
    return false;
  parts.tm_year -= 1900;
  parts.tm_mon--;
  bool fine = of_parts(&parts, &clock, zone, time_ns);
  *time_ns -= (int64_t)east_seconds * second_ns;
  return fine;
}

static bool parse(const char **text, const struct time_base *base, int64_t *time_ns)
{
  struct clock_text clock;
  if (**text == '-' || **text == '+') {
    int64_t length_ns;
    bool back = *(*text)++ == '-';
    bool fine = take_length(text, &length_ns);
    *time_ns = base->cursor_ns + (back ? -length_ns : length_ns);
    return fine;
  }
  if (strlen(*text) > 4 && (*text)[4] == '-') return of_date(text, time_ns);
  return take_clock(text, &clock) && of_day(&clock, base, time_ns);
}

const char *time_text_parse(const char *text, const struct time_base *base, int64_t *time_ns)
{
  char line[64];
  text += strspn(text, " ");
  snprintf(line, sizeof line, "%s", text);
  for (size_t end = strlen(line); end > 0 && line[end - 1] == ' '; end--) line[end - 1] = '\0';
  const char *at = line;
  if (strcmp(line, "start") == 0) *time_ns = base->start_ns;
  else if (strcmp(line, "end") == 0 || strcmp(line, "now") == 0) *time_ns = base->end_ns;
  else if (!parse(&at, base, time_ns) || *at != '\0') return not_understood;
  return NULL;
}

void time_text_clock(char *out, size_t bytes, int64_t real_ns, bool tenths)
{
  struct tm parts;
  time_t seconds = (time_t)(real_ns / second_ns);
  size_t used = 0;
  if (localtime_r(&seconds, &parts) == NULL || (used = strftime(out, bytes, "%H:%M:%S", &parts)) == 0)
    snprintf(out, bytes, "--:--:--");
  else if (tenths) snprintf(out + used, bytes - used, ".%d", (int)(real_ns / (second_ns / 10) % 10));
}

void time_text_age(char *out, size_t bytes, int64_t age_ns)
{
  long long seconds = age_ns > 0 ? age_ns / second_ns : 0;
  if (seconds < 100) snprintf(out, bytes, "%llds", seconds);
  else if (seconds < 6000) snprintf(out, bytes, "%lldm%02llds", seconds / 60, seconds % 60);
  else if (seconds < 360000) snprintf(out, bytes, "%lldh%02lldm", seconds / 3600, seconds / 60 % 60);
  else snprintf(out, bytes, "%lldd%02lldh", seconds / 86400, seconds / 3600 % 24);
}
