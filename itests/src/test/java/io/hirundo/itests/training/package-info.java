/**
 * Trainings of the built program: resumed, in layouts of several ranks and processes, controlled and changed while they run, with their
 * checkpoints in stores, and with models that another library reads and writes.
 */
package io.hirundo.itests.training;
