package io.hirundo.testkit.layer;

import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterPart;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a rank made in a training pass.
 *
 * @param evaluated outputs and loss without backward
 * @param lossOfLogits empty if the layer makes no logits
 */
record RankPass(
        SplitRows split,
        LayerFixture.Pass trained,
        LayerFixture.Pass evaluated,
        Optional<Double> lossOfLogits,
        List<Gradient> gradients) {
    /** The gradient of a part of a weight. */
    record Gradient(ParameterPart part, double[] values) {}

    static RankPass of(LayerFixture fixture) {
        LayerFixture.Pass trained = fixture.train();
        List<Gradient> gradients = gradients(fixture);
        return new RankPass(fixture.split(), trained, fixture.evaluate(), fixture.lossOfLogits(), gradients);
    }

    /** As they are now. */
    static List<Gradient> gradients(LayerFixture fixture) {
        var gradients = new ArrayList<Gradient>();
        for (Parameter parameter : fixture.declared()) {
            double[] all = fixture.read(parameter.gradient());
            int first = 0;
            for (ParameterPart part : parameter.spec().parts()) {
                var values = new double[(int) part.shape().elements()];
                System.arraycopy(all, first, values, 0, values.length);
                gradients.add(new Gradient(part, values));
                first += values.length;
            }
        }
        return gradients;
    }
}
