/**
 * Bundles in a real OSGi framework: services that come and go, updates and removals of bundles during a training. Pax Exam starts the
 * bundles of a profile and runs the test methods inside ({@code PaxExamExtension}); {@code README.md} says what their classes may do.
 */
package io.hirundo.itests.framework;
