package io.hirundo.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** On a mutant: the clauses that it breaks, all of them. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@interface Breaks {
  String[] value();
}
