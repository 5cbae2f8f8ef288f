package io.hirundo.testkit.layer;

import io.hirundo.model.LayerSpec;
import io.hirundo.model.layer.Layer;

/**
 * A layer under test. Keep it tiny, because it runs twice for each element of weights and inputs.
 *
 * @param spec with extents that several numbers of ranks divide, as 4 query heads and 2 key/value heads
 * @param drive how blocks call it
 */
public record LayerCase<L extends Layer>(LayerSpec<L> spec, LayerDrive<L> drive) {}
