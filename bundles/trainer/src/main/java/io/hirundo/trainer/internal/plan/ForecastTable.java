package io.hirundo.trainer.internal.plan;

import io.hirundo.device.MemoryCategory;
import java.util.Locale;

/** A forecast for people to read. */
public final class ForecastTable {
  private ForecastTable() {}

  public static String of(RunForecast forecast) {
    var counted = forecast.counted();
    var text = new StringBuilder();
    line(text, "Run %s on %s", forecast.run(), forecast.deviceName());
    line(text, "%,d parameters, %,d tokens a step", counted.parameters(), counted.tokensPerStep());
    line(text, "%nPeak memory of a rank, in bytes (each category at its own time)");
    for (MemoryCategory category : MemoryCategory.values()) {
      line(text, "  %-14s %,20d", category.name().toLowerCase(Locale.ROOT), counted.peakBytes().get(category));
    }
    line(text, "  %-14s %,20d  at one time", "all", counted.peakTotalBytes());
    if (!forecast.fits()) {
      line(text, "  DOES NOT FIT: the device has %,d bytes", forecast.deviceMemoryBytes());
    }
    line(text, "%nWork of a step: %.3f model TFLOP", counted.modelFlopsPerStep() / 1e12);
    line(text, "  %-32s %8s %16s %16s", "kernel", "calls", "GFLOP", "MB moved");
    counted
        .workPerStep()
        .forEach(
            (kernel, work) ->
                line(
                    text, "  %-32s %8d %,16.3f %,16.1f", kernel, work.calls(), work.flops() / 1e9, work.movedBytes() / 1e6));
    line(text, "%nMessages of a step: none, one rank");
    return text.toString();
  }

  private static void line(StringBuilder text, String format, Object... arguments) {
    text.append(String.format(Locale.ROOT, format, arguments)).append('\n');
  }
}
