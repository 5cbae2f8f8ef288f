/**
 * Guards against files and texts that make the native library end the process: it panics or overflows its stack where Java would throw. A
 * {@code tokenizer.json} is checked ({@link io.hirundo.tokenizerhf.internal.safety.PatternLimits}), then loaded in a child process
 * ({@link io.hirundo.tokenizerhf.internal.safety.TokenizerProbe}), and only then in this one.
 */
package io.hirundo.tokenizerhf.internal.safety;
