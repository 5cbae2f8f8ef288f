package __package__;

import io.hirundo.DataException;
import io.hirundo.Reason;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.lib.tensor.FloatConversion;
import io.hirundo.lib.tensor.StoredFloat;
import io.hirundo.lib.tensor.TensorSlice;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.util.Set;
import java.util.zip.CRC32C;

/** An open model: its weights are mapped into memory, so that a rank reads the bytes of its own shards only. */
final class __Name__Reader implements ModelReader {
    private static final long CHUNK_BYTES = 64 << 20;

    private final Path file;
    private final __Name__Manifest manifest;
    private final Arena arena;
    private final MemorySegment weights;

    private __Name__Reader(Path file, __Name__Manifest manifest, Arena arena, MemorySegment weights) {
        this.file = file;
        this.manifest = manifest;
        this.arena = arena;
        this.weights = weights;
    }

    static __Name__Reader open(Path manifestFile, boolean verify) {
        __Name__Manifest manifest = __Name__Manifest.read(manifestFile);
        Path file = manifestFile.resolveSibling(manifest.weights());
        Arena arena = Arena.ofShared();
        try (FileChannel channel = FileChannel.open(file)) {
            var reader =
                    new __Name__Reader(file, manifest, arena, channel.map(MapMode.READ_ONLY, 0, channel.size(), arena));
            manifest.tensors().forEach((path, tensor) -> reader.check(path, tensor, verify));
            return reader;
        } catch (IOException e) {
            arena.close();
            throw new DataException("cannot read " + file + ": " + Reason.of(e) + "; export the model again", e);
        } catch (RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    private void check(String path, __Name__Manifest.Tensor tensor, boolean verify) {
        if (tensor == null
                || tensor.dtype() == null
                || tensor.dims() == null
                || tensor.dims().contains(null)
                || !tensor.dtype().isArithmetic()) {
            throw wrong(path, "has no dtype or shape of weights");
        }
        if (!fits(tensor)) {
            throw wrong(path, "has bytes behind the end of the file, which was truncated");
        }
        if (verify && crc32c(bytes(tensor)) != tensor.crc32c()) {
            throw wrong(path, "is damaged: its checksum is wrong");
        }
    }

    /** A manifest may be forged: its dimensions may be negative, and their number of bytes may overflow. */
    private boolean fits(__Name__Manifest.Tensor tensor) {
        try {
            return tensor.position() >= 0 && tensor.bytes() <= weights.byteSize() - tensor.position();
        } catch (IllegalArgumentException | ArithmeticException wrongDims) {
            return false;
        }
    }

    static long crc32c(MemorySegment bytes) {
        var crc = new CRC32C();
        for (long at = 0; at < bytes.byteSize(); at += CHUNK_BYTES) {
            crc.update(bytes.asSlice(at, Math.min(CHUNK_BYTES, bytes.byteSize() - at))
                    .asByteBuffer());
        }
        return crc.getValue();
    }

    private MemorySegment bytes(__Name__Manifest.Tensor tensor) {
        return weights.asSlice(tensor.position(), tensor.bytes());
    }

    @Override
    public Choice architecture() {
        return manifest.architecture();
    }

    @Override
    public Set<String> paths() {
        return manifest.tensors().keySet();
    }

    @Override
    public void read(ParameterPart part, DType dtype, MemorySegment into) {
        __Name__Manifest.Tensor tensor = manifest.tensors().get(part.path());
        if (tensor == null) {
            throw wrong(part.path(), "is not among its " + manifest.tensors().size() + " tensors");
        }
        if (!tensor.shape().equals(part.globalShape())) {
            throw wrong(part.path(), "is " + tensor.shape() + ", but " + part.globalShape() + " is needed");
        }
        var conversion = new FloatConversion(bytes(tensor), stored(tensor.dtype()), into, dtype);
        TensorSlice.of(part).forEachRunIn(tensor.shape(), conversion::convert);
    }

    private static StoredFloat stored(DType dtype) {
        return switch (dtype) {
            case FP64 -> StoredFloat.F64;
            case FP32 -> StoredFloat.F32;
            case BF16 -> StoredFloat.BF16;
            case INT32, FP8_E4M3, FP8_E5M2 -> throw new IllegalStateException("weights of type " + dtype);
        };
    }

    private DataException wrong(String path, String what) {
        return new DataException(file + ": tensor '" + path + "' " + what
                + "; export the model again, or choose a matching architecture");
    }

    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
