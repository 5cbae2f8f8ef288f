package io.hirundo.gpusuite.internal.kernels;

import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.kernel.attention.DocumentBounds;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.List;

/** Attention and rotary embedding: grouped heads, offsets, queries without visible keys, documents. */
final class AttentionCases {
    private AttentionCases() {}

    static void add(List<KernelCase> cases) {
        for (DType dtype : List.of(DType.FP32, DType.BF16, DType.FP64)) {
            double tolerance = dtype == DType.FP64 ? KernelCases.FP64 : 2 * KernelCases.FP32;
            for (DType table : dtype == DType.FP32 ? List.of(DType.FP32) : List.of(dtype, DType.FP32)) {
                rotary(cases, dtype, table, tolerance, new Heads(4, 2, 10));
                rotary(cases, dtype, table, tolerance, new Heads(4, 2, 32));
            }
            attention(cases, dtype, tolerance, "one tile", new AttentionShape(2, 5, 5, new Heads(4, 2, 6), 0));
            attention(cases, dtype, tolerance, "tiles", new AttentionShape(1, 133, 150, new Heads(2, 1, 130), 9));
            attention(
                    cases,
                    dtype,
                    tolerance,
                    "queries that see nothing",
                    new AttentionShape(1, 7, 9, new Heads(2, 2, 4), -3));
            documents(cases, dtype, tolerance, "documents", new AttentionShape(2, 40, 60, new Heads(2, 1, 8), 20));
            AttentionShape windows = new AttentionShape(1, 133, 150, new Heads(2, 1, 10), 17);
            attention(cases, dtype, tolerance, "window", windows.with(AttentionOptions.NONE.withWindow(21)));
            // Of a size that tensor cores take without options.
            AttentionShape all = new AttentionShape(2, 70, 70, new Heads(2, 1, 64), 0);
            attention(cases, dtype, tolerance, "cap", all.with(AttentionOptions.NONE.withSoftCap(0.5)));
            AttentionOptions options =
                    AttentionOptions.NONE.withWindow(9).withSoftCap(1.5).withScale(0.4);
            attention(cases, dtype, tolerance, "options", all.with(options));
            documents(
                    cases,
                    dtype,
                    tolerance,
                    "documents and options",
                    new AttentionShape(2, 40, 60, new Heads(2, 1, 8), 20).with(options));
            merge(cases, dtype, tolerance, new AttentionShape(2, 5, 5, new Heads(3, 1, 10), 0));
        }
    }

    private static QueryKeyValue random(CaseTensors tensors, DType dtype, AttentionShape shape, int seed) {
        Heads heads = shape.heads();
        return new QueryKeyValue(
                tensors.random(dtype, seed, shape.sequences(), heads.query(), shape.queryTokens(), heads.dim()),
                tensors.random(dtype, seed + 1, shape.sequences(), heads.keyValue(), shape.keyTokens(), heads.dim()),
                tensors.random(dtype, seed + 2, shape.sequences(), heads.keyValue(), shape.keyTokens(), heads.dim()));
    }

    private static void rotary(List<KernelCase> cases, DType dtype, DType table, double tolerance, Heads heads) {
        int half = heads.dim() / 2;
        AttentionShape shape = AttentionShape.causal(2, 7, heads);
        cases.add(new KernelCase("rotary " + dtype + " " + table + " " + heads.dim(), tolerance, (tensors, kernels) -> {
            Tensor fused = tensors.random(dtype, 1, 14, heads.fusedChannels());
            Tensor cos = tensors.tensor(table, i -> Math.cos((double) i), 9, half);
            Tensor sin = tensors.tensor(table, i -> Math.sin((double) i), 9, half);
            Tensor positions = tensors.tensor(DType.INT32, i -> i * 5 % 9, 14);
            Tensor back = tensors.empty(dtype, 14, heads.fusedChannels());
            QueryKeyValue split = random(tensors, dtype, shape, 2);
            kernels.attention().splitAndRotate(tensors.queue(), heads, 2, fused, cos, sin, positions, split);
            kernels.attention()
                    .rotateBackAndJoin(
                            tensors.queue(), heads, 2, random(tensors, dtype, shape, 8), cos, sin, positions, back);
            return List.of(split.queryBHSD(), split.keyBGSD(), split.valueBGSD(), back);
        }));
    }

    private static void documents(
            List<KernelCase> cases, DType dtype, double tolerance, String what, AttentionShape shape) {
        attention(cases, dtype, tolerance, what, shape, true);
    }

    private static void attention(
            List<KernelCase> cases, DType dtype, double tolerance, String what, AttentionShape shape) {
        attention(cases, dtype, tolerance, what, shape, false);
    }

    private static void attention(
            List<KernelCase> cases,
            DType dtype,
            double tolerance,
            String what,
            AttentionShape plain,
            boolean inDocuments) {
        cases.add(new KernelCase("attention " + dtype + ", " + what, tolerance, (tensors, kernels) -> {
            // Three documents in a sequence; the first key is at position 5.
            Tensor starts = tensors.tensor(
                    DType.INT32, i -> i % plain.queryTokens() / 15 * 15, plain.sequences(), plain.queryTokens());
            AttentionShape shape = inDocuments ? plain.within(new DocumentBounds(starts, 5)) : plain;
            DType statistics = dtype.statisticsType();
            long tokens = (long) shape.sequences() * shape.queryTokens();
            QueryKeyValue in = random(tensors, dtype, shape, 1);
            Tensor output = tensors.empty(dtype, tokens, shape.heads().outputChannels());
            Tensor logSumExp =
                    tensors.empty(statistics, shape.sequences(), shape.heads().query(), shape.queryTokens());
            Tensor dOutput = tensors.random(dtype, 7, tokens, shape.heads().outputChannels());
            QueryKeyValue gradient = random(tensors, dtype, shape, 11);
            kernels.attention().forward(tensors.queue(), shape, in, output, logSumExp);
            kernels.attention().backward(tensors.queue(), shape, dOutput, in, output, logSumExp, gradient);
            return List.of(output, logSumExp, gradient.queryBHSD(), gradient.keyBGSD(), gradient.valueBGSD());
        }));
    }

    /** Partial results of which one or both have no visible keys. */
    private static void merge(List<KernelCase> cases, DType dtype, double tolerance, AttentionShape shape) {
        DType statistics = dtype.statisticsType();
        cases.add(new KernelCase("attention.merge " + dtype, tolerance, (tensors, kernels) -> {
            long tokens = (long) shape.sequences() * shape.queryTokens();
            Tensor part = tensors.random(dtype, 1, tokens, shape.heads().outputChannels());
            Tensor output = tensors.random(dtype, 2, tokens, shape.heads().outputChannels());
            Tensor ofPart = tensors.tensor(statistics, i -> i % 3 == 0 ? Double.NEGATIVE_INFINITY : i % 5, 2, 3, 5);
            Tensor ofOutput = tensors.tensor(statistics, i -> i % 2 == 0 ? Double.NEGATIVE_INFINITY : i % 4, 2, 3, 5);
            kernels.attention().merge(tensors.queue(), shape, part, ofPart, output, ofOutput);
            return List.of(output, ofOutput);
        }));
    }
}
