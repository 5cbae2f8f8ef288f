package io.hirundo.devicecuda.internal.suite;

import io.hirundo.ExitCode;
import io.hirundo.StorageException;
import io.hirundo.command.Command;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ServiceScope;

/** Everything that can be found out about a GPU in one go: the first thing to run where there is one. */
@Component(service = Command.class, scope = ServiceScope.PROTOTYPE, property = Command.PATH + "=gpu-suite")
@picocli.CommandLine.Command(
    name = "gpu-suite",
    description = "Runs every kernel on the GPU against the CPU's reference, measures how fast memory is copied, and writes a report.",
    footerHeading = "%nExamples:%n",
    footer = {"  hirundo gpu-suite", "  hirundo gpu-suite --report h100.md"})
public final class GpuSuiteCommand implements Command {
  private final StrategyRegistry registry;

  @picocli.CommandLine.Option(
      names = "--report",
      paramLabel = "FILE",
      defaultValue = "gpu-suite.md",
      description = "where the report goes (default: ${DEFAULT-VALUE})")
  private Path report;

  @picocli.CommandLine.Option(
      names = "--toolkit",
      paramLabel = "DIR",
      description = "folder of the CUDA toolkit or of the package that holds libnvrtc, as the device's option")
  private String toolkit;

  @Activate
  public GpuSuiteCommand(@Reference StrategyRegistry registry) {
    this.registry = registry;
  }

  /**
   * @throws io.hirundo.DeviceException where there is no GPU or it cannot be used; the message is the reason
   */
  @Override
  public Integer call() {
    Map<String, Object> options = toolkit == null ? Map.of() : Map.of("toolkit", toolkit);
    ComputeBackend cuda = registry.create(ComputeBackend.class, new Choice("cuda", options), "device");
    var reference = new Choice("cpu", Map.of("kernels", "reference", "workers", 1));
    try (Device gpu = cuda.open(0, new Unbooked());
        Device cpu = registry.create(ComputeBackend.class, reference, "reference").open(0, new Unbooked())) {
      var results = new GpuSuite(KernelCases.forGpu(), GpuSuite.COPIED_BYTES).run(cpu, gpu, System.out::println);
      // Before the GPU is closed: that fails where a kernel has broken its context.
      Files.writeString(report, results.report());
      System.out.println(results.summary() + "; see " + report);
      return results.failures().isEmpty() ? ExitCode.OK : ExitCode.INTERNAL;
    } catch (IOException failure) {
      throw new StorageException("the report cannot be written to " + report + ": " + failure.getMessage(), failure);
    }
  }
}
