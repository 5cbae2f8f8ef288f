/**
 * The built program for tests, and what they train with it. Tests of the other packages use these classes; none is here.
 *
 * <p>{@code Program} runs it in a process, {@code InProcess} its commands in a framework of the test's own process; {@code Steered} is a
 * training that gets commands while it runs. {@code Profiles} is the built distro. {@code TinyTraining} and {@code SmallTraining} make
 * arguments of trainings that take little CPU time, {@code SampleTexts} their texts; {@code Metrics} reads what a run wrote.
 */
package io.hirundo.itests.program;
