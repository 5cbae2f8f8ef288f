/** Private to the bundle tokenizer-hf. */
package io.hirundo.tokenizerhf.internal;
