package io.hirundo.devicecuda.internal.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.devicecuda.internal.fixture.StubCuda;
import java.lang.Thread.State;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.Test;

/** The stub, like the driver, fails to synchronize a GPU during a stream capture, and the capture is invalidated too. */
class CaptureTurnsTest {
    @Test
    void synchronizeWaitsForTheEndOfACapture() throws InterruptedException {
        StubCuda stub = StubCuda.orSkip();
        int live = stub.live();
        Gpu gpu = Driver.open(StubCuda.DRIVER).hopper().getFirst();
        try (Context mine = gpu.open();
                Context theirs = gpu.open()) {
            mine.makeCurrent();
            var stream = new Handles.Stream();
            assertEquals(0, JCudaDriver.cuStreamCreate(stream, 0));
            var failures = new Throwable[1];
            var waiting = new Thread(theirs::synchronize);
            waiting.setUncaughtExceptionHandler((ended, failure) -> failures[0] = failure);
            CudaGraph graph = CudaGraph.capture(mine, stream, capturing -> {
                waiting.start();
                State state;
                do {
                    Thread.onSpinWait();
                    state = waiting.getState();
                } while (state != State.BLOCKED && state != State.TERMINATED);
            });
            waiting.join();
            assertEquals(null, failures[0]);
            graph.close();
            assertEquals(0, JCudaDriver.cuStreamDestroy(stream));
        }
        assertEquals(live, stub.live());
    }
}
