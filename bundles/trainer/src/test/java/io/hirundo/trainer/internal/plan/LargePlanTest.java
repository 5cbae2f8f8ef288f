package io.hirundo.trainer.internal.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.trainer.internal.config.RunConfiguration;
import io.hirundo.trainer.internal.fixture.Examples;
import io.hirundo.trainer.internal.strategy.StrategyResolver;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plans of published runs on thousands of GPUs take seconds. */
class LargePlanTest {
  /** Of two processors. Not the time that passes, because other builds may use the processors. */
  private static final Duration LIMIT = Duration.ofSeconds(2 * 20);

  @ParameterizedTest
  @CsvSource({"llama-3-70b, 256", "llama-3.1-405b, 16384"})
  void takesSeconds(String example, int ranks) {
    RunConfiguration configuration = Examples.read(example);
    Duration begin = processorTime();
    try (var strategies = new StrategyResolver(Examples.STRATEGIES).resolve(configuration)) {
      RunForecast forecast = new RunPlanner(Examples.STRATEGIES).plan(configuration, strategies, DryRun.Watch.NONE);
      Duration taken = processorTime().minus(begin);
      assertEquals(ranks, forecast.counted().ranks().size());
      assertTrue(taken.compareTo(LIMIT) < 0, "the plan took " + taken + " of processor time");
    }
  }

  @Test
  void rejectsMoreRanksThanItCounts() {
    RunConfiguration configuration =
        Examples.read("llama-3.1-405b", "mesh.data=1024", "training.globalBatch=16384");
    try (var strategies = new StrategyResolver(Examples.STRATEGIES).resolve(configuration)) {
      var planner = new RunPlanner(Examples.STRATEGIES);
      var failure = assertThrows(ConfigurationException.class, () -> planner.plan(configuration, strategies, DryRun.Watch.NONE));
      assertEquals(
          "mesh: 131,072 ranks; a plan counts up to 65,536; lower mesh.data, whose ranks differ only in their shards of optimizer state",
          failure.getMessage());
    }
  }

  private static Duration processorTime() {
    return ProcessHandle.current().info().totalCpuDuration().orElseThrow();
  }
}
