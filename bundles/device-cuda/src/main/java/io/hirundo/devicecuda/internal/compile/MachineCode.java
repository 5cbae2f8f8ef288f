package io.hirundo.devicecuda.internal.compile;

import io.hirundo.DeviceException;
import io.hirundo.devicecuda.internal.driver.Context;
import io.hirundo.devicecuda.internal.driver.KernelModule;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The machine code of kernels: compiled ahead of time by nvcc if it matches the sources, otherwise by NVRTC.
 *
 * @param compiler empty without NVRTC
 */
public record MachineCode(Cubins cubins, Optional<KernelCompiler> compiler) {
    private static final Logger LOG = LoggerFactory.getLogger(MachineCode.class);

    /**
     * Loads a kernel file.
     *
     * @throws DeviceException if it cannot be compiled or loaded
     */
    public KernelModule load(Context context, KernelSource source) {
        Optional<byte[]> ready = cubins.of(source);
        if (ready.isEmpty()) {
            return compiled(context, source, "there is no machine code of " + source.fileName());
        }
        try {
            return new KernelModule(context, source.name(), ready.get());
        } catch (DeviceException rejected) {
            // For example, if the driver is older than nvcc.
            String why = "the driver does not load what " + cubins.compiler() + " made of " + source.fileName() + " ("
                    + rejected.getMessage() + ")";
            LOG.warn(why);
            return compiled(context, source, why);
        }
    }

    private KernelModule compiled(Context context, KernelSource source, String why) {
        KernelCompiler nvrtc = compiler.orElseThrow(() -> new DeviceException(why
                + ", and no libnvrtc to compile it: install libnvrtc, or name its folder as device.options.toolkit"));
        return new KernelModule(context, source.name(), nvrtc.cubin(source));
    }

    /** Describes where the kernels come from. */
    public String text() {
        if (cubins.isComplete()) {
            return "kernels compiled beforehand by " + cubins.compiler();
        }
        String byNvrtc =
                "kernels compiled by " + compiler.map(KernelCompiler::version).orElse("nobody");
        return cubins.isEmpty()
                ? byNvrtc
                : byNvrtc + " where those of " + cubins.compiler() + " are of other sources: "
                        + String.join(", ", cubins.lacking());
    }
}
