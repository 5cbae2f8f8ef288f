package io.hirundo.gpusuite.internal.kernels;

import io.hirundo.kernel.Kernels;
import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.kernel.attention.DocumentBounds;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Function;

/** Tensor-core attention in BF16: all kinds of tiles and their borders. */
final class TiledAttentionCases {
    /**
     * The relative spacing of BF16 numbers. These kernels round P and dS to BF16, by at most 2^-9 of each, before the GEMMs with V, dO, K and
     * Q. In a sum that is 2^-9 of the root of the sum of squares, and four times as much for the largest of ten thousand elements.
     */
    private static final double ROUNDED = 0x1p-6;

    /** Tolerance of log-sum-exp values; with so few queries outputs also stay within the BF16 spacing. */
    private static final double FORWARD = 2 * KernelCases.FP32;

    /** First token of the last document, in a sequence of three documents, and of the second document. */
    private static final int LAST_DOCUMENT = 290;

    private static final int SECOND_DOCUMENT = 20;

    /**
     * The operands with infinities or NaN: several operands, so that one tile meets many, or a single one. An infinite key gives scores of
     * minus infinity.
     */
    private enum Spoilt {
        NOWHERE,
        HERE_AND_THERE,
        QUERY,
        KEY,
        OUTPUT,
        OUTPUT_GRADIENT
    }

    /**
     * Variants of the operands.
     *
     * @param inDocuments up to three documents in a sequence, the first key at position 5
     * @param queryFactor factor of queries, and therefore of scores
     * @param spoilt which values are infinite or NaN
     * @param twice whether everything is computed twice and compared bitwise
     * @param shifted whether queries start at an unaligned address, from which tiles cannot be loaded
     */
    private record Kind(boolean inDocuments, double queryFactor, Spoilt spoilt, boolean twice, boolean shifted) {
        static final Kind PLAIN = new Kind(false, 1, Spoilt.NOWHERE, false, false);
        static final Kind TWICE = new Kind(false, 1, Spoilt.NOWHERE, true, false);
        static final Kind DOCUMENTS = new Kind(true, 1, Spoilt.NOWHERE, true, false);
        static final Kind LARGE_SCORES = new Kind(false, 100, Spoilt.NOWHERE, false, false);
        static final Kind SPOILT = new Kind(true, 1, Spoilt.HERE_AND_THERE, false, false);
        static final Kind SHIFTED = new Kind(false, 1, Spoilt.NOWHERE, false, true);

        static Kind spoilt(Spoilt spoilt) {
            return new Kind(false, 1, spoilt, false, false);
        }

        /** First token of the document that contains a token. */
        int start(long token) {
            return !inDocuments || token < SECOND_DOCUMENT
                    ? 0
                    : token < LAST_DOCUMENT ? SECOND_DOCUMENT : LAST_DOCUMENT;
        }
    }

    private TiledAttentionCases() {}

    /** Cases that an emulated GPU computes in seconds. */
    static void add(List<KernelCase> cases) {
        add(cases, FORWARD, "tiles", new AttentionShape(1, 150, 150, new Heads(2, 1, 128), 0), Kind.TWICE);
        add(cases, FORWARD, "tiles", new AttentionShape(2, 140, 140, new Heads(1, 1, 64), 0), Kind.PLAIN);
        add(
                cases,
                FORWARD,
                "eight heads of a key head",
                new AttentionShape(1, 33, 33, new Heads(8, 1, 64), 0),
                Kind.PLAIN);
        add(cases, FORWARD, "earlier keys", new AttentionShape(1, 20, 210, new Heads(1, 1, 64), 190), Kind.PLAIN);
        // More tiles than fit into a kernel's buffers at once.
        add(cases, ROUNDED, "many earlier keys", new AttentionShape(1, 9, 800, new Heads(1, 1, 128), 791), Kind.PLAIN);
        add(
                cases,
                FORWARD,
                "no mask",
                new AttentionShape(1, 17, 70, new Heads(1, 1, 128), Integer.MAX_VALUE),
                Kind.PLAIN);
        add(
                cases,
                ROUNDED,
                "no mask, whole tiles",
                new AttentionShape(1, 17, 256, new Heads(1, 1, 64), Integer.MAX_VALUE),
                Kind.PLAIN);
        add(
                cases,
                FORWARD,
                "queries that see nothing",
                new AttentionShape(1, 150, 80, new Heads(1, 1, 64), -70),
                Kind.PLAIN);
        add(
                cases,
                FORWARD,
                "keys that no query sees",
                new AttentionShape(1, 70, 300, new Heads(1, 1, 64), 50),
                Kind.PLAIN);
        add(cases, FORWARD, "no keys", new AttentionShape(1, 9, 0, new Heads(2, 1, 64), 0), Kind.PLAIN);
        add(cases, FORWARD, "no queries", new AttentionShape(1, 0, 9, new Heads(2, 1, 64), 0), Kind.PLAIN);
        add(cases, FORWARD, "documents", new AttentionShape(1, 330, 340, new Heads(1, 1, 64), 10), Kind.DOCUMENTS);
        add(cases, FORWARD, "large scores", new AttentionShape(1, 70, 70, new Heads(1, 1, 64), 0), Kind.LARGE_SCORES);
        // The probabilities of keys beyond the end would be infinite.
        add(
                cases,
                FORWARD,
                "large scores of one key",
                new AttentionShape(1, 64, 1, new Heads(1, 1, 64), Integer.MAX_VALUE),
                Kind.LARGE_SCORES);
        add(cases, FORWARD, "no numbers", new AttentionShape(1, 150, 150, new Heads(2, 1, 64), 0), Kind.SPOILT);
        add(cases, FORWARD, "no numbers", new AttentionShape(1, 90, 90, new Heads(1, 1, 128), 0), Kind.SPOILT);
        add(cases, FORWARD, "two key heads", new AttentionShape(2, 140, 140, new Heads(4, 2, 64), 0), Kind.PLAIN);
        for (Spoilt one : List.of(Spoilt.QUERY, Spoilt.KEY, Spoilt.OUTPUT, Spoilt.OUTPUT_GRADIENT)) {
            String what = "an infinity in " + one.name().toLowerCase(Locale.ROOT);
            add(cases, FORWARD, what, new AttentionShape(1, 80, 80, new Heads(1, 1, 64), 0), Kind.spoilt(one));
        }
        add(cases, FORWARD, "not aligned", new AttentionShape(1, 5, 5, new Heads(2, 1, 64), 0), Kind.SHIFTED);
    }

    /** Cases that a GPU computes quickly, and the reference in seconds. */
    static void addLarge(List<KernelCase> cases) {
        add(cases, ROUNDED, "many tiles", new AttentionShape(1, 500, 500, new Heads(4, 2, 128), 0), Kind.TWICE);
        add(cases, ROUNDED, "many tiles", new AttentionShape(1, 330, 900, new Heads(8, 1, 64), 570), Kind.DOCUMENTS);
    }

    /** 320 query tiles, so that persistent blocks of 132 multiprocessors compute up to three each; half of the tiles have two key tiles. */
    static void addManyQueryTiles(List<KernelCase> cases) {
        var shape = new AttentionShape(5, 140, 140, new Heads(32, 8, 128), 0);
        add(cases, ROUNDED, "many query tiles", shape, Kind.PLAIN);
        add(cases, ROUNDED, "many query tiles, no numbers", shape, Kind.SPOILT);
    }

    private static void add(List<KernelCase> cases, double forward, String what, AttentionShape plain, Kind kind) {
        String name = " BF16 with " + plain.heads().dim() + " channels, " + what;
        cases.add(new KernelCase(
                "attention forward" + name,
                forward,
                (tensors, kernels) -> results(
                        tensors,
                        kind,
                        Call.of(tensors, within(tensors, plain, kind), kind),
                        call -> call.forward(tensors, kernels))));
        cases.add(new KernelCase(
                "attention backward" + name,
                ROUNDED,
                (tensors, kernels) -> results(
                        tensors,
                        kind,
                        Call.of(tensors, within(tensors, plain, kind), kind),
                        call -> call.backward(tensors, kernels))));
    }

    private static AttentionShape within(CaseTensors tensors, AttentionShape plain, Kind kind) {
        if (!kind.inDocuments) {
            return plain;
        }
        int queries = plain.queryTokens();
        Tensor starts = tensors.tensor(DType.INT32, i -> kind.start(i % queries), plain.sequences(), queries);
        return plain.within(new DocumentBounds(starts, 5));
    }

    /** The results of a call and, if requested, whether a second call is bitwise equal. */
    private static List<Tensor> results(CaseTensors tensors, Kind kind, Call call, Function<Call, List<Tensor>> run) {
        var results = new ArrayList<>(run.apply(call));
        if (kind.twice) {
            List<Tensor> again = run.apply(call);
            for (int i = 0; i < again.size(); i++) {
                boolean same = Arrays.equals(tensors.values(results.get(i)), tensors.values(again.get(i)));
                results.add(tensors.tensor(DType.INT32, place -> same ? 0 : 1, 1));
            }
        }
        return results;
    }

    @FunctionalInterface
    private interface Values {
        double at(long index, double normal);

        /** Replaces one value of each sequence, in the middle of the row of a head. */
        default Values with(long row, Heads heads, long elementsPerSequence, double other) {
            return (i, normal) ->
                    i % elementsPerSequence == row * heads.dim() + heads.dim() / 2 ? other : at(i, normal);
        }
    }

    /**
     * @param output forward output for the backward pass: a device's own output may differ by a rounding to BF16, which matters if a query's
     *    gradient is the small difference of large numbers
     */
    private record Call(AttentionShape shape, QueryKeyValue in, Tensor outputGradient, Tensor output) {
        static Call of(CaseTensors tensors, AttentionShape shape, Kind kind) {
            Heads heads = shape.heads();
            long tokens = (long) shape.sequences() * shape.queryTokens();
            Shape queries = Shape.of(shape.sequences(), heads.query(), shape.queryTokens(), heads.dim());
            Shape keys = Shape.of(shape.sequences(), heads.keyValue(), shape.keyTokens(), heads.dim());
            Shape rows = Shape.of(tokens, heads.outputChannels());
            long ofQueries = queries.elements() / shape.sequences();
            long ofKeys = keys.elements() / shape.sequences();
            Values plain = (i, normal) -> normal;
            Values large = (i, normal) -> kind.queryFactor * normal;
            // Scales gradients to a similar magnitude, whether a query sees few keys or many.
            Values growing = (i, normal) -> {
                long token = i / heads.outputChannels() % shape.queryTokens();
                return normal * Math.sqrt(1 + token - kind.start(token));
            };
            if (kind.spoilt == Spoilt.HERE_AND_THERE) {
                Tensor query = tensor(tensors, 1, plain.with(30, heads, ofQueries, Double.NaN), queries);
                // One in the first document, and one that some queries of a tile see.
                Tensor value = tensor(tensors, 3, plain.with(7, heads, ofKeys, Double.NaN), keys);
                Tensor key = tensor(tensors, 2, plain.with(70, heads, ofKeys, Double.POSITIVE_INFINITY), keys);
                Tensor gradient =
                        tensor(tensors, 7, growing.with(40, heads, ofQueries, Double.NEGATIVE_INFINITY), rows);
                return new Call(shape, new QueryKeyValue(query, key, value), gradient, tensor(tensors, 8, plain, rows));
            }
            Values negative = (i, normal) -> i % heads.dim() == heads.dim() / 2 ? -Math.abs(normal) : normal;
            Values ofQuery = kind.spoilt == Spoilt.KEY ? negative : spoilt(large, kind, Spoilt.QUERY, heads, ofQueries);
            Tensor query = kind.shifted ? shifted(tensors, queries) : tensor(tensors, 1, ofQuery, queries);
            Tensor key = tensor(tensors, 2, spoilt(plain, kind, Spoilt.KEY, heads, ofKeys), keys);
            var in = new QueryKeyValue(query, key, tensor(tensors, 3, plain, keys));
            Tensor gradient = tensor(tensors, 7, spoilt(growing, kind, Spoilt.OUTPUT_GRADIENT, heads, ofQueries), rows);
            return new Call(
                    shape,
                    in,
                    gradient,
                    tensor(tensors, 8, spoilt(plain, kind, Spoilt.OUTPUT, heads, ofQueries), rows));
        }

        private static Values spoilt(Values values, Kind kind, Spoilt operand, Heads heads, long elementsPerSequence) {
            return kind.spoilt == operand
                    ? values.with(30, heads, elementsPerSequence, Double.POSITIVE_INFINITY)
                    : values;
        }

        private static Tensor shifted(CaseTensors tensors, Shape shape) {
            return tensor(tensors, 1, (i, normal) -> normal, Shape.of(1 + shape.elements()))
                    .view(1, shape);
        }

        private static Tensor tensor(CaseTensors tensors, long seed, Values values, Shape shape) {
            var random = new Random(seed);
            return tensors.tensor(
                    DType.BF16,
                    i -> values.at(i, random.nextGaussian()),
                    shape.dims().stream().mapToLong(Long::longValue).toArray());
        }

        List<Tensor> forward(CaseTensors tensors, Kernels kernels) {
            Heads heads = shape.heads();
            Tensor found =
                    tensors.empty(DType.BF16, (long) shape.sequences() * shape.queryTokens(), heads.outputChannels());
            Tensor logSumExp = tensors.empty(DType.FP32, shape.sequences(), heads.query(), shape.queryTokens());
            kernels.attention().forward(tensors.queue(), shape, in, found, logSumExp);
            return List.of(found, logSumExp);
        }

        List<Tensor> backward(CaseTensors tensors, Kernels kernels) {
            Heads heads = shape.heads();
            Tensor logSumExp = forward(tensors, kernels).getLast();
            var gradient = new QueryKeyValue(
                    tensors.empty(DType.BF16, shape.sequences(), heads.query(), shape.queryTokens(), heads.dim()),
                    tensors.empty(DType.BF16, shape.sequences(), heads.keyValue(), shape.keyTokens(), heads.dim()),
                    tensors.empty(DType.BF16, shape.sequences(), heads.keyValue(), shape.keyTokens(), heads.dim()));
            kernels.attention().backward(tensors.queue(), shape, outputGradient, in, output, logSumExp, gradient);
            return List.of(gradient.queryBHSD(), gradient.keyBGSD(), gradient.valueBGSD());
        }
    }
}
