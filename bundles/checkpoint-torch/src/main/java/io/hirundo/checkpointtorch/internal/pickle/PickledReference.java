package io.hirundo.checkpointtorch.internal.pickle;

/** A persistent id: {@code torch.save} writes one in place of a storage. */
public record PickledReference(Object id) {}
