package io.hirundo.trainer.internal.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.checkpointdcp.internal.session.AsyncFactory;
import io.hirundo.checkpointdcp.internal.session.SyncFactory;
import io.hirundo.checkpointdcp.internal.session.TieredFactory;
import io.hirundo.checkpointhf.internal.format.HuggingFaceFactory;
import io.hirundo.commlocal.internal.fabric.LocalFactory;
import io.hirundo.dataloader.internal.sampling.IndexedFactory;
import io.hirundo.dataloader.internal.synthetic.SyntheticFactory;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseFactory;
import io.hirundo.modelllama.internal.LlamaFactory;
import io.hirundo.optimizeradamw.internal.adamw.AdamWFactory;
import io.hirundo.optimizeradamw.internal.schedule.ConstantFactory;
import io.hirundo.optimizeradamw.internal.schedule.CosineFactory;
import io.hirundo.parallelcp.internal.RingFactory;
import io.hirundo.paralleldp.internal.fsdp.FsdpFactory;
import io.hirundo.paralleldp.internal.zero1.Zero1Factory;
import io.hirundo.parallelpp.internal.OneForwardOneBackwardFactory;
import io.hirundo.paralleltp.internal.columnrow.ColumnRowFactory;
import io.hirundo.precisionnative.internal.Bf16Factory;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.trainer.internal.binding.ChoiceResolver;
import io.hirundo.trainer.internal.fixture.NamedBundle;
import io.hirundo.trainer.internal.layout.LayoutCheck;
import io.hirundo.trainer.internal.strategy.Offer;
import io.hirundo.trainer.internal.strategy.StrategyResolver;
import io.hirundo.trainer.internal.strategy.StrategyTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The shipped configurations bind to the records, their options to the strategies, and their meshes to the models. */
class ShippedConfigurationsTest {
  private static final Path ROOT = Path.of("../..");

  /** Llama 3.1 with its rotary scaling; a configuration with model.from reads these from the model's folder. */
  private static final String LLAMA_3 =
      "model.architecture={name: llama, options: {vocabSize: 128256, hiddenSize: %d, intermediateSize: %d, numHiddenLayers: %d,"
          + " numAttentionHeads: %d, numKeyValueHeads: 8, maxPositionEmbeddings: 131072, rmsNormEps: 1.0e-5, ropeTheta: 500000,"
          + " ropeScaling: {factor: 8, lowFreqFactor: 1, highFreqFactor: 4, originalMaxPositionEmbeddings: 8192}}}";

  /** The strategies of such a configuration, without GPU, MPI, native libraries and monitors, which a unit test does not have. */
  private static final StrategyTable REAL =
      StrategyTable.of(
          real("architecture", "llama", new LlamaFactory()),
          real("checkpoint", "dcp-async", new AsyncFactory(NamedBundle.context())),
          real("checkpoint", "dcp-tiered", new TieredFactory(NamedBundle.context())),
          real("checkpoint", "sync", new SyncFactory(NamedBundle.context())),
          real("context-parallel", "ring", new RingFactory()),
          real("data", "indexed", new IndexedFactory()),
          real("data", "synthetic", new SyntheticFactory()),
          real("data-parallel", "fsdp", new FsdpFactory()),
          real("data-parallel", "zero1", new Zero1Factory()),
          real("device", "cpu", new CpuBackendFactory()),
          real("fabric", "local", new LocalFactory()),
          real("learning-rate", "constant", new ConstantFactory()),
          real("learning-rate", "cosine", new CosineFactory()),
          real("model-format", "huggingface", new HuggingFaceFactory()),
          real("optimizer", "adamw", new AdamWFactory()),
          real("precision", "bf16", new Bf16Factory()),
          real("precision", "fp32", new Fp32Factory()),
          real("precision", "fp8-blockwise", new Fp8BlockwiseFactory()),
          real("schedule", "1f1b", new OneForwardOneBackwardFactory()),
          real("tensor-parallel", "column-row", new ColumnRowFactory()));

  private static Offer real(String kind, String name, StrategyFactory<?, ?> factory) {
    return new Offer(kind, name, "test 1.0.0", factory);
  }

  static List<Path> files() throws IOException {
    List<Path> files = new ArrayList<>();
    for (String folder : List.of("examples", "distro/src/main/files/conf")) {
      try (Stream<Path> found = Files.list(ROOT.resolve(folder))) {
        found.filter(file -> file.toString().endsWith(".yaml")).forEach(files::add);
      }
    }
    assertFalse(files.isEmpty());
    return files;
  }

  @ParameterizedTest
  @MethodSource("files")
  void bindsAndReadsBack(Path file) {
    ConfigurationBinder binder = new ConfigurationBinder(ChoiceResolver.unchecked());
    RunConfiguration bound = binder.read(file, List.of());
    assertEquals(
        ConfigurationBinder.json(bound), ConfigurationBinder.json(binder.bind(ConfigurationBinder.values(bound))));
  }

  @ParameterizedTest
  @CsvSource({"llama-3-8b, bf16", "llama-3-8b, fp8-blockwise", "llama-3-70b, bf16", "llama-3-70b, fp8-blockwise", "own-text, fp32"})
  void passesTheCheckOfConfigShow(String name, String precision) {
    var overrides = new ArrayList<>(List.of("device=cpu", "mesh.fabric=local", "data.tokenizer=null", "monitors=[]"));
    overrides.add("precision=" + precision);
    switch (name) {
      case "llama-3-8b" -> overrides.addAll(List.of("model.from=null", String.format(LLAMA_3, 4_096, 14_336, 32, 32)));
      case "llama-3-70b" -> overrides.addAll(List.of("model.from=null", String.format(LLAMA_3, 8_192, 28_672, 80, 64)));
      default -> {
        // Contains its architecture.
      }
    }
    RunConfiguration configuration = new ConfigurationBinder(REAL).read(ROOT.resolve("examples/" + name + ".yaml"), overrides);
    LayoutCheck.check(configuration, new StrategyResolver(REAL));
    assertEquals(name.equals("llama-3-70b") ? 256 : name.equals("llama-3-8b") ? 8 : 1, configuration.mesh().mesh().ranks());
  }

  @ParameterizedTest
  @MethodSource("files")
  void isNamedInTheReadme(Path file) throws IOException {
    if (file.getParent().endsWith("examples")) {
      String page = Files.readString(ROOT.resolve("examples/README.md"));
      assertTrue(page.contains("(" + file.getFileName() + ")"), file + " is not linked in examples/README.md");
    }
  }
}
