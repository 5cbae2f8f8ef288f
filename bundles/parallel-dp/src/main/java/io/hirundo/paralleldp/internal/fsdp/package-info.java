/**
 * The strategies {@code fsdp} and {@code zero2}: units of sharded master weights and gradients. {@code fsdp} gathers weights while their
 * blocks work, {@code zero2} once after each update.
 */
package io.hirundo.paralleldp.internal.fsdp;
