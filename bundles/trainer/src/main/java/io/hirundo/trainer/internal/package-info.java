/** Private to the bundle trainer. */
package io.hirundo.trainer.internal;
