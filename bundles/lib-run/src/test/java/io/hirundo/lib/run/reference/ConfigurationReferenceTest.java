package io.hirundo.lib.run.reference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.ComputeBackend;
import io.hirundo.lib.run.strategy.StrategyTable;
import io.hirundo.lib.run.strategy.TestStrategies;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.Setting;
import io.hirundo.testkit.strategy.InertStrategies;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigurationReferenceTest {
    private final String page = ConfigurationReference.of(TestStrategies.table());

    @ParameterizedTest
    @ValueSource(
            strings = {
                "| `seed` | a whole number | `1234` | Seed of the initial weights and of the order of the samples |",
                "| `device` | device: `cpu`, `meta` | `\"cpu\"` | Device backend |",
                "| `monitors` | a list of monitor: `console`, `jsonl` | `[\"console\",\"jsonl\"]` | Listeners that report the run's progress |",
                "## training",
                "Length of the training and batch sizes.",
                "| `training.steps` | a whole number from 1 to 1000000000000 | required | Optimizer steps of the run |",
                "| `training.recompute` | none, selective, full | `\"none\"` | Activation checkpointing: activations that the"
                        + " backward pass recomputes |",
                "| `model.from` | text | none | Folder of a model to start from; not together with architecture |",
                "| `evaluation.watched` | by name: data: `blend`, `indexed` | `{}` | Further data sources, by name, whose validation part"
                        + " is evaluated in addition to that of data.source |",
                "## Strategies: learning-rate",
                "### learning-rate `cosine`",
                "Of the bundle `test`.",
                "Of the bundle `test`. No options.",
                "| `peak` | a number above 0 and at most 1 | `0.0003` | Highest rate |",
                "| `part` | all, half | `\"all\"` | Part |",
            })
    void hasALineForEverySetting(String line) {
        assertTrue(page.lines().anyMatch(line::equals), page);
    }

    /** A part of {@link Settings}. */
    record Part(
            @Setting(value = "Where it lies", required = true)
            String path,

            @Setting("Times") int times) {
        /** The defaults. */
        Part() {
            this(null, 1);
        }
    }

    /** Settings of several types, nested ones among them. */
    record Settings(
            @Setting("Bytes") long bytes,
            @Setting("Share") float share,
            @Setting("Text") String text,
            @Setting("Sizes") List<Integer> sizes,
            @Setting("Weights") Map<String, Double> weights,
            @Setting("Part") Part part,
            @Setting("Parts") List<Part> parts,
            @Setting("Helper") Choice helper) {
        /** The defaults. */
        Settings() {
            this(
                    1L << 40,
                    0.25f,
                    null,
                    List.of(2, 3),
                    Map.of("a", 1.0),
                    new Part("x", 7),
                    List.of(),
                    Choice.of("none"));
        }
    }

    @Test
    void listsSettingsOfNestedRecords() {
        List<String> paths =
                SettingRow.of(Settings.class).stream().map(SettingRow::path).toList();
        assertEquals(
                List.of(
                        "bytes",
                        "share",
                        "text",
                        "sizes",
                        "weights",
                        "part.path",
                        "part.times",
                        "parts",
                        "parts[].path",
                        "parts[].times",
                        "helper"),
                paths);
        Stream<String> defaults = SettingRow.of(Settings.class).stream().map(SettingRow::fallback);
        assertEquals(
                List.of(
                        "1099511627776",
                        "0.25",
                        "none",
                        "[2,3]",
                        "{\"a\":1}",
                        "\"x\"",
                        "7",
                        "[]",
                        "required",
                        "1",
                        "\"none\""),
                defaults.toList());
    }

    @Test
    void reportsKindsWithoutOffers() {
        String page = ConfigurationReference.of(StrategyTable.of(
                TestStrategies.offer("device", "a|b", InertStrategies.factory(ComputeBackend.class, Settings.class))));
        assertTrue(
                page.contains("| `optimizer` | no installed bundle offers one | `\"adamw\"` | The update rule |"),
                page);
        assertTrue(page.contains("| `device` | device: `a\\|b` |"), page);
    }
}
