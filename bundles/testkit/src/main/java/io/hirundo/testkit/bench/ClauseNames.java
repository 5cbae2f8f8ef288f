package io.hirundo.testkit.bench;

import java.lang.reflect.Method;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGenerator;

/** The display name of a clause is its requirement. */
public final class ClauseNames extends DisplayNameGenerator.Standard {
    @Override
    public String generateDisplayNameForMethod(List<Class<?>> enclosing, Class<?> testClass, Method method) {
        Clause clause = method.getAnnotation(Clause.class);
        return clause == null ? super.generateDisplayNameForMethod(enclosing, testClass, method) : clause.value();
    }
}
