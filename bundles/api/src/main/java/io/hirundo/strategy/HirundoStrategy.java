package io.hirundo.strategy;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.osgi.service.component.annotations.ComponentPropertyType;

/** Names the strategy of a {@link StrategyFactory} component. */
@ComponentPropertyType
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
public @interface HirundoStrategy {
    /** Prefix of the service properties: {@code hirundo.kind} and {@code hirundo.name}. */
    String PREFIX_ = "hirundo.";

    /** The kind as users read it: device, fabric, precision, architecture, optimizer, learning-rate, schedule, data, ... */
    String kind();

    /** The name in a configuration. */
    String name();
}
