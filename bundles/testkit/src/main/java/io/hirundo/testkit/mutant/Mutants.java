package io.hirundo.testkit.mutant;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.testkit.bench.Clause;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.function.Executable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs a contract against implementations that are known to be correct, or wrong in one way each. */
public final class Mutants {
    private Mutants() {}

    /**
     * One test for every class within {@code holder} that has {@link Breaks}: it must fail those clauses and no others. Another test
     * checks that every clause of the contract has such a class.
     */
    public static Stream<DynamicTest> exactly(Class<?> holder, Class<?> contract) {
        return exactly(List.of(holder), contract);
    }

    /** The same for classes within any of several. */
    public static Stream<DynamicTest> exactly(List<Class<?>> holders, Class<?> contract) {
        return tests(holders, contract, clause -> true);
    }

    /** The same for slow contracts: runs only the listed clauses. */
    public static Stream<DynamicTest> atLeast(Class<?> holder, Class<?> contract) {
        return atLeast(List.of(holder), contract);
    }

    /** The same for classes within any of several. */
    public static Stream<DynamicTest> atLeast(List<Class<?>> holders, Class<?> contract) {
        return tests(holders, contract, null);
    }

    /**
     * The same for contracts whose mutants wait for deadlines.
     *
     * @param atOnce how many mutants run at a time
     */
    public static Stream<DynamicTest> atLeast(List<Class<?>> holders, Class<?> contract, int atOnce) {
        ExecutorService threads = Executors.newFixedThreadPool(
                atOnce, Thread.ofPlatform().daemon().name("mutant ", 0).factory());
        // All of them are submitted before JUnit asks for the first result.
        List<DynamicTest> waiting = atLeast(holders, contract)
                .map(test -> DynamicTest.dynamicTest(test.getDisplayName(), result(threads, test.getExecutable())))
                .toList();
        return waiting.stream().onClose(threads::shutdownNow);
    }

    private static Executable result(ExecutorService threads, Executable test) {
        Future<Optional<Throwable>> failure = threads.submit(() -> {
            try {
                test.execute();
                return Optional.empty();
            } catch (Throwable thrown) {
                return Optional.of(thrown);
            }
        });
        return () -> {
            if (failure.get().isPresent()) {
                throw failure.get().get();
            }
        };
    }

    private static Stream<DynamicTest> tests(List<Class<?>> holders, Class<?> contract, Predicate<String> all) {
        List<Class<?>> mutants = holders.stream()
                .<Class<?>>flatMap(holder -> Arrays.stream(holder.getDeclaredClasses()))
                .filter(type -> type.isAnnotationPresent(Breaks.class))
                .sorted(Comparator.<Class<?>, String>comparing(Class::getSimpleName))
                .toList();
        var broken = new TreeSet<String>();
        mutants.forEach(type -> broken.addAll(brokenBy(type)));
        var clauses = new TreeSet<String>();
        clauses(contract).forEach(clause -> clauses.add(clause.getName()));
        clauses.removeAll(broken);
        return Stream.concat(
                mutants.stream()
                        .map(type -> DynamicTest.dynamicTest(
                                type.getSimpleName(),
                                () -> breaks(type, all == null ? brokenBy(type)::contains : all))),
                Stream.of(DynamicTest.dynamicTest(
                        "every clause can fail",
                        () -> assertEquals(Set.of(), clauses, "clauses that no class breaks"))));
    }

    private static Set<String> brokenBy(Class<?> mutant) {
        return Set.of(mutant.getAnnotation(Breaks.class).value());
    }

    private static Stream<Method> clauses(Class<?> type) {
        return Arrays.stream(type.getMethods()).filter(method -> method.isAnnotationPresent(Clause.class));
    }

    private static void breaks(Class<?> mutant, Predicate<String> clauses) {
        Map<String, Throwable> failures = failures(mutant, clauses);
        assertEquals(new TreeSet<>(brokenBy(mutant)), failures.keySet(), failures::toString);
        failures.forEach((clause, failure) -> assertTrue(
                failure.getMessage().matches("(?s)broken: .+\n  found: .+\n  look at: .+"), failure.getMessage()));
    }

    /** Failures of all clauses, by clause name. */
    public static Map<String, Throwable> failures(Class<?> testClass) {
        return failures(testClass, clause -> true);
    }

    private static Map<String, Throwable> failures(Class<?> testClass, Predicate<String> clauses) {
        var selectors = clauses(testClass)
                .filter(clause -> clauses.test(clause.getName()))
                .map(clause -> DiscoverySelectors.selectMethod(testClass, clause))
                .toList();
        var failures = new TreeMap<String, Throwable>();
        var run = new TreeSet<String>();
        var listener = new TestExecutionListener() {
            @Override
            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                String name = test.getSource().map(Mutants::name).orElse("");
                run.add(name);
                result.getThrowable().ifPresent(failure -> failures.put(name, failure));
            }
        };
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectors)
                                // A module's junit-platform.properties would give these tests threads of their own,
                                // too.
                                .configurationParameter("junit.jupiter.execution.parallel.enabled", "false")
                                .build(),
                        listener);
        run.remove("");
        assertEquals(selectors.size(), run.size(), () -> "clauses of " + testClass + " that were run: " + run);
        return failures;
    }

    private static String name(TestSource source) {
        return source instanceof MethodSource method ? method.getMethodName() : "";
    }
}
