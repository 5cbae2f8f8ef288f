package io.hirundo.lib.transformer.block;

import io.hirundo.model.layer.Recompute;
import io.hirundo.model.layer.Saved;
import io.hirundo.model.layer.StepContext;
import io.hirundo.tensor.Tensor;

/** Policy for an activation after its last use in the forward: save it for the backward, or release it. */
final class SavedActivations {
    private SavedActivations() {}

    /** Saves an activation unless selective recomputation recomputes it, which costs memory bandwidth only. */
    static void saveUnlessRecomputed(StepContext context, Saved saved, String name, Tensor tensor) {
        save(context.recompute() == Recompute.SELECTIVE ? null : saved, name, tensor);
    }

    /** Saves it for the backward, or releases it if there is no backward. */
    static void save(Saved saved, String name, Tensor tensor) {
        if (saved == null) {
            tensor.close();
        } else {
            saved.put(name, tensor);
        }
    }
}
