package io.hirundo.trainer.internal.plan;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.MemoryCategory;
import io.hirundo.trainer.internal.accounting.AccountedLedger.Work;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ForecastTableTest {
  @Test
  void comparesCollectivesWithAndWithoutFp8() {
    Map<String, Work> inCodes = Map.of("message.all-gather data", new Work(3, 0, 1_500_000), "message.all-reduce data", new Work(1, 0, 7000));
    Map<String, Work> asValues = Map.of("message.all-gather data", new Work(2, 0, 6_000_000));
    String text = table(inCodes, asValues);
    assertTrue(text.contains("if nothing went in 8 bits"), text);
    assertTrue(text.matches("(?s).*all-gather data +3 +1\\.500 +6\\.000\n.*"), text);
    assertTrue(text.matches("(?s).*all-reduce data +1 +0\\.007 +0\\.000\n.*"), text);
    assertFalse(table(asValues, asValues).contains("8 bits"));
  }

  @Test
  void reportsSharedDeviceMemory() {
    var counted = counted(Map.of());
    String shared = ForecastTable.of(new RunForecast("run", "device", 0, 10, counted, counted, "", List.of("mesh.pipeline: odd")));
    assertFalse(shared.contains("DOES NOT FIT"), shared);
    assertTrue(shared.contains("\nWARNING: mesh.pipeline: odd\n"), shared);
    var large = new DryRun.Counted(1, 1, 1, false, List.of(rank(50_000), rank(50_000)));
    shared = ForecastTable.of(new RunForecast("run", "device", 20_000, 40_000, large, large, "", List.of()));
    assertTrue(shared.contains("DOES NOT FIT: 2 ranks share the 40,000 bytes of this machine, 20,000 each"), shared);
    String own = ForecastTable.of(new RunForecast("run", "device", 20_000, 20_000, large, large, "", List.of()));
    assertTrue(own.contains("DOES NOT FIT: the device has 20,000 bytes"), own);
  }

  private static DryRun.OfRank rank(long peakTotalBytes) {
    return new DryRun.OfRank(counted(Map.of()).ranks().getFirst().peakBytes(), peakTotalBytes, Map.of(), List.of());
  }

  private static String table(Map<String, Work> work, Map<String, Work> asValues) {
    return ForecastTable.of(new RunForecast("run", "device", 0, 0, counted(work), counted(asValues), "", List.of()));
  }

  private static DryRun.Counted counted(Map<String, Work> work) {
    Map<MemoryCategory, Long> peaks = Arrays.stream(MemoryCategory.values()).collect(Collectors.toMap(each -> each, each -> 1L));
    return new DryRun.Counted(1, 1, 1, !work.isEmpty(), List.of(new DryRun.OfRank(peaks, 1, work, List.of())));
  }
}
