/**
 * What commands and trainings leave when they fail or are ended: by signals, by disks that are full or vanish, by errors in a step. They
 * have the documented exit code and one line of error, keep complete files, and leave no partial or temporary ones.
 */
package io.hirundo.itests.failures;
