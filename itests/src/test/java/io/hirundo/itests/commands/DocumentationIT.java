package io.hirundo.itests.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.itests.program.InProcess;
import io.hirundo.itests.program.Profiles;
import io.hirundo.itests.program.Program;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** The pages in the repository equal those that the program writes. */
class DocumentationIT {
  @Test
  void thePageOfSettings() throws Exception {
    Program.Result reference = InProcess.command("config", "reference");

    assertEquals(0, reference.exitCode(), reference::toString);
    assertEquals(
        Files.readString(Profiles.distro().resolve("../../../docs/configuration.md").normalize()),
        reference.out(),
        "docs/configuration.md differs from the program's settings; regenerate it with\n"
            + "    ./hirundo config reference > docs/configuration.md\n");
  }
}
