package io.hirundo.trainer.internal.strategy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.family.ModelFamily;
import io.hirundo.strategy.StrategyFactory;
import java.lang.reflect.Proxy;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.osgi.framework.ServiceReference;

class LoneFamiliesTest {
  private static ServiceReference<?> registeredAs(Class<?>... types) {
    var names = new String[types.length];
    for (int i = 0; i < types.length; i++) {
      names[i] = types[i].getName();
    }
    return (ServiceReference<?>)
        Proxy.newProxyInstance(
            LoneFamiliesTest.class.getClassLoader(),
            new Class<?>[] {ServiceReference.class},
            (_, method, arguments) -> method.getName().equals("getProperty") ? names : null);
  }

  @Test
  void warnsOfFamiliesThatNoConfigurationCanChoose() {
    String warning = LoneFamilies.warning(registeredAs(ModelFamily.class)).orElseThrow();
    assertTrue(warning.contains("model.architecture cannot choose it; annotate it"), warning);
    assertEquals(Optional.empty(), LoneFamilies.warning(registeredAs(StrategyFactory.class, ModelFamily.class)));
  }
}
