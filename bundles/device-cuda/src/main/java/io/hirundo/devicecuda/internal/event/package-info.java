/** Events of a device, which tell when a stream has reached a point. Handles are reused. */
package io.hirundo.devicecuda.internal.event;
