package io.hirundo.trainer.internal.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.hirundo.trainer.internal.binding.ChoiceResolver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The configurations that come with Hirundo fit its records. */
class ShippedConfigurationsTest {
  private static final Path ROOT = Path.of("../..");

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
}
