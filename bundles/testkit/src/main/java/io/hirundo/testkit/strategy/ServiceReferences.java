package io.hirundo.testkit.strategy;

import java.lang.reflect.Proxy;
import java.util.Map;
import org.osgi.framework.Bundle;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.Version;

/** References to services that no framework has registered. */
public final class ServiceReferences {
    private ServiceReferences() {}

    /** Of a bundle of this name, version 1.2.3; has nothing but what a registry reads. */
    public static ServiceReference<?> reference(String bundleName, int ranking, Map<String, Object> properties) {
        Bundle bundle = proxy(Bundle.class, (name, arguments) -> switch (name) {
            case "getSymbolicName" -> bundleName;
            case "getVersion" -> new Version("1.2.3");
            default -> throw new UnsupportedOperationException(name);
        });
        return proxy(RankedReference.class, (name, arguments) -> switch (name) {
            case "getProperty" -> properties.get(arguments[0]);
            case "getBundle" -> bundle;
            case "ranking" -> ranking;
            case "compareTo" -> Integer.compare(ranking, ((RankedReference) arguments[0]).ranking());
            default -> throw new UnsupportedOperationException(name);
        });
    }

    private interface RankedReference extends ServiceReference<Object> {
        int ranking();
    }

    private interface Handler {
        Object call(String name, Object[] arguments);
    }

    private static <T> T proxy(Class<T> type, Handler handler) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> switch (method.getName()) {
                    case "hashCode" -> System.identityHashCode(self);
                    case "equals" -> self == arguments[0];
                    default -> handler.call(method.getName(), arguments);
                }));
    }
}
