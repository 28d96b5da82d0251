/* SPDX-License-Identifier: MIT */
/* Counts collections that the profiler's own objects cause, and limits them. */
#include "own_objects.h"

#include <ruby.h>
#include <stdint.h>

enum { MOST = OWN_OBJECTS_IN_HAND * OWN_OBJECTS_ONE_IN };

/* Credit for the profiler's own objects: each collection adds 1, and each collection that our objects cause subtracts
 * OWN_OBJECTS_ONE_IN. */
static int64_t in_hand = MOST;
static size_t counted;

static void earn(void)
{
  size_t count = rb_gc_count();
  size_t more = count - counted;
  counted = count;
  in_hand = more > MOST ? MOST : in_hand + (int64_t)more;
  if (in_hand > MOST) in_hand = MOST;
}

bool own_objects_allowed(void)
{
  earn();
  return in_hand >= OWN_OBJECTS_ONE_IN;
}

size_t own_objects_begin(void)
{
  return rb_gc_count();
}

void own_objects_end(size_t begun)
{
  size_t caused = rb_gc_count() - begun;
  earn();
  in_hand -= caused > MOST ? MOST : (int64_t)caused * OWN_OBJECTS_ONE_IN;
}
