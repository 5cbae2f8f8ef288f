/** Wrappers of a fabric that observe collectives when they begin, to count or audit them, and the fake fabric of plans. */
package io.hirundo.trainer.internal.fabric;
