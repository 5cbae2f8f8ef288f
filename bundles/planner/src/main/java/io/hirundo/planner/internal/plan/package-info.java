/** Predicts the memory and work of a run by running its first steps on a device that counts without computing. */
package io.hirundo.planner.internal.plan;
