package io.hirundo.devicecuda.internal.driver;

import java.util.function.Consumer;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUstreamCaptureMode;
import jcuda.driver.JCudaDriver;

/** A CUDA graph that can be launched: kernels, one behind the other. To be used by one thread at a time. */
public final class CudaGraph implements AutoCloseable {
  private final Context context;
  private final CUgraphExec executable;

  private CudaGraph(Context context, CUgraphExec executable) {
    this.context = context;
    this.executable = executable;
  }

  /**
   * What a stream is given becomes a graph; nothing of it is run.
   *
   * @param stream that is used for nothing else
   * @throws io.hirundo.DeviceException where the driver makes no graph of it; nothing is left of it
   */
  public static CudaGraph capture(Context context, Handles.Stream stream, Consumer<Handles.Stream> work) {
    CUgraph graph = context.withoutWaits(() -> capture(stream, work));
    var executable = new CUgraphExec();
    int result = JCudaDriver.cuGraphInstantiate(executable, graph, 0);
    // What the driver says of that it says of the next call too.
    JCudaDriver.cuGraphDestroy(graph);
    Result.check("cuGraphInstantiate", result);
    return new CudaGraph(context, executable);
  }

  private static CUgraph capture(Handles.Stream stream, Consumer<Handles.Stream> work) {
    // Other threads may use the driver as they like meanwhile.
    Result.check(
        "cuStreamBeginCapture", JCudaDriver.cuStreamBeginCapture(stream, CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED));
    var graph = new CUgraph();
    try {
      work.accept(stream);
    } catch (RuntimeException failure) {
      // Ends also where it failed, and then there may be no graph.
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

  /** What was launched still goes to its end. */
  @Override
  public void close() {
    context.makeCurrent();
    Result.check("cuGraphExecDestroy", JCudaDriver.cuGraphExecDestroy(executable));
  }
}
