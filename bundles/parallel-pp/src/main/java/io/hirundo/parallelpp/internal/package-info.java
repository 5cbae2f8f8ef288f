/** Private to the bundle parallel-pp. */
package io.hirundo.parallelpp.internal;
