/** Schedules read from a user's table with one row per rank. */
package io.hirundo.parallelpp.internal.csv;
