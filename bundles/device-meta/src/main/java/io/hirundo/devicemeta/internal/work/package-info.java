/** Queues and transfers that compute nothing: they book FLOPs and bytes, and take as much time as a configured speed says. */
package io.hirundo.devicemeta.internal.work;
