/** The planning device {@code meta}: its factory, its options, and one open device, which computes nothing and counts everything. */
package io.hirundo.devicemeta.internal;
