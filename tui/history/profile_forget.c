/* Names that no window needs any more (see rtop_profile_forget). */
#include "profile_impl.h"

/* So much more must there be before it is worth looking again, and so long is kept what nobody needs. */
enum { FORGET_STEP = 1 << 20, FORGET_WINDOWS = 100 };

void rtop_profile_keep_ns(struct rtop_profile *profile, int64_t keep_ns)
{
  profile->keep_ns = keep_ns;
}

bool rtop_profile_add_keeper(struct rtop_profile *profile, const struct rtop_profile_keeper *keeper)
{
  if (profile->keeper_count == PROFILE_KEEPERS_MAX) return false;
  profile->keepers[profile->keeper_count++] = *keeper;
  return true;
}

void rtop_sum_keep(const struct rtop_sum *sum, struct rtop_symbols *symbols)
{
  for (size_t i = 0; i < sum->cell_count; i++) rtop_symbols_use_node(symbols, sum->cells[i].node);
  for (size_t i = 0; i < sum->thread_count; i++) rtop_symbols_use_node(symbols, sum->threads[i].node);
}

static void forget_but_window(struct rtop_symbols *symbols, const struct profile_window *window)
{
  for (size_t i = 0; i < window->cell_count; i++) rtop_symbols_use_node(symbols, window->cells[i].node);
  for (size_t i = 0; i < window->thread_count; i++) rtop_symbols_use_node(symbols, window->threads[i].node);
  for (size_t i = 0; i < window->long_count; i++) rtop_symbols_use_node(symbols, window->longs[i].node);
}

static size_t forget_but_all(struct rtop_profile *profile)
{
  struct rtop_symbols *symbols = profile->symbols;
  rtop_symbols_sweep_begin(symbols);
  for (size_t i = 0; i < profile->count; i++) forget_but_window(symbols, profile_window_at(profile, i));
  for (uint32_t i = 0; i < profile->keeper_count; i++) profile->keepers[i].keep(profile->keepers[i].context, symbols);
  return rtop_symbols_used_bytes(symbols);
}

static bool forget_is_due(const struct rtop_profile *profile)
{
  if (profile->loader.load || profile->tap.window || profile->keep_sums) return false;
  return rtop_symbols_bytes(profile->symbols) >= profile->forget_from + FORGET_STEP ||
         (profile->forget_at && profile->window_ids >= profile->forget_at);
}

bool rtop_profile_forget(struct rtop_profile *profile)
{
  size_t most = profile->memory_bytes_max / 3, used;
  if (!forget_is_due(profile)) return false;
  while ((used = forget_but_all(profile)) > most && profile->count > 1)
    for (size_t few = profile->count / 8 + 1; few > 0 && profile->count > 1; few--) profile_evict_one(profile);
  rtop_symbols_sweep_end(profile->symbols);
  rtop_lens_forget(profile->lens);
  profile_slides_forget(profile);
  size_t held = rtop_symbols_bytes(profile->symbols), step = used / 4 > FORGET_STEP ? used / 4 - FORGET_STEP : 0;
  profile->forget_from = held + step;
  profile->forget_at = held > used + FORGET_STEP + step ? profile->window_ids + FORGET_WINDOWS : 0;
  return true;
}
