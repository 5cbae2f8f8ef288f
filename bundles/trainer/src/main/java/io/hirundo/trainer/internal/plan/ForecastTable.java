package io.hirundo.trainer.internal.plan;

import io.hirundo.device.MemoryCategory;
import io.hirundo.trainer.internal.accounting.AccountedLedger.Work;
import io.hirundo.trainer.internal.layout.RankNumbers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Formats a forecast as text. */
public final class ForecastTable {
  private static final Work NONE = new Work(0, 0, 0);

  private ForecastTable() {}

  public static String of(RunForecast forecast) {
    var counted = forecast.counted();
    var text = new StringBuilder();
    line(text, "Run %s on %s", forecast.run(), forecast.deviceName());
    line(text, "%,d parameters, %,d tokens a step", counted.parameters(), counted.tokensPerStep());
    forecast.warnings().forEach(warning -> line(text, "WARNING: %s", warning));
    counted.ranks().stream().flatMap(rank -> rank.products().stream()).distinct().forEach(each -> line(text, "%s", each));
    var heaviest = forecast.heaviest();
    boolean several = counted.ranks().size() > 1;
    String which = several ? "rank " + forecast.heaviestRank() + ", which needs most" : "a rank";
    line(text, "%nPeak memory of %s, in bytes (each category at its own time)", which);
    for (MemoryCategory category : MemoryCategory.values()) {
      line(text, "  %-14s %,20d", category.name().toLowerCase(Locale.ROOT), heaviest.peakBytes().get(category));
    }
    line(text, "  %-14s %,20d  at one time", "all", heaviest.peakTotalBytes());
    if (!forecast.fits()) {
      doesNotFit(text, forecast);
    }
    if (several) {
      ranks(text, counted.ranks());
    }
    if (!forecast.uncountedFabric().isEmpty()) {
      line(text, "Not counted: what the fabric %s itself takes for its messages", forecast.uncountedFabric());
    }
    line(text, "%nWork of a step: %.3f model TFLOP%s", counted.modelFlopsPerStep() / 1e12, several ? " on all ranks together; of " + which : "");
    line(text, "  %-32s %8s %16s %16s", "kernel", "calls", "GFLOP", "MB moved");
    heaviest
        .kernelsPerStep()
        .forEach(
            (kernel, work) ->
                line(
                    text, "  %-32s %8d %,16.3f %,16.1f", kernel, work.calls(), work.flops() / 1e9, work.movedBytes() / 1e6));
    messages(text, heaviest, forecast.heaviestAsValues());
    return text.toString();
  }

  /** Distinguishes the machine's memory from that of a cluster, for users who plan a cluster run on a single machine. */
  private static void doesNotFit(StringBuilder text, RunForecast forecast) {
    long bytes = forecast.deviceMemoryBytes();
    if (forecast.machineMemoryBytes() == bytes) {
      line(text, "  DOES NOT FIT: the device has %,d bytes", bytes);
    } else {
      line(
          text, "  DOES NOT FIT: %d ranks share the %,d bytes of this machine, %,d each", forecast.counted().ranks().size(),
          forecast.machineMemoryBytes(), bytes);
    }
  }

  /** {@code asValues}: the same rank without FP8 transfers. */
  private static void messages(StringBuilder text, DryRun.OfRank rank, DryRun.OfRank asValues) {
    var messages = rank.messagesPerStep();
    if (messages.isEmpty()) {
      line(text, "%nMessages of a step: none, one rank");
      return;
    }
    var values = asValues.messagesPerStep();
    boolean same = values.equals(messages);
    line(text, "%nMessages of a step");
    line(text, "  %-32s %8s %16s%s", "collective, axes", "calls", "MB", same ? "" : "  MB if nothing went in 8 bits");
    var names = new LinkedHashSet<>(messages.keySet());
    names.addAll(values.keySet());
    for (String name : names) {
      Work work = messages.getOrDefault(name, NONE);
      String other = same ? "" : String.format(Locale.ROOT, "  %,28.3f", values.getOrDefault(name, NONE).movedBytes() / 1e6);
      line(text, "  %-32s %8d %,16.3f%s", name, work.calls(), work.movedBytes() / 1e6, other);
    }
  }

  /** Prints ranks with equal peaks in one line. */
  private static void ranks(StringBuilder text, List<DryRun.OfRank> ranks) {
    var alike = new LinkedHashMap<Map<MemoryCategory, Long>, List<Integer>>();
    for (int rank = 0; rank < ranks.size(); rank++) {
      alike.computeIfAbsent(ranks.get(rank).peakBytes(), unseen -> new ArrayList<>()).add(rank);
    }
    line(text, "%nPeak memory of every rank, in MB");
    var header = new StringBuilder(String.format(Locale.ROOT, "  %-20s", "ranks"));
    for (MemoryCategory category : MemoryCategory.values()) {
      header.append(String.format(Locale.ROOT, " %13s", category.name().toLowerCase(Locale.ROOT)));
    }
    line(text, "%s %13s", header, "all");
    alike.forEach(
        (peaks, numbers) -> {
          var row = new StringBuilder(String.format(Locale.ROOT, "  %-20s", RankNumbers.of(numbers)));
          for (MemoryCategory category : MemoryCategory.values()) {
            row.append(String.format(Locale.ROOT, " %,13.3f", peaks.get(category) / 1e6));
          }
          line(text, "%s %,13.3f", row, ranks.get(numbers.getFirst()).peakTotalBytes() / 1e6);
        });
  }

  private static void line(StringBuilder text, String format, Object... arguments) {
    text.append(String.format(Locale.ROOT, format, arguments)).append('\n');
  }
}
