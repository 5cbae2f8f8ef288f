/** The tokenizer {@code huggingface}. */
package io.hirundo.tokenizerhf.internal;
