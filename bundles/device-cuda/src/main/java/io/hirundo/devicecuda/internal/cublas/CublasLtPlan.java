package io.hirundo.devicecuda.internal.cublas;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.hirundo.DeviceException;
import io.hirundo.devicecuda.internal.driver.Handles;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import java.util.Optional;

/** The plan of a GEMM in cuBLASLt: descriptors and the chosen algorithm, which never changes. To be used by one thread at a time. */
public final class CublasLtPlan implements AutoCloseable {
    private static final long WORKSPACE_SIZE =
            CublasLt.HEURISTIC_RESULT.byteOffset(PathElement.groupElement("workspaceSize"));
    private static final long STATE = CublasLt.HEURISTIC_RESULT.byteOffset(PathElement.groupElement("state"));

    private static final String LAYOUT = "cublasLtMatrixLayout";

    private final CublasLt library;
    private final CublasLtHandles things;
    private final long handle;
    private final CublasLtGemm product;
    private final long descriptor;
    private final long layoutA;
    private final long layoutB;
    private final long layoutD;
    private final MemorySegment result;
    private final MemorySegment one;
    private final MemorySegment zero;
    private final MemorySegment pointer;

    private CublasLtPlan(CublasLt library, long handle, CublasLtGemm product, CublasLtHandles things) {
        this.library = library;
        this.things = things;
        this.handle = handle;
        this.product = product;
        Arena arena = Arena.ofAuto();
        result = arena.allocate(CublasLt.HEURISTIC_RESULT);
        one = arena.allocateFrom(JAVA_FLOAT, 1);
        zero = arena.allocateFrom(JAVA_FLOAT, 0);
        pointer = arena.allocate(JAVA_LONG);
        descriptor = things.keep("cublasLtMatmulDesc", library.descriptor());
        layoutA = things.keep(LAYOUT, library.layout(product.a()));
        layoutB = things.keep(LAYOUT, library.layout(product.b()));
        layoutD = things.keep(LAYOUT, library.layout(product.d()));
        library.setDescriptor(
                descriptor,
                CublasLt.TRANSPOSE_A,
                arena.allocateFrom(JAVA_INT, product.a().transposed() ? 1 : 0));
        library.setDescriptor(
                descriptor,
                CublasLt.TRANSPOSE_B,
                arena.allocateFrom(JAVA_INT, product.b().transposed() ? 1 : 0));
        if (isScaled()) {
            library.setDescriptor(descriptor, CublasLt.FAST_ACCUMULATION, arena.allocateFrom(JAVA_BYTE, (byte) 0));
            library.setDescriptor(
                    descriptor,
                    CublasLt.SCALE_MODE_A,
                    arena.allocateFrom(JAVA_INT, product.a().scaleMode()));
            library.setDescriptor(
                    descriptor,
                    CublasLt.SCALE_MODE_B,
                    arena.allocateFrom(JAVA_INT, product.b().scaleMode()));
        }
    }

    /**
     * Creates a plan with the library's choice of algorithm.
     *
     * @param handle handle of the current context
     * @param scalesA address of the scales of the first call; 0 without scales
     * @return empty if the library has no algorithm
     * @throws DeviceException if the library fails; all objects are freed
     */
    public static Optional<CublasLtPlan> find(
            CublasLt library, long handle, CublasLtGemm product, long mostWorkspaceBytes, long scalesA, long scalesB) {
        var things = new CublasLtHandles(library);
        boolean found = false;
        try (Arena arena = Arena.ofConfined();
                var meanwhile = new CublasLtHandles(library)) {
            var plan = new CublasLtPlan(library, handle, product, things);
            // Without an address of scales the heuristic fails.
            plan.setScales(scalesA, scalesB);
            long preference = meanwhile.keep("cublasLtMatmulPreference", library.preference());
            library.setPreference(
                    preference, CublasLt.REDUCTION_SCHEMES, arena.allocateFrom(JAVA_INT, CublasLt.REDUCED_AS_COMPUTED));
            library.setPreference(
                    preference, CublasLt.MAX_WORKSPACE_BYTES, arena.allocateFrom(JAVA_LONG, mostWorkspaceBytes));
            int[] alignments = {
                product.a().alignmentBytes(),
                product.b().alignmentBytes(),
                product.d().alignmentBytes(),
                product.d().alignmentBytes()
            };
            for (int i = 0; i < alignments.length; i++) {
                library.setPreference(
                        preference, CublasLt.ALIGNMENT_A + i, arena.allocateFrom(JAVA_INT, alignments[i]));
            }
            found = library.find(
                    handle, plan.descriptor, plan.layoutA, plan.layoutB, plan.layoutD, preference, plan.result);
            return found ? Optional.of(plan) : Optional.empty();
        } finally {
            if (!found) {
                things.close();
            }
        }
    }

    /**
     * Runs the GEMM.
     *
     * @param workspace workspace of the offered size
     * @throws DeviceException if the library fails
     */
    public void run(
            long a,
            long scalesA,
            long b,
            long scalesB,
            long d,
            boolean accumulate,
            long workspace,
            Handles.Stream stream) {
        try {
            setScales(scalesA, scalesB);
            library.multiply(handle, this, one, a, b, accumulate ? one : zero, d, workspace, stream.address());
        } catch (DeviceException failure) {
            throw new DeviceException(
                    failure.getMessage() + ", for " + product + "; device.options.gemm=own goes without the library",
                    failure);
        }
    }

    private void setScales(long scalesA, long scalesB) {
        if (isScaled()) {
            pointer.set(JAVA_LONG, 0, scalesA);
            library.setDescriptor(descriptor, CublasLt.SCALE_POINTER_A, pointer);
            pointer.set(JAVA_LONG, 0, scalesB);
            library.setDescriptor(descriptor, CublasLt.SCALE_POINTER_B, pointer);
        }
    }

    private boolean isScaled() {
        return product.a().scales() != null;
    }

    /** Describes the GEMM. */
    @Override
    public String toString() {
        return product.toString();
    }

    static int state(MemorySegment result) {
        return result.get(JAVA_INT, STATE);
    }

    /** The opaque algorithm as hexadecimal digits. */
    public String algorithmText() {
        return HexFormat.of().formatHex(algorithm().toArray(JAVA_BYTE));
    }

    MemorySegment algorithm() {
        return result.asSlice(0, WORKSPACE_SIZE);
    }

    public long workspaceBytes() {
        return result.get(JAVA_LONG, WORKSPACE_SIZE);
    }

    long descriptor() {
        return descriptor;
    }

    long layoutA() {
        return layoutA;
    }

    long layoutB() {
        return layoutB;
    }

    long layoutD() {
        return layoutD;
    }

    @Override
    public void close() {
        things.close();
    }
}
