/** What a run will need, found by running its first steps on a device that only counts. */
package io.hirundo.trainer.internal.plan;
