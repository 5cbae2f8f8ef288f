package io.hirundo.strategy;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says what the strategies fulfil that a {@link Choice} component (or each of a list or map of choices) chooses from. With
 * it the choice is checked when the configuration is read, and the JSON schema lists its strategies with their options.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface ChoiceOf {
  /** The contract, {@code Optimizer.class} for instance. */
  Class<?> value();
}
