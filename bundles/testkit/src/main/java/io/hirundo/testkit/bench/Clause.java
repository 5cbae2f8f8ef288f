package io.hirundo.testkit.bench;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Test;

/** One promise of a contract, as a test. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@Test
public @interface Clause {
  /** What is promised, and to whom it matters. */
  String value();

  /** What to look at where it is broken. */
  String remedy();
}
