package io.hirundo.devicecpu.internal;

import io.hirundo.command.Check;
import io.hirundo.devicecpu.internal.gemm.library.GemmChoice;
import io.hirundo.kernel.host.GemmLibrary;
import java.util.List;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferencePolicyOption;

/** What multiplies on the processor with the default options, and why nothing faster does. */
@Component
public final class GemmCheck implements Check {
    private final List<GemmLibrary> libraries;

    @Activate
    public GemmCheck(@Reference(policyOption = ReferencePolicyOption.GREEDY) List<GemmLibrary> libraries) {
        this.libraries = libraries;
    }

    @Override
    public List<Finding> look() {
        return List.of(new Finding(
                State.GOOD, "GEMM", GemmChoice.of(GemmChoice.AUTO, libraries).reasons()));
    }
}
