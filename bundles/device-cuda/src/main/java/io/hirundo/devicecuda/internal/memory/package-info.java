/**
 * Device memory: tensors, the stream-ordered allocator over the driver's pool, and fixed addresses for captured graphs.
 * It sees queues through MemoryQueue only.
 */
package io.hirundo.devicecuda.internal.memory;
