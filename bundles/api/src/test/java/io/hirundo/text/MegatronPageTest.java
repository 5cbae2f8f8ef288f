package io.hirundo.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/megatron.md has a row for each option that people arrive with, and names settings that exist. */
class MegatronPageTest {
    /** Options of the public script llama-3.3-70b-tp4-pp4.sh of okoge-kaz/Megatron-LM. */
    private static final List<String> OF_SCRIPT = List.of(
            "--accumulate-allreduce-grads-in-fp32",
            "--adam-beta1",
            "--adam-beta2",
            "--attention-dropout",
            "--attention-softmax-in-fp32",
            "--bf16",
            "--clip-grad",
            "--context-parallel-size",
            "--data-path",
            "--disable-bias-linear",
            "--distributed-backend",
            "--distributed-timeout-minutes",
            "--eval-interval",
            "--eval-iters",
            "--exit-on-missing-checkpoint",
            "--ffn-hidden-size",
            "--global-batch-size",
            "--group-query-attention",
            "--hidden-dropout",
            "--hidden-size",
            "--load",
            "--log-interval",
            "--log-throughput",
            "--log-timers-to-tensorboard",
            "--lr",
            "--lr-decay-iters",
            "--lr-decay-style",
            "--lr-warmup-iters",
            "--max-position-embeddings",
            "--micro-batch-size",
            "--min-lr",
            "--no-initialization",
            "--no-load-optim",
            "--no-load-rng",
            "--no-masked-softmax-fusion",
            "--no-position-embedding",
            "--norm-epsilon",
            "--normalization",
            "--num-attention-heads",
            "--num-layers",
            "--num-layers-per-virtual-pipeline-stage",
            "--num-query-groups",
            "--optimizer",
            "--overlap-grad-reduce",
            "--overlap-param-gather",
            "--pipeline-model-parallel-size",
            "--position-embedding-type",
            "--rope-factor",
            "--rope-high-freq-factor",
            "--rope-low-freq-factor",
            "--rope-original-max-positional-embeddings",
            "--rotary-base",
            "--save",
            "--save-interval",
            "--seq-length",
            "--sequence-parallel",
            "--split",
            "--swiglu",
            "--tensor-model-parallel-size",
            "--timing-log-level",
            "--tokenizer-model",
            "--tokenizer-type",
            "--train-iters",
            "--transformer-impl",
            "--untie-embeddings-and-output-weights",
            "--use-checkpoint-args",
            "--use-distributed-optimizer",
            "--use-flash-attn",
            "--use-mcore-models",
            "--use-mpi",
            "--wandb-entity",
            "--wandb-name",
            "--wandb-project",
            "--weight-decay");

    private static final Pattern ROW = Pattern.compile("(?m)^\\| (.+?) \\| (.*?) \\| ?(.*?) ?\\|$");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern MEGATRON = Pattern.compile("--[a-z0-9-]+");
    private static final Pattern AXIS = Pattern.compile("names = \\{?\"(--[a-z]+)\"");
    private static final Pattern STRATEGY = Pattern.compile("(?m)^### [a-z-]+ `([A-Za-z0-9-]+)`");
    private static final Pattern ALLOWED = Pattern.compile("(?m)^\\| `[^`]+` \\| ([a-z0-9, -]+) \\|");
    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9.-]+");

    private final List<MatchResult> rows = ROW.matcher(Repository.text(Repository.ROOT.resolve("docs/megatron.md")))
            .results()
            .filter(row -> !row.group(1).equals("Megatron-LM"))
            .toList();

    @Test
    void hasRowForEachOptionOfScript() {
        Set<String> mapped = rows.stream()
                .flatMap(row -> MEGATRON.matcher(row.group(1)).results())
                .map(MatchResult::group)
                .collect(Collectors.toSet());
        assertEquals(
                List.of(),
                OF_SCRIPT.stream().filter(option -> !mapped.contains(option)).toList());
    }

    @Test
    void namesSettingsAndStrategiesThatExist() {
        String reference = Repository.text(Repository.ROOT.resolve("docs/configuration.md"));
        Set<String> settings = DocumentedTest.settings();
        Set<String> options = DocumentedTest.options();
        Set<String> strategies = found(STRATEGY, reference);
        Set<String> allowed = found(ALLOWED, reference).stream()
                .flatMap(values -> Stream.of(values.split(", ")))
                .collect(Collectors.toSet());
        Set<String> axes = found(
                AXIS,
                Repository.text(Repository.ROOT.resolve(
                        "bundles/lib-run/src/main/java/io/hirundo/lib/run/arguments/MeshArguments.java")));
        assertTrue(axes.containsAll(Set.of("--tp", "--cp", "--pp", "--dp")), axes::toString);
        var unknown = new ArrayList<String>();
        for (MatchResult row : rows) {
            codes(row.group(2))
                    .filter(code -> !code.contains("hirundo ") && !code.startsWith("train "))
                    .flatMap(code -> WORD.matcher(code).results().map(MatchResult::group))
                    .filter(word -> !word.matches("[0-9]+|name|options|FOLDER|config.json|metrics.jsonl"))
                    .filter(word -> !allowed.contains(word)
                            && settings.stream().noneMatch(setting -> setting.endsWith("." + word)))
                    .filter(word -> !strategies.contains(word)
                            && !axes.contains(word)
                            && !options.contains(word)
                            && !DocumentedTest.isKnown(word, settings, options))
                    .forEach(unknown::add);
        }
        assertEquals(List.of(), unknown);
    }

    private static Stream<String> codes(String text) {
        return CODE.matcher(text).results().map(code -> code.group(1));
    }

    private static Set<String> found(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(result -> result.group(1)).collect(Collectors.toSet());
    }
}
