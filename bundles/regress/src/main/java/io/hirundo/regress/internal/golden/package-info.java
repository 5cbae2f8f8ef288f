/** What cases gave, and the file that keeps it. */
package io.hirundo.regress.internal.golden;
