/**
 * Starts a profile: a folder of bundles, in an OSGi framework of its own, for as long as one command runs.
 *
 * <p>This is the only code outside the framework. It knows the OSGi launch API and the JDK, and finds the command line in
 * the framework as a service of JDK types.
 */
package io.hirundo.launcher;
