package io.hirundo.trainer.internal.run;

import java.lang.reflect.Proxy;
import java.util.Map;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Version;

/** A bundle of which nothing but its name is asked. */
public final class NamedBundle {
  private NamedBundle() {}

  public static BundleContext context() {
    var bundle = proxy(Bundle.class, Map.of("getSymbolicName", "test", "getVersion", Version.emptyVersion));
    return proxy(BundleContext.class, Map.of("getBundle", bundle));
  }

  private static <T> T proxy(Class<T> type, Map<String, Object> answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> answers.get(method.getName())));
  }
}
