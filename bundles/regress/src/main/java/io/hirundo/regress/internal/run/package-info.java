/** Runs cases with the trainer. */
package io.hirundo.regress.internal.run;
