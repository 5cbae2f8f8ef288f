/** Schedules that users write: a table with a row for each rank. */
package io.hirundo.parallelpp.internal.csv;
