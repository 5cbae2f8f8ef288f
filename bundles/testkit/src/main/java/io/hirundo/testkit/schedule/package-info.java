/** Contract of pipeline schedules: every action once, no deadlock, and the memory and bubble that a schedule claims. */
@Export
@Version("0.1.0")
package io.hirundo.testkit.schedule;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
