package io.hirundo.lib.engine.step;

import io.hirundo.event.TrainingEvent.LayerRounding;
import io.hirundo.lib.engine.model.RankModel;
import java.util.List;

/** Measures the quantization error of a rank's layers. It reads values in the middle of the step. All ranks must use one. */
public final class RoundingInstrument implements StepInstrument {
    private final RankModel model;
    private List<LayerRounding> rounding = List.of();

    public RoundingInstrument(RankModel model) {
        this.model = model;
    }

    @Override
    public void begin(long step) {
        model.gatherUnquantizedWeights();
        model.blocks().layers().beginRounding();
    }

    @Override
    public void end() {
        rounding = model.blocks().layers().endRounding();
        model.gatherWeightsForBlocks();
        if (!model.blocks().layers().codings().isEmpty()) {
            // Where weights stay between steps, the unquantized ones are freed now, not at the next use of weights.
            model.weightsChanged();
        }
    }

    @Override
    public void abandon() {
        model.gatherWeightsForBlocks();
    }

    /** Of the step that has ended. */
    public List<LayerRounding> rounding() {
        return rounding;
    }
}
