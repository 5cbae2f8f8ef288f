package io.hirundo.strategy;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Documents and bounds one component of an options record. Help, checks and the JSON schema use it. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Setting {
    /** One line: meaning and unit. */
    String value();

    double min() default Double.NEGATIVE_INFINITY;

    double max() default Double.POSITIVE_INFINITY;

    /** Allowed values of a string; empty allows any. */
    String[] allowed() default {};

    /** Must be given; there is no default. */
    boolean required() default false;

    /** May be null even though the default is not. A component with a null default may always be null. */
    boolean nullable() default false;
}
