package __package__;

import io.hirundo.mesh.Fabric;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.ChoiceOf;
import io.hirundo.strategy.Setting;

/**
 * Settings below {@code mesh.fabric.options}. Each component's annotation documents it; validation, help and the JSON schema derive from it.
 *
 * @param on the wrapped fabric
 */
public record __Name__Options(
        @Setting("The wrapped fabric, which moves the data") @ChoiceOf(Fabric.class)
        Choice on) {
    /** The defaults. */
    public __Name__Options() {
        this(Choice.of("local"));
    }
}
