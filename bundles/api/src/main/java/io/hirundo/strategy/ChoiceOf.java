package io.hirundo.strategy;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The contract that a {@link Choice} component selects from; also for a list or map of choices. The configuration reader checks
 * the choice, and the JSON schema lists the strategies with their options.
 *
 * <p>bnd does not read annotations of record components, so it derives no import from this value. If nothing else of a bundle uses the
 * contract, its {@code bnd.bnd} needs {@code Import-Package: package.of.the.contract, *}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface ChoiceOf {
    /** The contract, for instance {@code Optimizer.class}. */
    Class<?> value();
}
