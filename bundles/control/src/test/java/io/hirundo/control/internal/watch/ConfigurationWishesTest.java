package io.hirundo.control.internal.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.control.internal.FakeRun;
import io.hirundo.train.Decision;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
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

  @Test
  void whatWasRefusedWithABadLineIsWishedForWithTheGoodOne() {
    run.refusal = "precision: \"bf17\" is unknown";
    var wishes = new ConfigurationWishes(run, Map.of("precision", "bf17", "training.clipNorm", "0.5"));
    run.refusal = null;
    wishes.wish(Map.of("precision", "bf17", "training.clipNorm", "0.5"));
    assertEquals(List.of("change [precision=bf17, training.clipNorm=0.5]"), run.wishes, "it has not changed");

    wishes.wish(Map.of("precision", "bf16", "training.clipNorm", "0.5"));
    assertEquals("change [precision=bf16, training.clipNorm=0.5]", run.wishes.getLast());
    wishes.wish(Map.of("precision", "bf16", "training.clipNorm", "0.25"));
    assertEquals("change [training.clipNorm=0.25]", run.wishes.getLast());
    assertEquals(3, run.wishes.size());
  }

  @Test
  void whatChangesWhileItIsBeingDecidedWaitsForTheDecision() {
    var decision = new CompletableFuture<Decision>();
    run.undecided = decision;
    var wishes = new ConfigurationWishes(run, Map.of("precision", "bf17", "training.clipNorm", "0.5"));
    wishes.wish(Map.of("precision", "bf16", "training.clipNorm", "0.5"));
    assertEquals(1, run.wishes.size());

    run.undecided = null;
    decision.complete(new Decision(false, 41, "precision: \"bf17\" is unknown"));

    assertEquals("change [precision=bf16, training.clipNorm=0.5]", run.wishes.getLast());
  }
}
