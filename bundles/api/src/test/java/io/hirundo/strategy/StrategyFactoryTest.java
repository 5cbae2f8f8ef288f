package io.hirundo.strategy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.ConfigurationException;
import io.hirundo.device.Device;
import io.hirundo.kernel.provider.KernelProvider;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class StrategyFactoryTest {
    record Options() {}

    private static class Direct implements StrategyFactory<Options, Runnable> {
        @Override
        public Runnable create(Options options) {
            return () -> {};
        }
    }

    private static final class Derived extends Direct {}

    private interface Swapped<A, B extends Record> extends Supplier<A>, StrategyFactory<B, A> {}

    private abstract static class Half<T> implements Swapped<T, Options> {
        @Override
        public T create(Options options) {
            return get();
        }
    }

    private static final class Closed extends Half<Runnable> {
        @Override
        public Runnable get() {
            return () -> {};
        }
    }

    private static final class Listing extends Half<List<String>> {
        @Override
        public List<String> get() {
            return List.of();
        }
    }

    private static final class Open<T> extends Half<T> {
        @Override
        public T get() {
            return null;
        }
    }

    private interface Scaler extends KernelProvider<Runnable> {}

    private abstract static class Scaling implements Scaler {}

    private static void assertTypes(Class<?> options, Class<?> contract, StrategyFactory<?, ?> factory) {
        assertEquals(options, factory.optionsType());
        assertEquals(contract, factory.contract());
    }

    @Test
    void derivesOptionsAndContractThroughSuperclassesAndInterfaces() {
        assertTypes(Options.class, Runnable.class, new Direct());
        assertTypes(Options.class, Runnable.class, new Derived());
        assertTypes(Options.class, Runnable.class, new Closed());
        assertTypes(Options.class, List.class, new Listing());
        assertTypes(Options.class, Runnable.class, new Direct() {});
    }

    @Test
    void derivesContractOfKernelProviders() {
        assertTypes(NoOptions.class, KernelProvider.class, new Scaling() {
            @Override
            public Class<Runnable> family() {
                return Runnable.class;
            }

            @Override
            public Tier tier() {
                return Tier.SCALAR;
            }

            @Override
            public Runnable open(Device device) {
                return () -> {};
            }
        });
    }

    private static void assertUnknown(String method, Class<?> type, Runnable asked) {
        String message = assertThrows(ConfigurationException.class, asked::run).getMessage();
        assertEquals(
                type.getName() + ": its " + method + "() cannot be derived from its class (allowed: a class that names"
                        + " both types, such as \"implements StrategyFactory<NoOptions, Optimizer>\"); name the types,"
                        + " or implement " + method + "()",
                message);
    }

    @Test
    @SuppressWarnings({"rawtypes", "unchecked"})
    void rejectsFactoriesWhoseClassNamesNoTypes() {
        StrategyFactory<Options, Runnable> lambda = options -> () -> {};
        assertUnknown("optionsType", lambda.getClass(), lambda::optionsType);
        assertUnknown("contract", lambda.getClass(), lambda::contract);
        StrategyFactory raw = new StrategyFactory() {
            @Override
            public Object create(Record options) {
                return options;
            }
        };
        assertUnknown("contract", raw.getClass(), raw::contract);
        StrategyFactory<Options, Runnable> open = new Open<>();
        assertUnknown("contract", Open.class, open::contract);
        assertEquals(Options.class, open.optionsType());
    }
}
