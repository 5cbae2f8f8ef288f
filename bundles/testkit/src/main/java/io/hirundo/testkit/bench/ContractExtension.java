package io.hirundo.testkit.bench;

import java.lang.reflect.Method;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/** Opens a bench for a clause that has one as parameter, closes it, and reports a failure with the clause's text. */
public final class ContractExtension implements ParameterResolver, InvocationInterceptor {
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Bench.class
                && context.getRequiredTestInstance() instanceof OnDevice;
    }

    @Override
    public Bench resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return Bench.open(((OnDevice) context.getRequiredTestInstance()).backend());
    }

    @Override
    public void interceptTestMethod(
            Invocation<Void> clause, ReflectiveInvocationContext<Method> call, ExtensionContext context)
            throws Throwable {
        Bench bench = call.getArguments().stream()
                .filter(Bench.class::isInstance)
                .map(Bench.class::cast)
                .findFirst()
                .orElse(null);
        try {
            clause.proceed();
        } catch (Throwable e) {
            closeSuppressing(bench, e);
            throw withExplanation(call.getExecutable(), e);
        }
        try {
            if (bench != null) {
                bench.close();
            }
        } catch (RuntimeException | AssertionError e) {
            throw withExplanation(call.getExecutable(), e);
        }
    }

    private static void closeSuppressing(Bench bench, Throwable failure) {
        try {
            if (bench != null) {
                bench.close();
            }
        } catch (RuntimeException | AssertionError e) {
            failure.addSuppressed(e);
        }
    }

    private static Throwable withExplanation(Method method, Throwable failure) {
        Clause clause = method.getAnnotation(Clause.class);
        if (clause == null || failure instanceof TestAbortedException) {
            return failure;
        }
        String what = failure instanceof AssertionError ? failure.getMessage() : failure.toString();
        return new AssertionFailedError(
                "broken: " + clause.value() + "\n  found: " + what + "\n  look at: " + clause.remedy(), failure);
    }
}
