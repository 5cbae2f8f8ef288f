package io.hirundo.trainer.internal.export;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.StorageException;
import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.lib.configuration.binding.Trees;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precisionnative.internal.Bf16Factory;
import io.hirundo.precisionnative.internal.Bf16Options;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.Shape;
import io.hirundo.trainer.internal.fixture.WatchedFormat;
import io.hirundo.trainer.internal.parity.LayoutMatrix;
import io.hirundo.trainer.internal.parity.Layouts;
import io.hirundo.trainer.internal.parity.StructuredTokens;
import io.hirundo.trainer.internal.session.LocalRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A model that all ranks of a run write, each its own shards. */
class ModelExportTest {
    private static final PrecisionStrategy BF16 = new Bf16Factory().create(new Bf16Options());

    /** The files that a single rank writes, with which several layouts compare. */
    private static final Map<Alone, Map<String, byte[]>> ALONE = new HashMap<>();

    private record Alone(Layouts.Layout layout, PrecisionStrategy precision) {}

    @TempDir
    private Path folder;

    static Stream<Layouts.Layout> layouts() {
        return LayoutMatrix.fast().filter(layout -> layout.extents().ranks() > 1);
    }

    private static Choice architecture(Layouts.Layout layout) {
        return new Choice("llama", Trees.of(Layouts.sizes(layout)));
    }

    private static LocalRun open(Layouts.Layout layout, PrecisionStrategy precision) {
        return LocalRun.open(
                Layouts.configuration(layout),
                Layouts.strategies(layout, precision, Layouts.cpu(), request -> new StructuredTokens()));
    }

    /** Exports the initial weights of the seed, which are equal in every layout. */
    private Path export(
            Layouts.Layout layout, PrecisionStrategy precision, ModelFormat format, long bufferBytes, String name) {
        Path model = folder.resolve(name);
        try (LocalRun run = open(layout, precision)) {
            run.onEachRank(part -> {
                new ModelExport(part.model(), part.model().parameterType(), bufferBytes)
                        .write(format, model, architecture(layout), written -> {});
                return null;
            });
        }
        return model;
    }

    @ParameterizedTest
    @MethodSource("layouts")
    void writesTheSameFilesInEveryLayout(Layouts.Layout layout) throws IOException {
        // A buffer of slightly more than 24 rows, and one of less than a row.
        Map<PrecisionStrategy, Long> bufferBytes = Map.of(Layouts.FP32, 6200L, BF16, 100L);
        for (PrecisionStrategy precision : bufferBytes.keySet()) {
            Map<String, byte[]> expected = ALONE.get(new Alone(layout.alone(), precision));
            if (expected == null) {
                expected = files(export(layout.alone(), precision, WatchedFormat.ofPieces(), 1L << 20, "alone"));
                ALONE.put(new Alone(layout.alone(), precision), expected);
            }
            var format = WatchedFormat.ofPieces();
            Path found = export(layout, precision, format, bufferBytes.get(precision), "together");

            assertSameFiles(expected, files(found));
            assertTrue(Files.exists(found.resolve("model.safetensors.index.json")));
            assertEachElementIsWrittenOnce(format.written);
            long writers = format.written.stream()
                    .map(WatchedFormat.Written::writer)
                    .distinct()
                    .count();
            assertTrue(writers > 1, () -> writers + " ranks wrote");
            assertOneBufferEach(format.written, bufferBytes.get(precision));
        }
    }

    private static void assertEachElementIsWrittenOnce(List<WatchedFormat.Written> written) {
        Map<String, int[]> times = new HashMap<>();
        for (WatchedFormat.Written piece : written) {
            ParameterPart part = piece.part();
            int[] ofTensor = times.computeIfAbsent(
                    part.path(), path -> new int[(int) part.globalShape().elements()]);
            boolean matrix = part.shape().rank() > 1;
            Shape shape = part.shape();
            long columns = matrix ? shape.dim(1) : 1;
            for (long index = 0; index < shape.elements(); index++) {
                long row = part.offset().get(0) + index / columns;
                ofTensor[
                        (int)
                                (matrix
                                        ? row * part.globalShape().dim(1)
                                                + part.offset().get(1)
                                                + index % columns
                                        : row)]++;
            }
        }
        times.forEach((path, counts) -> assertTrue(Arrays.stream(counts).allMatch(count -> count == 1), path));
    }

    /** Each rank writes all values through one buffer of limited size. */
    private static void assertOneBufferEach(List<WatchedFormat.Written> written, long bufferBytes) {
        written.stream()
                .collect(Collectors.groupingBy(WatchedFormat.Written::writer))
                .values()
                .forEach(pieces -> {
                    LongStream begins = pieces.stream().mapToLong(WatchedFormat.Written::address);
                    LongStream ends = pieces.stream().mapToLong(piece -> piece.address() + piece.bytes());
                    long spanBytes = ends.max().orElseThrow() - begins.min().orElseThrow();
                    assertTrue(
                            spanBytes <= bufferBytes,
                            () -> spanBytes + " bytes of host memory, allowed " + bufferBytes);
                });
    }

    /** On the device the export needs only the few words that ranks exchange. */
    @Test
    void needsNoDeviceMemoryBeyondTheShards() {
        var layout = LayoutMatrix.fast()
                .filter(each -> each.extents().ranks() == 8)
                .findFirst()
                .orElseThrow();
        try (LocalRun run = open(layout, Layouts.FP32)) {
            // Between two steps ranks exchange control messages in buffers that a plan counts; the export may use
            // those.
            run.exchange("before the export");
            var before = new ArrayList<Long>();
            for (int rank = 0; rank < 8; rank++) {
                before.add(run.ranks().ledger(rank).peakTotalBytes());
            }
            run.onEachRank(part -> {
                new ModelExport(part.model(), part.model().parameterType())
                        .write(WatchedFormat.ofPieces(), folder.resolve("model"), architecture(layout), written -> {});
                return null;
            });
            for (int rank = 0; rank < 8; rank++) {
                long moreBytes = run.ranks().ledger(rank).peakTotalBytes() - before.get(rank);
                assertTrue(moreBytes < 1000, "rank " + rank + ": " + moreBytes + " bytes");
            }
        }
    }

    @Test
    void writesTheSameWithFormatsWithoutShardedWrites() throws IOException {
        var layout = LayoutMatrix.fast()
                .filter(each ->
                        each.extents().tensor() == 2 && each.ways().data().equals("fsdp"))
                .findFirst()
                .orElseThrow();
        Path expected = export(layout, Layouts.FP32, WatchedFormat.ofPieces(), 1L << 20, "pieces");
        Path found = export(layout, Layouts.FP32, WatchedFormat.ofWholes(), 5000, "wholes");
        assertSameFiles(expected, found);
        assertEquals(List.of("pieces", "wholes"), names());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 20})
    void reportsAFailureOnAllRanksAndKeepsTheFormerModel(int writes) throws IOException {
        var layout = LayoutMatrix.fast()
                .filter(each -> each.extents().ranks() == 8)
                .findFirst()
                .orElseThrow();
        Path model = export(layout, BF16, WatchedFormat.ofPieces(), 1L << 20, "model");
        Map<String, byte[]> before = files(model);
        try (LocalRun run = open(layout, Layouts.FP32)) {
            List<String> told = run.onEachRank(part -> {
                try {
                    new ModelExport(part.model(), part.model().parameterType())
                            .write(WatchedFormat.ofPiecesUntilFull(writes), model, architecture(layout), written -> {});
                    return "";
                } catch (StorageException failure) {
                    return failure.getMessage();
                }
            });
            assertEquals(List.of("the disk is full"), told.stream().distinct().toList());
            // The ranks can still communicate.
            assertEquals(8, run.exchange("here").size());
        }
        assertEquals(List.of("model"), names());
        assertSameFiles(before, files(model));
    }

    private List<String> names() throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    private static Map<String, byte[]> files(Path folder) throws IOException {
        var files = new TreeMap<String, byte[]>();
        try (Stream<Path> entries = Files.list(folder)) {
            for (Path entry : entries.toList()) {
                files.put(entry.getFileName().toString(), Files.readAllBytes(entry));
            }
        }
        return files;
    }

    private static void assertSameFiles(Path expected, Path found) throws IOException {
        assertSameFiles(files(expected), files(found));
    }

    private static void assertSameFiles(Map<String, byte[]> expected, Map<String, byte[]> found) {
        assertEquals(expected.keySet(), found.keySet());
        expected.forEach((name, bytes) -> assertArrayEquals(bytes, found.get(name), name));
    }
}
