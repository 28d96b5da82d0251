/* SPDX-License-Identifier: MIT */
/* Exceptions that the program raises: a hook on the VM's raise event, which counts them by class and place (raised.h).
 *
 * It costs some 300 ns for an exception raised and nothing else: the event is none of those for which the VM
 * rewrites code, so compiled code stays as it is (measured, also under YJIT). Counted are raise and its kin in
 * the main Ractor, each time; StopIteration of a loop too, throw not.
 */
#ifndef RTOP_EXT_RAISES_H
#define RTOP_EXT_RAISES_H

#include "ext/sampling/sampler.h"

/* Under the GVL; of one sampler, and makes one Ruby object the first time. Installing twice counts once. */
void raises_install(struct sampler *sampler);
void raises_remove(void);

#endif
