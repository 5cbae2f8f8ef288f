/** What a model's folder says beside its weights: {@code config.json}, generation settings and the model card. */
package io.hirundo.checkpointhf.internal.description;
