/** Sets of cases, and how their files are read. */
package io.hirundo.regress.internal.set;
