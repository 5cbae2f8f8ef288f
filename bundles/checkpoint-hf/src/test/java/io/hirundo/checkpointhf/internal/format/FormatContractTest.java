package io.hirundo.checkpointhf.internal.format;

import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpointhf.internal.fixture.TinyLlama;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.Shape;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.format.ModelFormatContract;
import java.util.Map;

@HirundoContract
class FormatContractTest implements ModelFormatContract {
    private static final Map<String, Shape> TENSORS = TinyLlama.shapes(false);

    /** Small enough for several files. */
    private static final long MAX_SHARD_BYTES = 2000;

    @Override
    public ModelFormat format() {
        return new HuggingFaceFormat(MAX_SHARD_BYTES, () -> TinyLlama.FAMILIES);
    }

    @Override
    public Choice architecture() {
        return TinyLlama.architecture(false);
    }

    @Override
    public Map<String, Shape> tensors() {
        return TENSORS;
    }
}
