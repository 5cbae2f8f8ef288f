/** The results of cases, and the golden file that stores them. */
package io.hirundo.regress.internal.golden;
