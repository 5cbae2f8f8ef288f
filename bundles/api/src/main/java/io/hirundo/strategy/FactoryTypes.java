package io.hirundo.strategy;

import io.hirundo.ConfigurationException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What a factory's class gives for the type variables of {@link StrategyFactory}. Read once for each class, because a registry asks often.
 *
 * @param arguments by the variables' order; those that the class leaves open are null
 */
record FactoryTypes(List<Class<?>> arguments) {
    private static final ClassValue<FactoryTypes> OF = new ClassValue<>() {
        @Override
        protected FactoryTypes computeValue(Class<?> type) {
            return new FactoryTypes(arguments(type, new HashMap<>()));
        }
    };

    /** @throws ConfigurationException if the class leaves the variable open: it is a lambda, raw or generic itself */
    @SuppressWarnings("unchecked") // the compiler checked it where the factory's class names its types
    static <T> Class<T> argument(StrategyFactory<?, ?> factory, int index, String method) {
        Class<?> found = OF.get(factory.getClass()).arguments().get(index);
        if (found == null) {
            throw new ConfigurationException(factory.getClass().getName() + ": its " + method
                    + "() cannot be derived from its class (allowed: a class that names both types, such as"
                    + " \"implements StrategyFactory<NoOptions, Optimizer>\"); name the types, or implement " + method
                    + "()");
        }
        return (Class<T>) found;
    }

    private static List<Class<?>> arguments(Type type, Map<Type, Type> known) {
        Class<?> declared = erased(type);
        TypeVariable<?>[] variables = declared.getTypeParameters();
        if (type instanceof ParameterizedType given) {
            for (int i = 0; i < variables.length; i++) {
                Type argument = given.getActualTypeArguments()[i];
                known.put(variables[i], argument instanceof TypeVariable<?> ? known.get(argument) : argument);
            }
        }
        if (declared == StrategyFactory.class) {
            return Arrays.<Class<?>>asList(erased(known.get(variables[0])), erased(known.get(variables[1])));
        }
        return Stream.concat(
                        Stream.of(declared.getGenericInterfaces()), Stream.ofNullable(declared.getGenericSuperclass()))
                .filter(above -> StrategyFactory.class.isAssignableFrom(erased(above)))
                .findFirst()
                .map(above -> arguments(above, known))
                .orElseThrow();
    }

    private static Class<?> erased(Type type) {
        return switch (type) {
            case Class<?> named -> named;
            case ParameterizedType named -> (Class<?>) named.getRawType();
            case null, default -> null;
        };
    }
}
