package io.hirundo.pluginnew.internal;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Kinds of plugins. Each kind's classes are the resources of its folder, named without the plugin's name. */
enum PluginKind {
    PRECISION("precision", "Factory", "Options", "Precision", "LinearMath", "PrecisionTest", "RoundedTest"),
    CHECKPOINT(
            "checkpoint strategy",
            "Factory",
            "Options",
            "Store",
            "Session",
            "Piece",
            "Target",
            "Writer",
            "Reader",
            "StoreTest"),
    STORE("checkpoint store", "Factory", "Options", "Session", "Archive", "Index", "StoreTest"),
    DATA("data source", "Factory", "Options", "Data", "Samples", "DataTest"),
    TOKENIZER("tokenizer", "Factory", "Options", "Tokenizer", "TokenizerTest"),
    MONITOR("monitor", "Factory", "Options", "Monitor", "MonitorTest"),
    MODEL("model family", "Factory", "Options", "Graph", "Config", "HuggingFace", "FormatTest", "GradientsTest"),
    FABRIC("fabric", "Factory", "Options", "Fabric", "World", "Group", "Traffic", "FabricTest"),
    DEVICE("device", "Factory", "Options", "Backend", "Device", "Families", "Gemm", "DeviceTest"),
    OPTIMIZER("optimizer", "Factory", "Options", "Optimizer", "Run", "OptimizerTest"),
    LEARNING_RATE("learning rate", "Factory", "Options", "Rate", "RateTest"),
    FORMAT("model format", "Factory", "Options", "Format", "Manifest", "Reader", "FormatTest"),
    SCHEDULE("pipeline schedule", "Factory", "Options", "Schedule", "ScheduleTest"),
    DATA_PARALLEL(
            "data-parallel strategy", "Factory", "Options", "Slices", "Parameters", "FullParameter", "SlicesTest"),
    TENSOR_PARALLEL("tensor-parallel strategy", "Factory", "Options", "Split", "Provider", "Linear", "SplitTest"),
    CONTEXT_PARALLEL(
            "context-parallel strategy", "Factory", "Options", "Chunks", "Attention", "KeyValues", "ChunksTest"),
    KERNELS("kernel family", "Kernels", "Composed", "Cpu", "KernelsTest"),
    COMMAND("command", "Command", "CommandTest");

    /** All names, for shell completion and help. */
    static final class Names implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Arrays.stream(values()).map(PluginKind::word).iterator();
        }
    }

    private final String what;
    private final List<String> classes;

    PluginKind(String what, String... classes) {
        this.what = what;
        this.classes = List.of(classes);
    }

    /** The kind's name on the command line. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The kind of its strategy, as {@code @HirundoStrategy} names it. */
    String strategyKind() {
        return switch (this) {
            case MODEL -> "architecture";
            case STORE -> "checkpoint-store";
            case FORMAT -> "model-format";
            default -> word();
        };
    }

    /** The kind's name in a sentence, with its article. */
    String oneOf() {
        return ("aeiou".indexOf(what.charAt(0)) < 0 ? "a " : "an ") + what;
    }

    /** The kind's name in a sentence. */
    String what() {
        return what;
    }

    /** Suffixes of its class names; those of tests end in {@code Test}. */
    List<String> classes() {
        return classes;
    }

    static Optional<PluginKind> of(String word) {
        return Arrays.stream(values()).filter(kind -> kind.word().equals(word)).findFirst();
    }

    static String names() {
        return String.join(", ", new Names());
    }
}
