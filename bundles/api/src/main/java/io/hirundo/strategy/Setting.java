package io.hirundo.strategy;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Documents and bounds one component of an options record; help, checks and the JSON schema come from it. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Setting {
  /** One line: meaning and unit. */
  String value();

  double min() default Double.NEGATIVE_INFINITY;

  double max() default Double.POSITIVE_INFINITY;

  /** For strings: the values that are allowed; empty for any. */
  String[] allowed() default {};

  /** Must be given: there is no sensible default. */
  boolean required() default false;

  /** May be null although the default is not: for doing without. A component whose default is null may always be null. */
  boolean nullable() default false;
}
