package io.hirundo.lib.engine.rank;

import io.hirundo.event.TrainingEvent.LayerRounding;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.precision.Operand;
import io.hirundo.precision.RoundingLoss;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Combines the quantization errors that ranks measured in their layers. */
public final class RankQuantizationError {
    /** Number of values of a {@link RoundingLoss}. */
    private static final int FIGURES = 5;

    private RankQuantizationError() {}

    /** The errors of the layers of all stages, in rank order, equal on all ranks. Collective. */
    public static List<LayerRounding> ofAll(Rank rank, List<LayerRounding> own) {
        ProcessGroup sharers = rank.along(Axis.TENSOR, Axis.CONTEXT, Axis.DATA);
        List<LayerRounding> ofStage = sharers.size() == 1 || own.isEmpty() ? own : sum(rank, sharers, own);
        // One rank per set of equal layers reports.
        String said = sharers.rank() == 0
                ? ofStage.stream().map(RankQuantizationError::line).collect(Collectors.joining())
                : "";
        return StringAllGather.exchange(rank, said).stream()
                .flatMap(String::lines)
                .map(RankQuantizationError::parse)
                .toList();
    }

    private static List<LayerRounding> sum(Rank rank, ProcessGroup sharers, List<LayerRounding> own) {
        double[] figures = own.stream()
                .flatMapToDouble(each -> Arrays.stream(figures(each.loss())))
                .toArray();
        double[] sums = RankSums.of(rank, sharers, figures);
        var summed = new ArrayList<LayerRounding>();
        for (int index = 0; index < own.size(); index++) {
            int at = index * FIGURES;
            var loss = new RoundingLoss(
                    (long) sums[at], (long) sums[at + 1], (long) sums[at + 2], sums[at + 3], sums[at + 4]);
            summed.add(new LayerRounding(own.get(index).layer(), own.get(index).operand(), loss));
        }
        return summed;
    }

    private static double[] figures(RoundingLoss loss) {
        return new double[] {loss.nonZero(), loss.vanished(), loss.largest(), loss.errorSquares(), loss.squares()};
    }

    private static String line(LayerRounding each) {
        RoundingLoss loss = each.loss();
        return String.join(
                        "\t",
                        each.layer(),
                        each.operand().name(),
                        Long.toString(loss.nonZero()),
                        Long.toString(loss.vanished()),
                        Long.toString(loss.largest()),
                        Double.toString(loss.errorSquares()),
                        Double.toString(loss.squares()))
                + "\n";
    }

    private static LayerRounding parse(String line) {
        String[] fields = line.split("\t");
        return new LayerRounding(
                fields[0],
                Operand.valueOf(fields[1]),
                new RoundingLoss(
                        Long.parseLong(fields[2]),
                        Long.parseLong(fields[3]),
                        Long.parseLong(fields[4]),
                        Double.parseDouble(fields[5]),
                        Double.parseDouble(fields[6])));
    }
}
