package __package__;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.device.DeviceInfo;
import io.hirundo.event.TrainingEvent.RunFinished;
import io.hirundo.event.TrainingEvent.RunPlan;
import io.hirundo.event.TrainingEvent.RunStarted;
import io.hirundo.event.TrainingEvent.StepCompleted;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.event.TrainingListener;
import io.hirundo.mesh.Mesh;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.MonitorContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract of a monitor, one test per clause; and tests of this monitor's output. */
@HirundoContract
class __Name__MonitorTest implements MonitorContract {
    @Override
    public TrainingListener listener() {
        return new __Name__Factory().create(new __Name__Options());
    }

    @Test
    void aLineIsWrittenEverySoManySteps(@TempDir Path folder) throws IOException {
        TrainingListener monitor = new __Name__Factory().create(new __Name__Options("figures.csv", 2));
        var device = new DeviceInfo("testkit", 0, "no device", "none", 0);
        monitor.on(new RunStarted("test", folder, device, Mesh.ALONE, List.of(), new RunPlan(1, 1, 3, 100, 1)));
        for (int step = 1; step <= 3; step++) {
            var metrics = new StepMetrics(2.5, 0.5, 0.001, 100, 1_000_000_000, 1);
            monitor.on(new StepCompleted(step, metrics, Map.of(), Map.of()));
        }
        monitor.on(new RunFinished(3, false));
        assertEquals(
                List.of("step,loss,gradientNorm,learningRate,tokensPerSecond", "2,2.5,0.5,0.001,100.0"),
                Files.readAllLines(folder.resolve("figures.csv")));
    }
}
