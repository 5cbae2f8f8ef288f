/** Accounting of a run: bytes by category, kernels, bytes of collectives, FLOPs. The planner and a training run use the same counters. */
package io.hirundo.trainer.internal.accounting;
