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
 * Runs the contracts that a test class implements, such as {@link PrecisionContract}: every {@link Clause} becomes a test. A clause
 * with a {@link Bench} parameter gets one. A failure names the broken clause. Memory that is still allocated at the end of a clause is
 * a failure.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ExtendWith(ContractExtension.class)
@DisplayNameGeneration(ClauseNames.class)
@Timeout(120)
public @interface HirundoContract {}
