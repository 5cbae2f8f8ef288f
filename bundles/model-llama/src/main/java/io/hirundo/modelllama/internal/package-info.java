/** Private to the bundle model-llama. */
package io.hirundo.modelllama.internal;
