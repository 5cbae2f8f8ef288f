package io.hirundo.trainer.internal.checkpoint.restore;

import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingEvent.ProductsListed;
import io.hirundo.lib.engine.model.SavedWeights;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.tensor.DType;
import io.hirundo.trainer.internal.checkpoint.value.SavedValues;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The dtype of the weights in a checkpoint.
 *
 * @param dtype in the checkpoint
 * @param parameterType of the run
 */
record SavedType(CheckpointInfo checkpoint, DType dtype, DType parameterType) {
    /**
     * Reads it from the values of a checkpoint. Checkpoints from before BF16 weights do not say it.
     *
     * @throws CheckpointException if it is no dtype
     */
    static SavedType of(CheckpointInfo checkpoint, Map<String, Object> values, DType parameterType) {
        Object name = values.get(SavedValues.PARAMETER_TYPE);
        if (name == null) {
            return new SavedType(checkpoint, Parameter.updateType(parameterType), parameterType);
        }
        return Arrays.stream(DType.values())
                .filter(each -> each.name().equals(name))
                .findFirst()
                .map(dtype -> new SavedType(checkpoint, dtype, parameterType))
                .orElseThrow(
                        () -> new CheckpointException(checkpoint.path() + ": field values." + SavedValues.PARAMETER_TYPE
                                + " is wrong (allowed: FP32, BF16, FP64); use an" + " older checkpoint"));
    }

    /** The event for a conversion, if weights are converted. */
    Optional<TrainingEvent> conversion() {
        if (!SavedWeights.areConverted(dtype, parameterType)) {
            return Optional.empty();
        }
        String how = parameterType == DType.BF16 ? ", rounded to nearest even" : "";
        return Optional.of(new ProductsListed(List.of("precision: the weights of " + checkpoint.path() + " are " + dtype
                + ", and continue in " + parameterType + how)));
    }
}
