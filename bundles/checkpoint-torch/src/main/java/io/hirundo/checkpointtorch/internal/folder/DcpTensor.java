package io.hirundo.checkpointtorch.internal.folder;

import io.hirundo.tensor.Shape;
import java.util.List;

/**
 * A tensor as {@code .metadata} describes it.
 *
 * @param dtype PyTorch's name of its element type, {@code bfloat16} for instance
 * @param chunks the rectangles in which it is stored
 */
record DcpTensor(String name, String dtype, Shape shape, List<DcpChunk> chunks) {}
