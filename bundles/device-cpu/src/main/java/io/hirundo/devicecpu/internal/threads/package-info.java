/** The worker pool of a device, the scratch memory of each worker, and how work is split into tasks: by shapes alone. */
package io.hirundo.devicecpu.internal.threads;
