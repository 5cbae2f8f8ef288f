package __package__;

import io.hirundo.device.Device;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.parallel.DataParallel;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.tensor.DType;
import java.util.List;
import java.util.Optional;

/**
 * ZeRO's first stage (Rajbhandari et al. 2020, arXiv 1910.02054): every rank has all weights and gradients, and updates an even slice of each
 * parameter, so that optimizer state falls with the ranks. It splits matrices, so the API rejects optimizers that need complete ones.
 */
final class __Name__Slices implements DataParallel {
    private final __Name__Options options;

    __Name__Slices(__Name__Options options) {
        this.options = options;
    }

    @Override
    public ShardedParameters bind(
            Device device, ProcessGroup group, List<List<ParameterSpec>> blocks, DType parameterType) {
        return new __Name__Parameters(device, group, blocks, parameterType, options);
    }

    /** Slices do not depend on the options, which apply from the next step on. */
    @Override
    public Optional<Runnable> takeOver(ShardedParameters present) {
        return present instanceof __Name__Parameters mine
                ? Optional.of(() -> mine.continueWith(options))
                : Optional.empty();
    }
}
