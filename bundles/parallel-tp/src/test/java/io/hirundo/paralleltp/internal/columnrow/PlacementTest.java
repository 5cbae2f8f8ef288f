package io.hirundo.paralleltp.internal.columnrow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.mesh.Axis;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.WeightSpec;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.modelllama.internal.LlamaFactory;
import io.hirundo.modelllama.internal.LlamaOptions;
import io.hirundo.parallel.Sharding;
import io.hirundo.paralleltp.internal.fixture.SplitLayers;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * What the rules derive for a Llama of 8 query and 4 key/value heads, on every rank of every group, against a table that was written by
 * the class that they replaced: part, other holders, and whether the gradient is partial.
 */
class PlacementTest {
    private static final Path TABLE = Path.of("src/test/golden/placement.txt");

    @Test
    void derivesWhatEveryRankHolds() throws IOException {
        var options = new LlamaOptions(56, 32, 48, 1, 8, 4, 0, 12, 1e-5, 10000, null, false, 0.02, false, false, 0);
        var model = new LlamaFactory().create(options).describe();
        var lines = new ArrayList<String>();
        for (int ranks : new int[] {2, 4, 8}) {
            for (boolean sequenceParallel : new boolean[] {true, false}) {
                var parallel = new ColumnRowFactory()
                        .create(new ColumnRowOptions(sequenceParallel, true, true, true, true, 4, true));
                Sharding sharding = SplitLayers.sharding(parallel, ranks);
                for (int rank = 0; rank < ranks; rank++) {
                    var group = new Members(
                            rank,
                            IntStream.range(0, ranks)
                                    .map(member -> 3 + 2 * member)
                                    .boxed()
                                    .toList());
                    String start = "tp" + ranks + (sequenceParallel ? " sp" : "") + " rank " + rank + ": ";
                    model.blocks().stream()
                            .flatMap(block -> block.layers().stream())
                            .map(LayerSpec::weights)
                            .flatMap(List::stream)
                            .forEach(weight -> lines.add(start + text(sharding, weight, group)));
                }
            }
        }
        assertEquals(Files.readAllLines(TABLE), lines);
    }

    private static String text(Sharding sharding, WeightSpec weight, Members members) {
        ParameterPart part = sharding.part(weight, axis -> members.of(axis));
        var replicas = part.replicas();
        return part.path() + " " + part.shape() + " at " + part.offset() + " of " + part.globalShape()
                + (replicas.ranks().isEmpty() ? "" : ", " + replicas.index() + " of " + replicas.ranks())
                + (replicas.partialGradients() ? " partial" : "");
    }

    /** A group without collectives. */
    private record Members(int rank, List<Integer> ranks) {
        ProcessGroup of(Axis axis) {
            assertEquals(Axis.TENSOR, axis);
            return (ProcessGroup) Proxy.newProxyInstance(
                    Members.class.getClassLoader(),
                    new Class<?>[] {ProcessGroup.class},
                    (_, method, _) -> switch (method.getName()) {
                        case "rank" -> rank;
                        case "ranks" -> ranks;
                        case "size" -> ranks.size();
                        default -> throw new AssertionError(method);
                    });
        }
    }
}
