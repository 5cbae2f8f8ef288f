package io.hirundo.testkit.fabric;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/** A proxy that replaces one method of an object. */
public final class Substitute {
    /** The original method. */
    public interface Real {
        Object call() throws Throwable;
    }

    /** The replacement. */
    public interface Instead {
        Object call(Real real, Object[] arguments) throws Throwable;
    }

    private Substitute() {}

    public static <T> T like(Class<T> type, T real, String name, Instead instead) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    Real call = () -> invoke(real, method, arguments);
                    return method.getName().equals(name) ? instead.call(call, arguments) : call.call();
                }));
    }

    private static Object invoke(Object real, Method method, Object[] arguments) throws Throwable {
        try {
            method.setAccessible(true);
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
