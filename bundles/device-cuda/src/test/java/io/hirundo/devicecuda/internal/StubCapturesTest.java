package io.hirundo.devicecuda.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.function.ToIntFunction;
import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Streams of the stub capture what the driver's do, and refuse what these refuse. */
class StubCapturesTest extends StubGraphTest {
  private record Call(String name, int result, ToIntFunction<StubCapturesTest> by) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<Call> refused() {
    return List.of(
        new Call("cuStreamSynchronize", UNSUPPORTED, test -> JCudaDriver.cuStreamSynchronize(test.stream)),
        new Call("cuCtxSynchronize", UNSUPPORTED, _ -> JCudaDriver.cuCtxSynchronize()),
        new Call("cuStreamDestroy", UNSUPPORTED, test -> JCudaDriver.cuStreamDestroy(test.stream)),
        new Call("cuEventRecord", UNSUPPORTED, test -> JCudaDriver.cuEventRecord(test.event, test.stream)),
        new Call("cuMemAllocAsync", UNSUPPORTED, test -> JCudaDriver.cuMemAllocAsync(new CUdeviceptr(), 4, test.stream)),
        new Call("cuMemFreeAsync", UNSUPPORTED, test -> JCudaDriver.cuMemFreeAsync(test.x, test.stream)),
        new Call("cuMemcpyHtoDAsync", UNSUPPORTED, test -> JCudaDriver.cuMemcpyHtoDAsync(test.x, Pointer.to(new int[1]), 4, test.stream)),
        new Call("cuMemcpyDtoHAsync", UNSUPPORTED, test -> JCudaDriver.cuMemcpyDtoHAsync(Pointer.to(new int[1]), test.x, 4, test.stream)),
        new Call("cuGraphLaunch", UNSUPPORTED, test -> JCudaDriver.cuGraphLaunch(test.exec, test.stream)),
        new Call("cuStreamWaitEvent", ISOLATION, test -> JCudaDriver.cuStreamWaitEvent(test.stream, test.event, 0)));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void whatAStreamRefusesWhileItCapturesIsTheEndOfTheGraph(Call call) {
    ok(JCudaDriver.cuGraphDestroy(graph));
    begin();
    ok(launch("add", 3));
    assertEquals(call.result(), call.by().applyAsInt(this));
    assertEquals(2, status());
    assertEquals(INVALIDATED, launch("add", 3));
    assertEquals(INVALIDATED, call.by().applyAsInt(this));
    assertEquals(INVALIDATED, end());
    assertEquals(new CUgraph(), graph);
    assertEquals(0, status());
    assertEquals(1, value(), "nothing ran");
  }

  /** What other streams do is not captured, and goes on. */
  @Test
  void besidesACaptureAllIsAllowed() {
    ok(JCudaDriver.cuGraphDestroy(graph));
    begin();
    var memory = new CUdeviceptr();
    ok(JCudaDriver.cuMemAllocAsync(memory, Integer.BYTES, other));
    ok(JCudaDriver.cuMemFreeAsync(memory, other));
    ok(JCudaDriver.cuGraphLaunch(exec, other));
    ok(JCudaDriver.cuEventRecord(event, other));
    ok(JCudaDriver.cuEventSynchronize(event));
    ok(JCudaDriver.cuStreamSynchronize(other));
    assertEquals(1, status());
    ok(end());
    assertEquals((1 + 3) * 2, value());
  }

  @Test
  void capturesBeginAndEndByTurns() {
    ok(JCudaDriver.cuGraphDestroy(graph));
    assertEquals(INVALID_VALUE, JCudaDriver.cuStreamBeginCapture(stream, 0));
    assertEquals(ILLEGAL_STATE, end());
    begin();
    assertEquals(ILLEGAL_STATE, JCudaDriver.cuStreamBeginCapture(stream, RELAXED));
    // A failure is the end all the same.
    stub.fail("cuStreamEndCapture", OUT_OF_MEMORY);
    assertEquals(OUT_OF_MEMORY, end());
    assertEquals(0, status());
  }

  static List<Call> failing() {
    return List.of(
        new Call("cuStreamBeginCapture", OUT_OF_MEMORY, test -> JCudaDriver.cuStreamBeginCapture(test.stream, RELAXED)),
        new Call("cuStreamIsCapturing", OUT_OF_MEMORY, test -> JCudaDriver.cuStreamIsCapturing(test.stream, new int[1])),
        new Call("cuGraphGetNodes", OUT_OF_MEMORY, test -> JCudaDriver.cuGraphGetNodes(test.graph, null, new long[1])),
        new Call("cuGraphInstantiateWithFlags", OUT_OF_MEMORY, test -> JCudaDriver.cuGraphInstantiate(new CUgraphExec(), test.graph, 0)),
        new Call("cuGraphLaunch", OUT_OF_MEMORY, test -> JCudaDriver.cuGraphLaunch(test.exec, test.stream)),
        new Call("cuGraphExecDestroy", OUT_OF_MEMORY, test -> JCudaDriver.cuGraphExecDestroy(test.exec)),
        new Call("cuGraphDestroy", OUT_OF_MEMORY, test -> JCudaDriver.cuGraphDestroy(test.graph)));
  }

  @ParameterizedTest
  @MethodSource("failing")
  void everyCallFailsByItsName(Call call) {
    stub.fail(call.name(), call.result());
    assertEquals(call.result(), call.by().applyAsInt(this));
  }
}
