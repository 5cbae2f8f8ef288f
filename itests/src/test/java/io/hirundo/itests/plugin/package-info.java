/**
 * Plugins of third parties: projects that {@code plugin new} writes, built by Maven ({@code BuiltPlugins}), and jars that tests assemble
 * ({@code PluginJar}) from the classes in {@code org.example}.
 */
package io.hirundo.itests.plugin;
