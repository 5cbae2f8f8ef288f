/** Files of a model's folder other than its weights: {@code config.json}, generation settings and the model card. */
package io.hirundo.checkpointhf.internal.description;
