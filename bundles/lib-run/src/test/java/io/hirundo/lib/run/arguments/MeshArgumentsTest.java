package io.hirundo.lib.run.arguments;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class MeshArgumentsTest {
    @Test
    void shortFormsComeBeforeOtherSettings() {
        var mesh = CommandLine.populateCommand(new MeshArguments(), "--tp", "2", "--schedule", "interleaved");
        var others = List.of("mesh.schedule.options.chunks=4", "seed=3");

        assertEquals(
                List.of("mesh.tensor=2", "mesh.schedule=interleaved", "mesh.schedule.options.chunks=4", "seed=3"),
                mesh.before(others));
    }

    @ParameterizedTest
    @ValueSource(strings = {"mesh.tensor=4", "mesh={tensor: 4}"})
    void rejectsASettingGivenTwice(String assignment) {
        var mesh = CommandLine.populateCommand(new MeshArguments(), "--tp", "2");
        var failure = assertThrows(ConfigurationException.class, () -> mesh.before(List.of(assignment)));

        assertTrue(
                failure.getMessage().startsWith("--tp 2 and --set " + assignment + " set the same value"),
                failure.getMessage());
    }
}
