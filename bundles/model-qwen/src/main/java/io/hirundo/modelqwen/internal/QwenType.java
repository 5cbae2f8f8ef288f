package io.hirundo.modelqwen.internal;

/** Generations of Qwen that compute differently, by their {@code model_type}. */
public enum QwenType {
    /** Qwen 2 and 2.5: biases of queries, keys and values. */
    QWEN2("qwen2", "Qwen2ForCausalLM"),
    /** Qwen 3: norms on the heads of queries and keys, no biases. */
    QWEN3("qwen3", "Qwen3ForCausalLM");

    private final String modelType;
    private final String head;

    QwenType(String modelType, String head) {
        this.modelType = modelType;
        this.head = head;
    }

    /** In {@code config.json}. */
    String modelType() {
        return modelType;
    }

    /** The class of the Transformers library. */
    String head() {
        return head;
    }
}
