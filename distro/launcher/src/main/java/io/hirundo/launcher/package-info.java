/**
 * Starts a profile, a folder of bundles, in an OSGi framework while one command runs.
 *
 * <p>The only code outside the framework. It uses the OSGi launch API and the JDK, and finds the command line in the framework as a
 * service of JDK types.
 */
package io.hirundo.launcher;
