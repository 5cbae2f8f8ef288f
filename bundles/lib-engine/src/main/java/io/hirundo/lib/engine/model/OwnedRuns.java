package io.hirundo.lib.engine.model;

import io.hirundo.model.parameter.Parameter;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Moves tensors that are sharded as the parameters of a model are to the ranks that own the same elements under another strategy. */
public final class OwnedRuns {
    private OwnedRuns() {}

    /**
     * Copies values. Collective.
     *
     * @param dtype of all tensors
     * @param block elements of a parameter for each element of the tensors
     * @param from the tensor of a run that this rank owns in the model; null if the parameter has none
     * @param owned what this rank owns under the other strategy
     * @param to the tensor of such a run; null where {@code from} is, on whichever rank that is
     */
    public static void move(
            RankModel model,
            DType dtype,
            int block,
            Function<Parameter, Tensor> from,
            List<Parameter> owned,
            Function<Parameter, Tensor> to) {
        var runs = owned.stream().collect(Collectors.toMap(run -> run.spec().name(), Function.identity()));
        model.sharded().gatherOwned(model.queue(), dtype, block, from, (name, whole) -> {
            Parameter run = runs.get(name);
            Tensor target = run == null ? null : to.apply(run);
            if (target != null) {
                Tensor values = whole.view(run.firstElement() / block, Shape.of(target.elements()));
                model.device().kernels().elementwise().copy(model.queue(), values, target);
            }
        });
        model.queue().drain();
    }
}
