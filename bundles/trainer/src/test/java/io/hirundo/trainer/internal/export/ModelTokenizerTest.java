package io.hirundo.trainer.internal.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.StorageException;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.data.DataSource;
import io.hirundo.data.DocumentFrame;
import io.hirundo.data.SampleRequest;
import io.hirundo.data.SampleSet;
import io.hirundo.data.Tokenizer;
import io.hirundo.dataloader.internal.synthetic.SyntheticFactory;
import io.hirundo.dataloader.internal.synthetic.SyntheticOptions;
import io.hirundo.strategy.Setting;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.trainer.internal.fixture.CrookedFormat;
import io.hirundo.trainer.internal.fixture.Fixed;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import io.hirundo.trainer.internal.fixture.ToyTokenizer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** A tokenizer that is saved with the model. */
@Isolated("filters loggers")
class ModelTokenizerTest {
    private static final int VOCABULARY = 96;

    @TempDir
    private Path folder;

    private SteeredRun run(ToyTokenizer tokenizer) {
        var run = new SteeredRun(folder).with("training", Map.of("steps", 2, "sequenceTokens", 16, "globalBatch", 4));
        run.catalog.add("tokenizer", "toy", new Fixed<>(Tokenizer.class, tokenizer));
        return run.with(
                "data",
                Map.of(
                        "source",
                        Map.of("name", "synthetic", "options", Map.of("vocabulary", VOCABULARY)),
                        "tokenizer",
                        Map.of("name", "toy")));
    }

    private Path model() {
        return folder.resolve("steered").resolve("model");
    }

    @Test
    void isSavedBeforeTheModelAppears() {
        var tokenizer = new ToyTokenizer(VOCABULARY);
        run(tokenizer).model(new CrookedFormat(false, false), null).run();
        assertTrue(Files.exists(model().resolve("config.json")));
        assertTrue(Files.exists(model().resolve(ToyTokenizer.FILE)));
        assertEquals(1, tokenizer.saved.size());
        assertNotEquals(model(), tokenizer.saved.getFirst(), "the model was there before its tokenizer");
    }

    @Test
    void isSavedAfterwardsIfTheFormatHidesItsFolder() {
        run(new ToyTokenizer(VOCABULARY))
                .model(new CrookedFormat(false, false), null)
                .run();
        var tokenizer = new ToyTokenizer(VOCABULARY);
        var separate = new ModelTokenizer(Optional.of(tokenizer), Optional.empty());
        try (ModelReader silent = new CrookedFormat(true, false).open(model())) {
            assertEquals(Optional.empty(), silent.folder());
            separate.saveWith(silent);
        }
        assertEquals(List.of(), tokenizer.saved);
        separate.saveInto(model());
        assertEquals(List.of(model()), tokenizer.saved);
    }

    @Test
    void rejectsARunIfTheTokenizerIsMissing() {
        var tokenizer = new ToyTokenizer(VOCABULARY);
        tokenizer.isMissing = true;
        var run = run(tokenizer).model(new CrookedFormat(false, false), null);
        assertEquals(
                "there is no toy", assertThrows(DataException.class, run::run).getMessage());
        assertEquals(List.of(), run.losses);
        assertFalse(Files.exists(folder.resolve("steered")));
    }

    @Test
    void rejectsATokenizerLargerThanTheModel() {
        var run = run(new ToyTokenizer(VOCABULARY + 1)).model(new CrookedFormat(false, false), null);
        assertEquals(
                "data.tokenizer: it has 97 tokens, but the model's vocabulary has only 96; give the model's tokenizer, or a model of that"
                        + " vocabulary",
                assertThrows(ConfigurationException.class, run::run).getMessage());
        assertEquals(List.of(), run.losses);
    }

    @Test
    void acceptsATokenizerSmallerThanTheModel() {
        assertEquals(
                2,
                run(new ToyTokenizer(VOCABULARY - 1))
                        .model(new CrookedFormat(false, false), null)
                        .run()
                        .losses
                        .size());
    }

    @Test
    void isNotNeededWithoutExport() {
        var tokenizer = new ToyTokenizer(VOCABULARY);
        tokenizer.isMissing = true;
        assertEquals(2, run(tokenizer).run().losses.size());
    }

    @Test
    void writesNoModelIfTheTokenizerVanishes() throws IOException {
        var tokenizer = new ToyTokenizer(VOCABULARY);
        var run = run(tokenizer).model(new CrookedFormat(false, false), null).after(2, () -> tokenizer.isGone = true);
        assertEquals(
                "the toy has gone",
                assertThrows(StorageException.class, run::run).getMessage());
        try (Stream<Path> left = Files.list(folder.resolve("steered"))) {
            assertEquals(
                    List.of(),
                    left.filter(path -> path.getFileName().toString().contains("model"))
                            .toList());
        }
    }

    /** What the run says about its tokenizer. */
    private static List<String> warnings(String of, Runnable run) {
        var lines = new CopyOnWriteArrayList<String>();
        var logger = Logger.getLogger(of);
        logger.setFilter(message -> {
            lines.add(message.getMessage());
            return true;
        });
        try {
            run.run();
        } finally {
            logger.setFilter(null);
        }
        return lines;
    }

    /** A tokenizer that reads a folder, as far as the trainer sees. */
    private record FolderTokenizer(ToyTokenizer tokenizer)
            implements StrategyFactory<FolderTokenizer.Options, Tokenizer> {
        public record Options(@Setting("A folder") String file) {
            public Options() {
                this(null);
            }
        }

        @Override
        public Tokenizer create(Options options) {
            return tokenizer;
        }
    }

    /** A run from an exported model, to whose folder a tokenizer was added. */
    private SteeredRun continued(ToyTokenizer inherited) throws IOException {
        var format = new CrookedFormat(false, false);
        run(new ToyTokenizer(VOCABULARY)).model(format, null).run();
        Path base = Files.move(model(), folder.resolve("base"));
        Files.delete(base.resolve(ToyTokenizer.FILE));
        Files.writeString(base.resolve("tokenizer.json"), "{}");
        var run = run(new ToyTokenizer(VOCABULARY)).model(format, base);
        run.catalog.add("tokenizer", "huggingface", new FolderTokenizer(inherited));
        return run.with("run", Map.of("name", "second", "directory", folder.toString()))
                .with(
                        "data",
                        Map.of("source", Map.of("name", "synthetic", "options", Map.of("vocabulary", VOCABULARY))));
    }

    @Test
    void isThatOfTheModelWhichTheRunStartedFrom() throws IOException {
        var inherited = new ToyTokenizer(VOCABULARY);
        var run = continued(inherited);
        assertEquals(List.of(), warnings(ModelTokenizer.class.getName(), run::run));
        assertTrue(Files.exists(folder.resolve("second/model").resolve(ToyTokenizer.FILE)));
        assertEquals(1, inherited.saved.size());
    }

    @Test
    void saysWhyAModelHasNone() throws IOException {
        var missing = new ToyTokenizer(VOCABULARY);
        missing.isMissing = true;
        var run = continued(missing);
        assertEquals(
                List.of(
                        "the exported model will have no tokenizer, because that of model.from cannot be used: there is no toy; set data.tokenizer"),
                warnings(ModelTokenizer.class.getName(), run::run));
        assertTrue(Files.exists(folder.resolve("second/model").resolve("config.json")));
        assertFalse(Files.exists(folder.resolve("second/model").resolve(ToyTokenizer.FILE)));
    }

    @Test
    void isComparedWithTheFrameOfTheDocuments() {
        var tokenizer = new ToyTokenizer(VOCABULARY);
        tokenizer.end = OptionalInt.of(95);
        var run = run(tokenizer).model(new CrookedFormat(false, false), null);
        DataSource synthetic = new SyntheticFactory().create(new SyntheticOptions(VOCABULARY, 1));
        var framed = new DataSource() {
            private int end;

            @Override
            public SampleSet open(SampleRequest request) {
                return synthetic.open(request);
            }

            @Override
            public Set<DocumentFrame> frames() {
                return Set.of(new DocumentFrame(OptionalInt.empty(), OptionalInt.of(end)));
            }
        };
        framed.end = 95;
        run.catalog.add("data", "framed", new Fixed<DataSource>(DataSource.class, framed));
        run.with("data", Map.of("source", Map.of("name", "framed"), "tokenizer", Map.of("name", "toy")));
        assertEquals(List.of(), warnings("io.hirundo.trainer.internal.loop.RunPreflight", run::run));
        framed.end = 3;
        run.with("run", Map.of("name", "second", "directory", folder.toString()));
        assertEquals(
                List.of(
                        "data.source has documents with begin none and end 3, but data.tokenizer uses begin none and end 95: set"
                                + " data.tokenizer.options.bos and eos to what the dataset has, or make the dataset again"),
                warnings("io.hirundo.trainer.internal.loop.RunPreflight", run::run));
    }
}
