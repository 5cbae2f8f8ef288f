/** Private to the bundle model-gemma2. */
package io.hirundo.modelgemma2.internal;
