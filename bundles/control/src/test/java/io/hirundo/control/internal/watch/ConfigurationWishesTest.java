package io.hirundo.control.internal.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.control.internal.FakeRun;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConfigurationWishesTest {
  private final FakeRun run = new FakeRun(Path.of("runs", "tiny"));

  @Test
  void onlyWhatChangesIsWishedFor() {
    Map<String, Object> first =
        Map.of("precision", "bf16", "learningRate.options.peak", "0.001", "service.pid", "x", "component.id", 3L, "osgi.ds.x", "y",
            "felix.fileinstall.filename", "file:/conf");
    var wishes = new ConfigurationWishes(run, first);
    wishes.wish(Map.of("precision", "fp32", "learningRate.options.peak", "0.001"));
    wishes.wish(Map.of("precision", "fp32", "learningRate.options.peak", "0.001"));
    wishes.wish(Map.of("precision", "fp32"));

    assertEquals(
        List.of("change [learningRate.options.peak=0.001, precision=bf16]", "change [precision=fp32]"), run.wishes);
  }
}
