/**
 * One rank: its device, its process groups, the thread that drives it, and the small exchanges by which ranks agree
 * between steps.
 */
package io.hirundo.trainer.internal.rank;
