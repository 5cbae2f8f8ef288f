package io.hirundo.trainer.internal.experts;

import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.layer.StepContext;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Which rows go to which rank and back.
 *
 * @param tokens of this rank in the order in which they are sent: by expert
 * @param sendRows to each rank of the group
 * @param receiveRows from each rank of the group
 * @param rowsOfExperts for each expert of this rank the received rows, in their order
 */
record Dispatch(List<Integer> tokens, long[] sendRows, long[] receiveRows, List<List<Integer>> rowsOfExperts) {
    /** All ranks of the group must call it. {@code experts}: of each token, of all experts of the group's ranks. */
    static Dispatch of(StepContext context, ProcessGroup group, int[] experts, int count) {
        var own = new double[count];
        Arrays.stream(experts).forEach(expert -> own[expert]++);
        double[] all = counts(context, group, own);
        int perRank = count / group.size();
        int first = group.rank() * perRank;
        var receive = new long[group.size()];
        var rows = IntStream.range(0, perRank)
                .<List<Integer>>mapToObj(_ -> new ArrayList<>())
                .toList();
        int row = 0;
        for (int from = 0; from < group.size(); from++) {
            for (int expert = 0; expert < perRank; expert++) {
                for (int i = 0; i < all[from * count + first + expert]; i++) {
                    rows.get(expert).add(row++);
                    receive[from]++;
                }
            }
        }
        var send = new long[group.size()];
        Arrays.stream(experts).forEach(expert -> send[expert / perRank]++);
        List<Integer> tokens = IntStream.range(0, experts.length)
                .boxed()
                .sorted(Comparator.comparing(token -> experts[token]))
                .toList();
        return new Dispatch(tokens, send, receive, rows);
    }

    /** Tokens of each rank for each expert, [ranks, E]. */
    private static double[] counts(StepContext context, ProcessGroup group, double[] own) {
        try (Tensor ownE = Host.tensor(context, own, Shape.of(own.length));
                Tensor allRE = context.allocate(Shape.of(group.size(), own.length))) {
            context.queue().await(group.allGather(context.queue(), ownE, allRE).event());
            return Host.read(context, allRE);
        }
    }

    int receivedRows() {
        return (int) Arrays.stream(receiveRows).sum();
    }

    /** To the experts. {@code sentTC}: rows in the order of {@link #tokens}. The caller closes the result, [max(1, received rows), C]. */
    Tensor send(StepContext context, ProcessGroup group, Tensor sentTC) {
        Tensor receivedRC = context.allocate(
                Shape.of(Math.max(1, receivedRows()), sentTC.shape().dim(1)));
        context.queue()
                .await(group.allToAllRows(context.queue(), sentTC, sendRows, receivedRC, receiveRows)
                        .event());
        return receivedRC;
    }

    /** Back from the experts. The caller closes the result, in the order of {@link #tokens}. */
    Tensor sendBack(StepContext context, ProcessGroup group, Tensor receivedRC) {
        Tensor sentTC =
                context.allocate(Shape.of(tokens.size(), receivedRC.shape().dim(1)));
        context.queue()
                .await(group.allToAllRows(context.queue(), receivedRC, receiveRows, sentTC, sendRows)
                        .event());
        return sentTC;
    }

    /** The caller closes it. {@code factors}: of each token. */
    Tensor inOrderOfExperts(StepContext context, Tensor xTC, double[] factors) {
        Tensor sentTC = context.allocate(xTC.shape());
        for (int row = 0; row < tokens.size(); row++) {
            Host.copyRow(context, xTC, tokens.get(row), factors[tokens.get(row)], sentTC, row);
        }
        return sentTC;
    }

    /** The caller closes it. {@code factors}: of each token. */
    Tensor inOrderOfTokens(StepContext context, Tensor sentTC, double[] factors) {
        Tensor xTC = context.allocate(sentTC.shape());
        for (int row = 0; row < tokens.size(); row++) {
            Host.copyRow(context, sentTC, row, factors[tokens.get(row)], xTC, tokens.get(row));
        }
        return xTC;
    }
}
