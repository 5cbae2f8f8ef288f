package io.hirundo.testkit.bench;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Test;

/** One requirement of a contract, run as a test. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@Test
public @interface Clause {
    /** The requirement, and why it matters. */
    String value();

    /** Where to look if it is broken. */
    String remedy();
}
