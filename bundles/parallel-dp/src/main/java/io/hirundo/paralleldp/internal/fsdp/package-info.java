/** The strategy {@code fsdp}: units of sharded weights and gradients, gathered while their blocks work. */
package io.hirundo.paralleldp.internal.fsdp;
