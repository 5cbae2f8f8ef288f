/** Pipeline schedules. */
package io.hirundo.parallelpp.internal;
