/**
 * Pipeline schedules as pure lists of actions per rank. A schedule plans; {@link io.hirundo.schedule.PipelinePlan} checks the
 * plan and derives the transfers; {@link io.hirundo.schedule.PipelineTimeline} simulates its timing without a device.
 */
@Export
@Version("0.27.0")
package io.hirundo.schedule;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
