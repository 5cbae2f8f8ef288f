package io.hirundo.devicecuda.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.devicecuda.internal.driver.Context;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.Bench;
import java.nio.file.Path;
import jcuda.driver.CUevent;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.Test;

/** Graphs run in the stub as in the driver, and who has none, or none any more, is refused. */
class StubGraphsTest extends StubGraphTest {
  @Test
  void whatIsCapturedRunsWhenItIsLaunchedAndAsOftenAsItIs() {
    int launches = stub.calls("cuLaunchKernel");
    assertEquals(1, value());
    ok(JCudaDriver.cuGraphLaunch(exec, stream));
    ok(launch("add", 100));
    ok(JCudaDriver.cuGraphDestroy(graph));
    ok(JCudaDriver.cuGraphLaunch(exec, stream));
    // What was launched is done to the end.
    ok(JCudaDriver.cuGraphExecDestroy(exec));
    assertEquals(((1 + 3) * 2 + 100 + 3) * 2, value());
    assertEquals(launches + 1, stub.calls("cuLaunchKernel"));
  }

  @Test
  void aGraphsLaunchesComeOneAfterTheOtherInWhateverStreams() {
    ok(JCudaDriver.cuGraphLaunch(exec, stream));
    ok(JCudaDriver.cuGraphLaunch(exec, other));
    ok(JCudaDriver.cuStreamSynchronize(other));
    assertEquals(0, stub.pending());
    assertEquals(((1 + 3) * 2 + 3) * 2, value());
  }

  @Test
  void aGraphTakesTheTimeOfItsKernels() {
    var begin = new CUevent();
    var millis = new float[1];
    ok(JCudaDriver.cuEventCreate(begin, 0));
    ok(JCudaDriver.cuEventRecord(begin, stream));
    ok(JCudaDriver.cuGraphLaunch(exec, stream));
    ok(JCudaDriver.cuEventRecord(event, stream));
    ok(JCudaDriver.cuEventSynchronize(event));
    ok(JCudaDriver.cuEventElapsedTime(millis, begin, event));
    assertEquals(4, millis[0]);
    ok(JCudaDriver.cuEventDestroy(begin));
  }

  /** JCuda does not pass on how long an array for nodes is: only their number can be asked for. */
  @Test
  void theNodesOfAGraphAreCounted() {
    var count = new long[1];
    ok(JCudaDriver.cuGraphGetNodes(graph, null, count));
    assertEquals(2, count[0]);
  }

  @Test
  void whatIsGoneOrOfAnotherGpuIsNotLaunched() {
    stub.gpus(2, true);
    try (var second = new Context(1)) {
      var there = new CUstream();
      second.makeCurrent();
      ok(JCudaDriver.cuStreamCreate(there, 0));
      assertEquals(INVALID_HANDLE, JCudaDriver.cuGraphLaunch(exec, stream));
      assertEquals(INVALID_HANDLE, JCudaDriver.cuGraphLaunch(exec, there));
      ok(JCudaDriver.cuStreamDestroy(there));
      context.makeCurrent();
    } finally {
      stub.gpus(1, true);
    }
    assertEquals(INVALID_VALUE, JCudaDriver.cuGraphLaunch(new CUgraphExec(), stream));
    ok(JCudaDriver.cuGraphExecDestroy(exec));
    assertEquals(INVALID_VALUE, JCudaDriver.cuGraphLaunch(exec, stream));
    assertEquals(INVALID_VALUE, JCudaDriver.cuGraphExecDestroy(exec));
  }

  @Test
  void kernelsOfAnUnloadedModuleAreFound() {
    module.close();
    module = load();
    assertEquals(INVALID_VALUE, JCudaDriver.cuGraphLaunch(exec, stream));
    assertEquals(INVALID_VALUE, JCudaDriver.cuGraphInstantiate(new CUgraphExec(), graph, 0));
  }

  @Test
  void graphsThatAreLeftAreCounted() {
    int before = stub.live();
    ok(JCudaDriver.cuGraphDestroy(graph));
    assertEquals(before - 1, stub.live());
    ok(JCudaDriver.cuGraphExecDestroy(exec));
    assertEquals(before - 2, stub.live());
  }

  @Test
  void productsOfCublasLtAreCapturedToo() {
    try (Bench bench = Bench.open(stub.backend(CudaOptions.CUBLASLT, Path.of(stub.toolkit())))) {
      Tensor a = bench.tensor(DType.FP32, i -> i, 2, 3);
      Tensor sum = bench.tensor(DType.FP32, i -> 0, 2, 2);
      Runnable multiply = () -> bench.device().kernels().gemm().multiplyNT(bench.queue(), a, a, sum, true);
      multiply.run();
      bench.queue().drain();
      ok(JCudaDriver.cuGraphExecDestroy(exec));
      ok(JCudaDriver.cuGraphDestroy(graph));
      CUstream queue = CudaQueue.of(bench.queue()).stream();
      ok(JCudaDriver.cuStreamBeginCapture(queue, RELAXED));
      multiply.run();
      ok(JCudaDriver.cuStreamEndCapture(queue, graph));
      ok(JCudaDriver.cuGraphInstantiate(exec, graph, 0));
      ok(JCudaDriver.cuGraphLaunch(exec, queue));
      ok(JCudaDriver.cuGraphLaunch(exec, queue));
      assertArrayEquals(new double[] {3 * 5, 3 * 14, 3 * 14, 3 * 50}, bench.read(sum));
    }
  }
}
