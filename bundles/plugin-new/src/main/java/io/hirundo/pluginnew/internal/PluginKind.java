package io.hirundo.pluginnew.internal;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** What a plugin can be. The classes of each are the resources of its folder, without the name of the plugin. */
enum PluginKind {
  PRECISION("precision", "Factory", "Options", "Precision", "LinearMath", "PrecisionTest", "RoundedTest"),
  CHECKPOINT("checkpoint store", "Factory", "Options", "Store", "Session", "Piece", "Target", "Writer", "Reader", "StoreTest"),
  DATA("data source", "Factory", "Options", "Data", "Samples", "DataTest"),
  MONITOR("monitor", "Factory", "Options", "Monitor", "MonitorTest"),
  DEVICE("device", "Factory", "Options", "Backend", "Device", "Families", "Gemm", "DeviceTest"),
  COMMAND("command", "Command", "CommandTest");

  private final String what;
  private final List<String> classes;

  PluginKind(String what, String... classes) {
    this.what = what;
    this.classes = List.of(classes);
  }

  /** As people write it. */
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** As it is called in a sentence. */
  String what() {
    return what;
  }

  /** Ends of the names of its classes; those of tests end in {@code Test}. */
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
