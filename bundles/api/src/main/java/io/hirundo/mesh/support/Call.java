package io.hirundo.mesh.support;

import io.hirundo.device.Event;
import io.hirundo.tensor.Tensor;

/**
 * One rank's part in a collective.
 *
 * @param input what the other ranks get of; null for a barrier and where there is only an output
 * @param output what this rank fills; may be the input or a part of it, null where there is only an input
 * @param ready happens when the operands are the collective's
 */
public record Call(Signature signature, Tensor input, Tensor output, Event ready) {}
