package io.hirundo.lib.fabric;

import io.hirundo.device.Event;
import io.hirundo.tensor.Tensor;

/**
 * One rank's operands of a collective.
 *
 * @param input what other ranks read; null for a barrier or a receive
 * @param output what this rank writes; may alias the input or a part of it; null for a send
 * @param ready happens when the collective owns its operands
 */
public record Call(Signature signature, Tensor input, Tensor output, Event ready) {}
