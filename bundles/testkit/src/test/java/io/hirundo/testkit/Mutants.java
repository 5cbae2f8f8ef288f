package io.hirundo.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs contracts against implementations that are known to be sound, or broken in one way each. */
final class Mutants {
  private Mutants() {}

  /** A test for every class within {@code holder} that {@link Breaks} something, and one that none of the clauses is left out. */
  static Stream<DynamicTest> of(Class<?> holder, Class<?>... contracts) {
    var mutants =
        Arrays.stream(holder.getDeclaredClasses())
            .filter(type -> type.isAnnotationPresent(Breaks.class))
            .sorted(Comparator.comparing(Class::getSimpleName))
            .toList();
    var broken = new TreeSet<String>();
    mutants.forEach(type -> broken.addAll(Set.of(type.getAnnotation(Breaks.class).value())));
    var clauses = new TreeSet<String>();
    for (Class<?> contract : contracts) {
      Arrays.stream(contract.getMethods())
          .filter(method -> method.isAnnotationPresent(Clause.class))
          .map(Method::getName)
          .forEach(clauses::add);
    }
    return Stream.concat(
        mutants.stream().map(type -> DynamicTest.dynamicTest(type.getSimpleName(), () -> breaks(type))),
        Stream.of(DynamicTest.dynamicTest("every clause can fail", () -> assertEquals(clauses, broken))));
  }

  private static void breaks(Class<?> mutant) {
    Map<String, Throwable> failures = failures(mutant);
    assertEquals(
        new TreeSet<>(Set.of(mutant.getAnnotation(Breaks.class).value())), failures.keySet(), failures::toString);
    failures.forEach(
        (clause, failure) ->
            assertTrue(failure.getMessage().matches("(?s)broken: .+\n  found: .+\n  look at: .+"), failure.getMessage()));
  }

  /** What failed, by the name of the clause. */
  static Map<String, Throwable> failures(Class<?> testClass) {
    var failures = new TreeMap<String, Throwable>();
    var run = new TreeSet<String>();
    var listener =
        new TestExecutionListener() {
          @Override
          public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            String name = test.getSource().map(Mutants::name).orElse("");
            run.add(name);
            result.getThrowable().ifPresent(failure -> failures.put(name, failure));
          }
        };
    var request =
        LauncherDiscoveryRequestBuilder.request().selectors(DiscoverySelectors.selectClass(testClass)).build();
    LauncherFactory.create().execute(request, listener);
    assertTrue(run.size() > 2, () -> "nothing was run of " + testClass);
    return failures;
  }

  private static String name(Object source) {
    return source instanceof MethodSource method ? method.getMethodName() : "";
  }
}
