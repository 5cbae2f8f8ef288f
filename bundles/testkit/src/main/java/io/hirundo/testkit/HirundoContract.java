package io.hirundo.testkit;

import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.bench.ClauseNames;
import io.hirundo.testkit.bench.ContractExtension;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs the contracts that a test class implements, {@link PrecisionContract} for instance: every {@link Clause} becomes a test
 * of its own. It gets a {@link Bench} where it asks for one; a failure says which clause was broken, and so does memory that is
 * still held at its end.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ExtendWith(ContractExtension.class)
@DisplayNameGeneration(ClauseNames.class)
@Timeout(120)
public @interface HirundoContract {}
