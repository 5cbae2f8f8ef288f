package io.hirundo.dataloader.internal.sampling;

import io.hirundo.data.DataSource;
import io.hirundo.data.SampleRequest;
import io.hirundo.data.SampleSet;
import io.hirundo.dataloader.internal.DocumentOptions;
import io.hirundo.dataloader.internal.indexed.IndexedDatasetWriter;
import io.hirundo.dataloader.internal.indexed.TokenType;
import io.hirundo.testkit.CtrlC;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;

/** For tests of samples: writes small datasets into a temporary folder and opens them. */
abstract class TestDatasets {
    /** Tokens of a sample. */
    static final int SEQUENCE = 8;

    @TempDir
    Path folder;

    /** Documents of these lengths; tokens count on from {@code first}, so that a sample shows where it came from. */
    WeightedPrefix dataset(String name, double weight, int first, int... lengths) {
        Path prefix = folder.resolve(name);
        if (Files.notExists(folder.resolve(name + ".idx"))) {
            try (var writer = IndexedDatasetWriter.create(prefix, TokenType.I32)) {
                int token = first;
                for (int length : lengths) {
                    writer.add(IntStream.range(token, token + length).toArray());
                    token += length;
                }
                writer.commit(_ -> null);
            }
        }
        return new WeightedPrefix(prefix.toString(), weight);
    }

    static DataSource source(SampleOrder order, String split, WeightedPrefix... blend) {
        return new IndexedFactory(new CtrlC())
                .create(new IndexedOptions(List.of(blend), split, new DocumentOptions(), order, true));
    }

    /** In the default order. */
    static DataSource source(String split, WeightedPrefix... blend) {
        return source(SampleOrder.PERMUTED, split, blend);
    }

    /** {@code training} samples, and 5 for validation. */
    static SampleRequest request(long training) {
        return new SampleRequest(7, SEQUENCE, training, 5);
    }

    static SampleSet open(DataSource source) {
        return source.open(request(20));
    }
}
