package io.hirundo.trainer.internal.run;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.checkpointdcp.internal.SyncFactory;
import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.train.RunInspector;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What goes through the layers of a run that has ended. */
class RunInspectionTest {
  @TempDir private Path folder;

  private SteeredRun run(Map<String, Object> mesh) {
    var run = new SteeredRun(folder).with("mesh", mesh);
    run.catalog.add("checkpoint", "sync", new SyncFactory(NamedBundle.context()));
    return run.with("checkpoint", Map.of("strategy", Map.of("name", "sync")));
  }

  /** Of FP32 operands. */
  private static final class Seen implements RunInspector.Visitor {
    final List<RunInspector.Inspected> begun = new ArrayList<>();
    /** By microbatch and layer: x, dy and w. */
    final Map<String, List<float[]>> operands = new LinkedHashMap<>();

    @Override
    public void begin(RunInspector.Inspected inspected) {
      begun.add(inspected);
    }

    @Override
    public void operands(int microbatch, RunInspector.LayerOperands layer) {
      var values = Stream.of(layer.xTK(), layer.dyTN(), layer.wNK()).map(each -> values(layer.device(), layer.queue(), each)).toList();
      assertEquals(layer.shape().outputs() * layer.shape().inputs(), values.get(2).length);
      assertEquals(null, operands.put(microbatch + " " + layer.shape().name(), values));
    }
  }

  private static float[] values(Device device, Queue queue, Tensor tensor) {
    assertEquals(DType.FP32, tensor.dtype());
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment host = arena.allocate(tensor.byteSize(), 64);
      device.transfer().download(queue, tensor, host);
      queue.drain();
      return host.toArray(ValueLayout.JAVA_FLOAT);
    }
  }

  /** The weights are those of the last step, in one piece, and of their operands the gradient is made. */
  @Test
  void theOperandsOfEveryLayer() throws Exception {
    var run = run(Map.of("tensor", 2, "data", 2)).run();
    Map<Path, Long> before = files();
    var seen = new Seen();
    new RunInspection(run.catalog).inspect(folder.resolve("steered"), List.of("evaluation.samples=3"), 2, seen);

    assertEquals(List.of((long) SteeredRun.STEPS), seen.begun.stream().map(RunInspector.Inspected::step).toList());
    assertEquals("fp32", seen.begun.getFirst().precision().name());
    assertEquals(2 * (4 * 4 + 1), seen.operands.size());
    var alone = run(Map.of());
    try (var strategies = new RunStrategies(alone.catalog, alone.configuration());
        var open = OpenRun.open(strategies.configuration(), strategies.strategies());
        var checkpoints = new RunCheckpoints(open, strategies, folder.resolve("steered").resolve("checkpoints"))) {
      checkpoints.restore(() -> false);
      for (var parameter : open.parameters()) {
        var operands = seen.operands.get("1 " + parameter.spec().name());
        if (operands != null) {
          assertArrayEquals(values(open.device(), open.first().queue(), parameter.value()), operands.get(2), parameter.spec().name());
        }
      }
    }
    assertEquals(before, files());
    List<float[]> first = seen.operands.get("0 model.layers.0.mlp.down_proj.weight");
    assertEquals(16 * 64, first.get(0).length);
    assertEquals(16 * 32, first.get(1).length);
    assertTrue(first.get(0)[7] != seen.operands.get("1 model.layers.0.mlp.down_proj.weight").get(0)[7], "another microbatch");
  }

  private Map<Path, Long> files() throws IOException {
    var sizes = new TreeMap<Path, Long>();
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path file : all.filter(Files::isRegularFile).filter(path -> !path.endsWith(".lock")).toList()) {
        sizes.put(file, Files.getLastModifiedTime(file).toMillis() * 31 + Files.size(file));
      }
    }
    return sizes;
  }

  @Test
  void whatCannotBeLookedAtIsSaid() {
    var inspection = new RunInspection(run(Map.of()).catalog);
    var none = assertThrows(ConfigurationException.class, () -> inspection.inspect(folder, List.of(), 1, new Seen()));
    assertTrue(none.getMessage().endsWith("it has no config.json; give runs/NAME"), none.getMessage());

    run(Map.of()).with("checkpoint", Map.of("strategy", Map.of("name", "sync"), "atEnd", false)).run();
    Path run = folder.resolve("steered");
    assertThrows(CheckpointException.class, () -> inspection.inspect(run, List.of(), 1, new Seen()));
  }

  @Test
  void moreMicrobatchesThanTheRunHasAreRefused() {
    run(Map.of()).run();
    var inspection = new RunInspection(run(Map.of()).catalog);
    var refused =
        assertThrows(
            ConfigurationException.class, () -> inspection.inspect(folder.resolve("steered"), List.of(), 49, new Seen()));
    assertTrue(refused.getMessage().contains("48 of the run"), refused.getMessage());
  }
}
