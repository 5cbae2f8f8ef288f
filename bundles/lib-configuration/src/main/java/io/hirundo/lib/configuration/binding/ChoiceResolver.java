package io.hirundo.lib.configuration.binding;

import io.hirundo.strategy.Choice;

/** Checks choices against the available strategies. */
public interface ChoiceResolver {
    /**
     * Checks a choice and adds the strategy's defaults to its options.
     *
     * @param contract interface that the strategy must implement
     * @param path path of the choice in the document
     * @param problems receives the errors
     * @return the completed choice, or the given one if there are errors
     */
    Choice resolve(Class<?> contract, Choice choice, String path, Problems problems);

    /** A resolver that accepts every choice unchanged. */
    static ChoiceResolver unchecked() {
        return (contract, choice, path, problems) -> choice;
    }
}
