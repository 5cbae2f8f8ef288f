package io.hirundo.itests.framework;

import java.lang.annotation.Annotation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.opentest4j.TestAbortedException;
import org.ops4j.pax.exam.TestAddress;
import org.ops4j.pax.exam.TestContainerException;
import org.ops4j.pax.exam.TestProbeBuilder;
import org.ops4j.pax.exam.spi.ExamReactor;
import org.ops4j.pax.exam.spi.StagedExamReactor;
import org.ops4j.pax.exam.spi.reactors.ReactorManager;

/**
 * Runs the test methods of a class inside an OSGi framework, which Pax Exam starts from the class's {@code @Configuration}.
 * Pax Exam itself has no driver for Jupiter; see README.md for what a test class may do.
 */
public final class PaxExamExtension implements BeforeAllCallback, AfterAllCallback, InvocationInterceptor {
    private static final List<Class<? extends Annotation>> UNSUPPORTED =
            List.of(BeforeEach.class, AfterEach.class, TestTemplate.class);

    private final ReactorManager manager = ReactorManager.getInstance();
    private final Map<String, TestAddress> addresses = new HashMap<>();
    private StagedExamReactor framework;

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        Class<?> test = context.getRequiredTestClass();
        rejectUnsupported(test);
        Object instance = test.getConstructor().newInstance();
        ExamReactor reactor = manager.prepareReactor(test, instance);
        TestProbeBuilder probe = manager.createProbeBuilder(instance);
        Map<TestAddress, String> methods = new HashMap<>();
        for (Method method :
                AnnotationSupport.findAnnotatedMethods(test, Test.class, HierarchyTraversalMode.TOP_DOWN)) {
            methods.put(probe.addTest(test, method.getName()), method.getName());
        }
        reactor.addProbe(probe);
        framework = manager.stageReactor();
        framework.getTargets().forEach(target -> addresses.put(methods.get(target.root()), target));
        manager.beforeClass(framework, instance);
    }

    @Override
    public void interceptTestMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        invocation.skip(); // out here; it runs in there
        try {
            framework.invoke(addresses.get(method.getExecutable().getName()));
        } catch (TestContainerException e) {
            throw e.getCause() instanceof InvocationTargetException failure ? outside(failure.getCause()) : e;
        }
    }

    /** Assumptions that fail in the framework have a class of its class loaders, which JUnit would take for an error. */
    private static Throwable outside(Throwable failure) {
        return failure.getClass().getName().equals(TestAbortedException.class.getName())
                ? new TestAbortedException(failure.getMessage(), failure)
                : failure;
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (framework != null) {
            manager.afterClass(framework, context.getRequiredTestClass());
        }
    }

    private static void rejectUnsupported(Class<?> test) {
        List<Method> methods = Arrays.asList(test.getDeclaredMethods());
        for (Method method : methods) {
            boolean isTest = AnnotationSupport.isAnnotated(method, Test.class);
            if (UNSUPPORTED.stream().anyMatch(annotation -> AnnotationSupport.isAnnotated(method, annotation))) {
                throw new IllegalStateException(method + ": inside the framework there are plain @Test methods only");
            }
            if (isTest && !Modifier.isPublic(method.getModifiers() & test.getModifiers())) {
                throw new IllegalStateException(
                        method + ": the method and its class must be public to be called in the framework");
            }
            if (isTest
                    && methods.stream()
                                    .filter(other -> other.getName().equals(method.getName()))
                                    .count()
                            > 1) {
                throw new IllegalStateException(
                        method + ": inside the framework test methods are told apart by name alone");
            }
        }
    }
}
