/**
 * Guards the native library against files and texts that make it end the process: it panics or overflows its stack where Java would
 * throw. A {@code tokenizer.json} is checked ({@link io.hirundo.tokenizerhf.internal.safety.PatternLimits}), then tried in a child
 * process ({@link io.hirundo.tokenizerhf.internal.safety.TokenizerTrial}), and only then loaded.
 */
package io.hirundo.tokenizerhf.internal.safety;
