package io.hirundo.devicecuda.internal.kernel.attention;

import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.util.stream.Stream;

/** Checked queries, keys and values, or their gradients. */
record SplitOperands(CudaTensor query, CudaTensor key, CudaTensor value) {
    static SplitOperands of(
            String prefix,
            QueryKeyValue tensors,
            long sequences,
            long queryTokens,
            long keyTokens,
            Heads heads,
            DType dtype) {
        Shape queries = Shape.of(sequences, heads.query(), queryTokens, heads.dim());
        Shape keys = Shape.of(sequences, heads.keyValue(), keyTokens, heads.dim());
        return new SplitOperands(
                CudaTensor.CHECK.exactly(prefix + "queryBHSD", tensors.queryBHSD(), queries, dtype),
                CudaTensor.CHECK.exactly(prefix + "keyBGSD", tensors.keyBGSD(), keys, dtype),
                CudaTensor.CHECK.exactly(prefix + "valueBGSD", tensors.valueBGSD(), keys, dtype));
    }

    Stream<CudaTensor> tensors() {
        return Stream.of(query, key, value);
    }
}
