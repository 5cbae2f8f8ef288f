package io.hirundo.parallel;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.Dim;
import io.hirundo.model.MatrixSpec;
import io.hirundo.model.Member;
import io.hirundo.model.WeightSpec;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.tensor.DType;
import java.util.function.Supplier;
import org.osgi.annotation.versioning.ProviderType;

/** What layers of one rank are made of. For the rank's thread; what it returns belongs to the trainer. */
@ProviderType
public interface LayerScope {
    Device device();

    Queue queue();

    /** Activation dtype of the precision strategy. */
    DType activationType();

    Sharding sharding();

    ProcessGroup group(Axis axis);

    /** Elements of a dimension on this rank. */
    default long extent(Dim dim) {
        return sharding().extent(dim, "this model");
    }

    /** Whether this rank has the weights of an element. {@link #parameter} and {@link #matrix} are only for weights that it has. */
    default boolean holds(Member member) {
        return sharding().holds(member, this::group);
    }

    /** This rank's part of a weight, whose values the layer reads. Equal paths return the same parameter. */
    Parameter parameter(WeightSpec weight);

    /** This rank's parts of a matrix, row after row, with the precision strategy's GEMMs. */
    LocalMatrix matrix(MatrixSpec matrix);

    /**
     * Attention between the given local heads, over all ranks of the context axis.
     *
     * @throws io.hirundo.ConfigurationException if the device has no kernels for these options
     */
    AttentionCore attention(Heads heads, AttentionOptions options);

    /**
     * Something that layers of this rank share, a table on the device for instance. Created once for equal keys, and closed with the
     * layers.
     *
     * @param key an immutable record of the caller
     */
    <T extends AutoCloseable> T shared(Object key, Supplier<T> create);
}
