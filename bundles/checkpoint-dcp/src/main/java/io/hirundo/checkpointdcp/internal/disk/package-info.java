/**
 * The file operations that saves make, with durable and unbuffered writes, and the lock on a run's folder. Tests replace
 * them by disks that fail, crash or are slow.
 */
package io.hirundo.checkpointdcp.internal.disk;
