/**
 * Device memory: tensors, the stream-ordered allocator over the driver's pool, and fixed offsets for captured graphs. It accesses queues
 * only through MemoryQueue.
 */
package io.hirundo.devicecuda.internal.memory;
