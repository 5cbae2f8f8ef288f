package io.hirundo.cli.internal.doctor;

import io.hirundo.cli.internal.quickstart.SampleText;
import io.hirundo.command.Check;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.util.List;
import java.util.Locale;
import org.osgi.service.component.annotations.Component;

/** The JDK and the machine under it. */
@Component
public final class MachineCheck implements Check {
  private static final String VECTOR_MODULE = "jdk.incubator.vector";

  @Override
  public List<Finding> look() {
    return List.of(jdk(), vectorApi(), machine(), sources());
  }

  private static Finding jdk() {
    return new Finding(
        State.GOOD,
        "JDK",
        Runtime.version() + " (" + System.getProperty("java.vendor") + ") in " + System.getProperty("java.home"));
  }

  private static Finding vectorApi() {
    boolean there = ModuleLayer.boot().findModule(VECTOR_MODULE).isPresent();
    return there
        ? new Finding(State.GOOD, "Vector API", "module " + VECTOR_MODULE + " is there")
        : new Finding(
            State.BAD, "Vector API", "start Java with --add-modules=" + VECTOR_MODULE + ", as the hirundo script does");
  }

  private static Finding machine() {
    int cores = Runtime.getRuntime().availableProcessors();
    String memory = "";
    if (ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean os) {
      memory = String.format(Locale.ROOT, ", %.1f GiB of memory", os.getTotalMemorySize() / 0x1p30);
    }
    String system = System.getProperty("os.name") + " " + System.getProperty("os.arch");
    return new Finding(State.GOOD, "Machine", cores + " cores" + memory + ", " + system);
  }

  private static Finding sources() {
    var archive = SampleText.ofThisJdk();
    return Files.isReadable(archive)
        ? new Finding(State.GOOD, "Sample text", archive.toString())
        : new Finding(
            State.ABSENT, "Sample text", "this JDK has no " + archive + "; quickstart takes the sources of Hirundo's own "
                + "dependencies, or what --data names");
  }
}
