package io.hirundo.checkpointtorch.internal.pickle;

/** Something outside of the pickle: what {@code torch.save} writes in place of a storage. */
public record PickledReference(Object id) {}
