/**
 * Counts what a run costs: bytes and kernels by category, bytes that collectives move, FLOPs. The planner and a real run
 * use the same counters.
 */
package io.hirundo.trainer.internal.accounting;
