package io.hirundo.trainer.internal.plan;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.MemoryCategory;
import io.hirundo.trainer.internal.run.AccountedLedger.Work;
import io.hirundo.trainer.internal.run.DryRun;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ForecastTableTest {
  @Test
  void comparesMessagesOfCodesWithBf16() {
    String text = table(Map.of("message.all-gather data, fp8", new Work(3, 0, 1_500_000), "message.all-gather data", new Work(1, 0, 7)));
    assertTrue(text.contains("all-gather data, fp8"), text);
    assertTrue(text.contains("In fp8 1.500 MB; the same numbers in bf16 would be 3.000 MB, in fp32 6.000 MB"), text);
    assertFalse(table(Map.of("message.all-gather data", new Work(1, 0, 7))).contains("bf16"));
  }

  private static String table(Map<String, Work> work) {
    Map<MemoryCategory, Long> peaks = Arrays.stream(MemoryCategory.values()).collect(Collectors.toMap(each -> each, each -> 1L));
    var rank = new DryRun.OfRank(peaks, 1, work, List.of());
    return ForecastTable.of(new RunForecast("run", "device", 0, new DryRun.Counted(1, 1, 1, List.of(rank)), ""));
  }
}
