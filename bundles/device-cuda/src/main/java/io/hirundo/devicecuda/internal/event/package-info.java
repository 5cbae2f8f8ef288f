/** Events of a device, which say when a stream has reached a point. Their handles are reused. */
package io.hirundo.devicecuda.internal.event;
