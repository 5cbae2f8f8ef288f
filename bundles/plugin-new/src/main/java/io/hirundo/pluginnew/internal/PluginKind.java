package io.hirundo.pluginnew.internal;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Kinds of plugins. Each kind's classes are the resources of its folder, named without the plugin's name. */
enum PluginKind {
  PRECISION("precision", "Factory", "Options", "Precision", "LinearMath", "PrecisionTest", "RoundedTest"),
  CHECKPOINT("checkpoint store", "Factory", "Options", "Store", "Session", "Piece", "Target", "Writer", "Reader", "StoreTest"),
  DATA("data source", "Factory", "Options", "Data", "Samples", "DataTest"),
  MONITOR("monitor", "Factory", "Options", "Monitor", "MonitorTest"),
  MODEL("model family", "Factory", "Options", "Graph", "Config", "HuggingFace", "FormatTest", "GradientsTest"),
  DEVICE("device", "Factory", "Options", "Backend", "Device", "Families", "Gemm", "DeviceTest"),
  OPTIMIZER("optimizer", "Factory", "Options", "Optimizer", "Run", "OptimizerTest"),
  KERNELS("kernel family", "Kernels", "Composed", "Cpu", "KernelsTest"),
  COMMAND("command", "Command", "CommandTest");

  private final String what;
  private final List<String> classes;

  PluginKind(String what, String... classes) {
    this.what = what;
    this.classes = List.of(classes);
  }

  /** The kind's name on the command line. */
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The kind of its strategy: a model family serves as an architecture. */
  String strategyKind() {
    return this == MODEL ? "architecture" : word();
  }

  /** The kind's name in a sentence. */
  /** With its article. */
  String oneOf() {
    return ("aeiou".indexOf(what.charAt(0)) < 0 ? "a " : "an ") + what;
  }

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

  static String words() {
    return Arrays.stream(values()).map(PluginKind::word).collect(Collectors.joining(", "));
  }
}
