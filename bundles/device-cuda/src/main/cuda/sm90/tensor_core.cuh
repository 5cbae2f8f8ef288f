// Tensor cores, and how operands come to them: names for instructions of Hopper (PTX ISA 8.7, 9.7.14 and 9.7.9). All 32 threads of
// a warp must come to each together. Shared memory is addressed in rows of 16 bytes, aligned to 16 bytes.
//
// Fragments, of thread 4 g + t of a warp (g 0..7, t 0..3); a register holds consecutive elements of a row, the first in its low bits:
//   A [16, 16] of BF16  registers i = 0..3: row g + 8 (i % 2), columns 2 t and 2 t + 1, + 8 (i / 2)
//   B [16, 8]  of BF16  registers i = 0, 1: column g, rows 2 t and 2 t + 1, + 8 i
//   C [16, 8]  of FP32  c[i]: row g + 8 (i / 2), column 2 t + i % 2
#pragma once
#include "common.cuh"

// On the CPU (tests) these are functions of the emulation.
#ifndef EMULATED

// c += A B, sums in FP32.
__device__ inline void multiply_bf16(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Four matrices of 8 rows of 16 bytes from shared memory: thread 8 i + j names row j of matrix i. Register i is of matrix i: bytes
// 4 t to 4 t + 3 of row g.
__device__ inline void load_matrices(unsigned (&r)[4], const void *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row))
               : "memory");
}

// The same of matrices of 8 x 8 elements of 16 bits, transposed: element g of rows 2 t and 2 t + 1.
__device__ inline void load_transposed(unsigned (&r)[4], const void *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row))
               : "memory");
}

// 16 bytes from global to shared memory, in the background; zeros where they are not inside of the operand (which then is not
// read). Both aligned to 16 bytes. Needs no other thread.
__device__ inline void copy_later(void *shared, const void *global, bool isInside) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(shared)), "l"(global), "r"(isInside ? 16 : 0)
               : "memory");
}
// Ends a group of this thread's copies.
__device__ inline void end_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Waits until at most PENDING groups of this thread are under way. Other threads see what was copied after a barrier.
template <int PENDING> __device__ inline void wait_for_copies() { asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory"); }

#endif
