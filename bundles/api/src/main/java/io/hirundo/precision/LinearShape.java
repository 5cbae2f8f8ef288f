package io.hirundo.precision;

/**
 * The weight of a linear layer as one rank holds it.
 *
 * @param name layer name for messages, {@code model.layers.3.self_attn.qkv} for instance
 * @param outputs N
 * @param inputs K
 */
public record LinearShape(String name, long outputs, long inputs) {}
