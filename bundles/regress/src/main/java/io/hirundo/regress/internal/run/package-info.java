/** Runs cases on the trainer. */
package io.hirundo.regress.internal.run;
