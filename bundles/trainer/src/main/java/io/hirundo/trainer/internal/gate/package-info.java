/** The parity check before a swap: runs a microbatch with current and new strategies, and decides whether these may take over. */
package io.hirundo.trainer.internal.gate;
