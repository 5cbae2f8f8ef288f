/** Native memory, accounted to the byte: chunks of the heap, the best-fit allocator over them, and access by address. */
package io.hirundo.devicecpu.internal.memory;
