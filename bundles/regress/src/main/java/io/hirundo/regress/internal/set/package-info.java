/** Sets of cases and the reader of set files. */
package io.hirundo.regress.internal.set;
