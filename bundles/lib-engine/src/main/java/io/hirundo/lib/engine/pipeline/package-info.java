/** Pipeline parallelism on one rank: the task order of a schedule, the transfers between stages, and how blocks are split evenly. */
@Export
@Version("0.1.0")
package io.hirundo.lib.engine.pipeline;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
