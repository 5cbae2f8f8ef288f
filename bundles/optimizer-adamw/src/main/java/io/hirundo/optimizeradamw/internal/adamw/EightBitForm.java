package io.hirundo.optimizeradamw.internal.adamw;

import static io.hirundo.kernel.optimizer.AdamW8BitKernels.BLOCK_ELEMENTS;
import static io.hirundo.kernel.optimizer.AdamW8BitKernels.VALUES_OF_WORD;
import static io.hirundo.lib.optimizer.AdamWUpdate.FIRST_MOMENT;
import static io.hirundo.lib.optimizer.AdamWUpdate.SECOND_MOMENT;

import io.hirundo.kernel.DynamicMap;
import io.hirundo.optimizer.StateSpec;
import io.hirundo.tensor.DType;
import java.util.List;

/**
 * The tensors of a moment in 8 bits. Zeros in all of them are a moment of 0.
 *
 * @param moment its name in FP32
 * @param map its 8-bit type
 * @param blockElements elements that share a scale
 */
record EightBitForm(String moment, DynamicMap map, int blockElements) {
    /** Blocks of checkpoints from before {@link io.hirundo.kernel.optimizer.AdamW8BitKernels#BLOCK_ELEMENTS} became smaller. */
    private static final int FORMER_BLOCK_ELEMENTS = 256;

    static final EightBitForm FIRST = new EightBitForm(FIRST_MOMENT, DynamicMap.SIGNED, BLOCK_ELEMENTS);
    static final EightBitForm SECOND = new EightBitForm(SECOND_MOMENT, DynamicMap.UNSIGNED, BLOCK_ELEMENTS);

    /** The form that only earlier checkpoints have. */
    EightBitForm former() {
        return new EightBitForm(moment, map, FORMER_BLOCK_ELEMENTS);
    }

    StateSpec quantized() {
        return new StateSpec(moment + "_quantized", DType.INT32, true, VALUES_OF_WORD);
    }

    /** Their name in checkpoints has the size of blocks; the former one's has none. */
    StateSpec scales() {
        String name = moment + "_scales" + (blockElements == FORMER_BLOCK_ELEMENTS ? "" : "_" + blockElements);
        return new StateSpec(name, DType.FP32, true, blockElements);
    }

    List<StateSpec> state() {
        return List.of(quantized(), scales());
    }
}
