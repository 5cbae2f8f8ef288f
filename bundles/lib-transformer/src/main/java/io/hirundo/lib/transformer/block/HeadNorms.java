package io.hirundo.lib.transformer.block;

import io.hirundo.model.layer.LinearLayer;
import io.hirundo.model.layer.NormLayer;
import io.hirundo.model.layer.Saved;
import io.hirundo.model.layer.StepContext;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;

/**
 * Norms of the heads of queries and keys, between QKV projection and attention (Qwen Team 2025, arXiv 2505.09388). They work on the fused
 * row [T, E] in place: columns of queries, then those of keys, then those of values.
 *
 * @param query gets [T times H, D]
 * @param key gets [T times G, D]
 * @param headDim D
 */
record HeadNorms(NormLayer query, NormLayer key, int headDim) {
    private static final List<String> NAMES = List.of("query_norm", "key_norm");

    List<NormLayer> layers() {
        return List.of(query, key);
    }

    /**
     * Normalizes, and saves the inputs for the backward.
     *
     * @param qkv the projection, whose parts say how many columns are on this rank
     */
    void forward(StepContext context, LinearLayer qkv, Tensor qkvTE, Saved saved) {
        long[] columns = columns(qkv);
        for (int norm = 0; norm < 2; norm++) {
            Tensor inputTK = copy(context, qkvTE, norm, columns);
            NormLayer.Normalized normalized = layers().get(norm).forward(context, heads(inputTK));
            try (Tensor outputRD = normalized.yTC()) {
                write(context, outputRD, qkvTE, norm, columns);
            }
            SavedActivations.save(saved, name(norm, "input"), inputTK);
            SavedActivations.save(saved, name(norm, "inverse_rms"), normalized.inverseRmsT());
        }
    }

    /** Replaces gradients of the outputs by those of the inputs, and saves the former for {@link #backwardWeight}. */
    void backwardInput(StepContext context, LinearLayer qkv, Tensor dqkvTE, Saved saved) {
        long[] columns = columns(qkv);
        for (int norm = 0; norm < 2; norm++) {
            saved.put(name(norm, "output.gradient"), copy(context, dqkvTE, norm, columns));
            Tensor dOutputRD = heads(saved.get(name(norm, "output.gradient")));
            Tensor inputRD = heads(saved.get(name(norm, "input")));
            try (Tensor dInputRD = layers().get(norm)
                    .backwardInput(context, dOutputRD, inputRD, saved.get(name(norm, "inverse_rms")), null)) {
                write(context, dInputRD, dqkvTE, norm, columns);
            }
        }
    }

    void backwardWeight(StepContext context, Saved saved) {
        for (int norm = 0; norm < 2; norm++) {
            Tensor dOutputRD = heads(saved.get(name(norm, "output.gradient")));
            Tensor inputRD = heads(saved.get(name(norm, "input")));
            layers().get(norm).backwardWeight(context, dOutputRD, inputRD, saved.get(name(norm, "inverse_rms")));
            saved.drop(name(norm, "output.gradient"));
            saved.drop(name(norm, "input"));
            saved.drop(name(norm, "inverse_rms"));
        }
    }

    /** Columns of queries, keys and values on this rank. */
    private static long[] columns(LinearLayer qkv) {
        return qkv.parameters().getFirst().spec().parts().stream()
                .mapToLong(part -> part.shape().dim(0))
                .toArray();
    }

    private static Tensor copy(StepContext context, Tensor fromTE, int norm, long[] columns) {
        Tensor toTK = context.allocate(Shape.of(fromTE.shape().dim(0), columns[norm]));
        context.device()
                .kernels()
                .elementwise()
                .copyFromColumns(context.queue(), fromTE, norm == 0 ? 0 : columns[0], toTK);
        return toTK;
    }

    private static void write(StepContext context, Tensor fromRD, Tensor toTE, int norm, long[] columns) {
        Tensor fromTK = fromRD.view(0, Shape.of(toTE.shape().dim(0), columns[norm]));
        context.device().kernels().elementwise().copyColumns(context.queue(), fromTK, toTE, norm == 0 ? 0 : columns[0]);
    }

    /** The same elements, a head in each row. */
    private Tensor heads(Tensor xTK) {
        return xTK.view(0, Shape.of(xTK.shape().elements() / headDim, headDim));
    }

    private static String name(int norm, String of) {
        return "attention." + NAMES.get(norm) + "." + of;
    }
}
