/** The schedules that the bundle offers. */
package io.hirundo.parallelpp.internal;
