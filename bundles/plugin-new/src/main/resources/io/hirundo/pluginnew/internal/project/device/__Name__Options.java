package __package__;

import io.hirundo.device.ComputeBackend;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.ChoiceOf;
import io.hirundo.strategy.Setting;

/**
 * Settings below {@code device.options}. Each component's annotation documents it; validation, help and the JSON schema derive from it.
 *
 * @param on the wrapped device
 */
public record __Name__Options(
        @Setting("The wrapped device, which does everything except GEMMs") @ChoiceOf(ComputeBackend.class)
        Choice on) {
    /** The defaults. */
    public __Name__Options() {
        this(Choice.of("cpu"));
    }
}
