package io.hirundo.devicecuda.internal.driver;

import java.util.function.Consumer;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUstreamCaptureMode;
import jcuda.driver.JCudaDriver;

/** An executable CUDA graph: a linear sequence of kernels. To be used by one thread at a time. */
public final class CudaGraph implements AutoCloseable {
    private final Context context;
    private final CUgraphExec executable;

    private CudaGraph(Context context, CUgraphExec executable) {
        this.context = context;
        this.executable = executable;
    }

    /**
     * Captures work into a graph without running it.
     *
     * @param stream a stream that is used only for captures
     * @throws io.hirundo.DeviceException if the driver cannot create the graph; nothing stays allocated
     */
    public static CudaGraph capture(Context context, Handles.Stream stream, Consumer<Handles.Stream> work) {
        CUgraph graph = context.withoutWaits(() -> capture(stream, work));
        var executable = new CUgraphExec();
        int result = JCudaDriver.cuGraphInstantiate(executable, graph, 0);
        // The next call returns the same error again.
        JCudaDriver.cuGraphDestroy(graph);
        Result.check("cuGraphInstantiate", result);
        return new CudaGraph(context, executable);
    }

    private static CUgraph capture(Handles.Stream stream, Consumer<Handles.Stream> work) {
        // Other threads may use the driver freely during the capture.
        Result.check(
                "cuStreamBeginCapture",
                JCudaDriver.cuStreamBeginCapture(stream, CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED));
        var graph = new CUgraph();
        try {
            work.accept(stream);
        } catch (RuntimeException failure) {
            // Ends the capture also after a failure, in which case there may be no graph.
            JCudaDriver.cuStreamEndCapture(stream, graph);
            JCudaDriver.cuGraphDestroy(graph);
            throw failure;
        }
        Result.check("cuStreamEndCapture", JCudaDriver.cuStreamEndCapture(stream, graph));
        return graph;
    }

    public void launch(Handles.Stream stream) {
        context.makeCurrent();
        Result.check("cuGraphLaunch", JCudaDriver.cuGraphLaunch(executable, stream));
    }

    /** Launches in progress still complete. */
    @Override
    public void close() {
        context.makeCurrent();
        Result.check("cuGraphExecDestroy", JCudaDriver.cuGraphExecDestroy(executable));
    }
}
