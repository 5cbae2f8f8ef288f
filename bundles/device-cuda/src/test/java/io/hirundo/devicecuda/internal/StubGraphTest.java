package io.hirundo.devicecuda.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.devicecuda.internal.driver.Context;
import io.hirundo.devicecuda.internal.driver.Driver;
import io.hirundo.devicecuda.internal.driver.KernelCompiler;
import io.hirundo.devicecuda.internal.driver.KernelModule;
import io.hirundo.devicecuda.internal.driver.KernelSource;
import io.hirundo.devicecuda.internal.driver.Nvrtc;
import java.util.TreeMap;
import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.CUstreamCaptureMode;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A graph of two kernels of a module, captured and instantiated, and what it works on; all is given back. */
abstract class StubGraphTest {
  private static final KernelSource SOURCE =
      new KernelSource(
          "graphs",
          """
          KERNEL(32, add, int *x, int n) { if (threadIdx.x == 0) *x += n; }
          KERNEL(32, multiply, int *x, int n) { if (threadIdx.x == 0) *x *= n; }
          """,
          new TreeMap<>());

  static final int RELAXED = CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED;
  static final int OK = CUresult.CUDA_SUCCESS;
  static final int INVALID_VALUE = CUresult.CUDA_ERROR_INVALID_VALUE;
  static final int INVALID_HANDLE = CUresult.CUDA_ERROR_INVALID_HANDLE;
  static final int OUT_OF_MEMORY = CUresult.CUDA_ERROR_OUT_OF_MEMORY;
  static final int ILLEGAL_STATE = CUresult.CUDA_ERROR_ILLEGAL_STATE;
  static final int UNSUPPORTED = CUresult.CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  static final int INVALIDATED = CUresult.CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  static final int ISOLATION = CUresult.CUDA_ERROR_STREAM_CAPTURE_ISOLATION;

  final CUstream stream = new CUstream();
  final CUstream other = new CUstream();
  final CUevent event = new CUevent();
  final CUdeviceptr x = new CUdeviceptr();
  /** Of {@code x = (x + 3) * 2}; x is 1. */
  final CUgraph graph = new CUgraph();

  final CUgraphExec exec = new CUgraphExec();
  StubCuda stub;
  Context context;
  KernelModule module;
  private int live;

  @BeforeEach
  void open() {
    stub = StubCuda.orSkip();
    live = stub.live();
    Driver.open(StubCuda.DRIVER);
    context = new Context(0);
    module = load();
    ok(JCudaDriver.cuStreamCreate(stream, 0));
    ok(JCudaDriver.cuStreamCreate(other, 0));
    ok(JCudaDriver.cuEventCreate(event, 0));
    ok(JCudaDriver.cuEventRecord(event, other));
    ok(JCudaDriver.cuMemAllocAsync(x, Integer.BYTES, stream));
    ok(JCudaDriver.cuMemcpyHtoDAsync(x, Pointer.to(new int[] {1}), Integer.BYTES, stream));
    ok(JCudaDriver.cuStreamSynchronize(stream));
    begin();
    ok(launch("add", 3));
    ok(launch("multiply", 2));
    ok(end());
    ok(JCudaDriver.cuGraphInstantiate(exec, graph, 0));
  }

  KernelModule load() {
    var compiler = new KernelCompiler(Nvrtc.open(Nvrtc.candidates(stub.toolkit(), 13000)).orElseThrow(), 13000, stub.kernels());
    return new KernelModule(context, SOURCE.name(), compiler.cubin(SOURCE));
  }

  @AfterEach
  void close() {
    if (context != null) {
      // Unless the test did.
      JCudaDriver.cuGraphExecDestroy(exec);
      JCudaDriver.cuGraphDestroy(graph);
      ok(JCudaDriver.cuMemFreeAsync(x, stream));
      ok(JCudaDriver.cuEventDestroy(event));
      ok(JCudaDriver.cuStreamDestroy(other));
      ok(JCudaDriver.cuStreamDestroy(stream));
      module.close();
      context.close();
      assertEquals(live, stub.live());
    }
  }

  static void ok(int result) {
    assertEquals(OK, result);
  }

  int launch(String kernel, int n) {
    Pointer parameters = Pointer.to(Pointer.to(x), Pointer.to(new int[] {n}));
    return JCudaDriver.cuLaunchKernel(module.function(kernel), 1, 1, 1, 32, 1, 1, 0, stream, parameters, null);
  }

  int value() {
    var value = new int[1];
    ok(JCudaDriver.cuMemcpyDtoHAsync(Pointer.to(value), x, Integer.BYTES, stream));
    ok(JCudaDriver.cuStreamSynchronize(stream));
    return value[0];
  }

  void begin() {
    ok(JCudaDriver.cuStreamBeginCapture(stream, RELAXED));
  }

  /** What was captured becomes {@link #graph}, in place of what it was. */
  int end() {
    return JCudaDriver.cuStreamEndCapture(stream, graph);
  }

  int status() {
    var status = new int[1];
    ok(JCudaDriver.cuStreamIsCapturing(stream, status));
    return status[0];
  }
}
