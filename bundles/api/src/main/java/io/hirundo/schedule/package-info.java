/**
 * The order of a step's work on each pipeline rank, as a pure list of actions. A schedule plans; {@link
 * io.hirundo.schedule.PipelinePlan} checks that the plan can be run and says who sends what to whom; {@link
 * io.hirundo.schedule.PipelineTimeline} says when everything happens, without a device.
 */
@Export
@Version("0.9.0")
package io.hirundo.schedule;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
