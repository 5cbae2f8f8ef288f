package io.hirundo.strategy;

import io.hirundo.ConfigurationException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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

    /** Plain loops: a program asks all its factories while it starts, and the first stream or lambda of a class takes milliseconds. */
    private static List<Class<?>> arguments(Type type, Map<Type, Type> known) {
        Class<?> declared = erased(type);
        TypeVariable<?>[] variables = declared.getTypeParameters();
        if (type instanceof ParameterizedType given) {
            Type[] arguments = given.getActualTypeArguments();
            for (int i = 0; i < variables.length; i++) {
                known.put(
                        variables[i], arguments[i] instanceof TypeVariable<?> ? known.get(arguments[i]) : arguments[i]);
            }
        }
        if (declared == StrategyFactory.class) {
            return Arrays.<Class<?>>asList(erased(known.get(variables[0])), erased(known.get(variables[1])));
        }
        for (Type above : declared.getGenericInterfaces()) {
            if (StrategyFactory.class.isAssignableFrom(erased(above))) {
                return arguments(above, known);
            }
        }
        return arguments(declared.getGenericSuperclass(), known);
    }

    /** Null for a variable, or no type. */
    private static Class<?> erased(Type type) {
        return type instanceof Class<?> named
                ? named
                : type instanceof ParameterizedType parameterized ? (Class<?>) parameterized.getRawType() : null;
    }
}
