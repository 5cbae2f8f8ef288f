package io.hirundo.device;

import org.osgi.annotation.versioning.ConsumerType;

/** What a {@link Device} may report about itself for reports and tests; a device that has nothing to report does not implement it. */
@ConsumerType
public interface DeviceDiagnostics {
    /** The libraries, drivers and compilers that the device works with, in one line without a full stop. */
    String libraries();

    /** Launches of captured graphs since the device was opened; 0 where it captures none. Any thread may ask. */
    long graphLaunches();
}
