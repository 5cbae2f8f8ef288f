/** Pipeline parallelism on one rank: the split into stages, the task order of a schedule and the transfers between stages. */
@Export
@Version("0.1.0")
package io.hirundo.lib.engine.pipeline;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
