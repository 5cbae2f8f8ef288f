package io.hirundo.checkpointtorch.internal.folder;

import io.hirundo.lib.tensor.TensorSlice;
import io.hirundo.tensor.Shape;
import java.util.List;

/**
 * A tensor as {@code .metadata} describes it.
 *
 * @param dtype PyTorch's name, for example {@code bfloat16}
 * @param chunks the stored rectangles
 */
record DcpTensor(String name, String dtype, Shape shape, List<TensorSlice> chunks) {}
