// Warpgroups of Hopper: products straight from shared memory (wgmma), copies of tiles in the background (TMA), and the barriers by
// which they know of each other. Names for instructions (PTX ISA 8.7, 9.7.15, 9.7.9.27 and 9.7.13.15).
//
// A tile in shared memory has lines of 128 bytes, swizzled: byte b of line l is at 128 l + (b ^ (l % 8) 16), of an address that is a
// multiple of 1024. Operands are read from such tiles in one of two ways:
//   by rows     a line has 128 bytes of K, there is a line for each row of A (column of B)
//   by columns  a line has 64 rows of A (columns of B) of one k, 16 bits each; those of 64 k come before the next 64 rows
// Sums, of thread 32 w + 4 g + t of a warpgroup: sums[4 j + i] is of row 16 w + g + 8 (i / 2), column 8 j + 2 t + i % 2. Fragments of
// A [64, 16] of BF16 in registers i = 0..3, two consecutive elements of a row in each: row 16 w + g + 8 (i % 2), columns 2 t + 8 (i / 2). So
// 16 columns of sums, rounded, are the fragments of as many k for a further product.
#pragma once
#include "common.cuh"

typedef unsigned long long u64;

// What the driver makes of a matrix, or of matrices side by side, for copies of tiles (cuTensorMapEncodeTiled).
struct alignas(128) TensorMap {
  u8 opaque[128];
};

const int LINE = 128;

// A kernel of which one block is on a multiprocessor at a time: where the compiler is not told so it does not always know how many
// registers threads begin with, and does not share them out then.
#ifdef EMULATED
#define KERNEL_ALONE KERNEL
#else
#define KERNEL_ALONE(threads, name, ...) extern "C" __global__ void __launch_bounds__(threads, 1) name(__VA_ARGS__)
#endif

// On the CPU (tests) these are functions of the emulation.
#ifndef EMULATED

// Barriers: in shared memory, for as many arrivals in each phase. Whoever waits names the parity of the phase that is to be over;
// waiting for parity 1 of a new one returns at once.
__device__ inline void barrier_begin(u64 *barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}
// After the last, by the thread that made them; all threads meet before the first use.
__device__ inline void barriers_begun() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ inline void arrive(u64 *barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
// Arrives, and makes the phase wait for as many bytes of copies.
__device__ inline void arrive_expecting(u64 *barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes) : "memory");
}
__device__ inline void wait_for(u64 *barrier, int parity) {
  asm volatile("{\n.reg .pred over;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n@!over bra AGAIN;\n}" ::"r"(
                   shared_address(barrier)),
               "r"(parity)
               : "memory");
}

// Meetings of so many threads of whole warps, at places 1 to 15 (0 is that of all): those who meet wait for all others, those who pass
// are only counted.
__device__ inline void meet(int place, int threads) { asm volatile("bar.sync %0, %1;" ::"r"(place), "r"(threads) : "memory"); }
__device__ inline void pass(int place, int threads) { asm volatile("bar.arrive %0, %1;" ::"r"(place), "r"(threads) : "memory"); }

// The tile that begins at this column, and this row, of a matrix; zeros for what is outside of it. Its size is the map's.
__device__ inline void copy_tile(void *shared, const TensorMap &map, int column, int row, u64 *barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                   shared_address(shared)),
               "l"(&map), "r"(column), "r"(row), "r"(shared_address(barrier))
               : "memory");
}
// The same of maps with more extents than two: where the tile begins in each, in the map's order.
__device__ inline void copy_tile(void *shared, const TensorMap &map, int column, int second, int third, u64 *barrier) {
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(
                   shared_address(shared)),
               "l"(&map), "r"(column), "r"(second), "r"(third), "r"(shared_address(barrier))
               : "memory");
}
__device__ inline void copy_tile(void *shared, const TensorMap &map, int column, int second, int third, int fourth, u64 *barrier) {
  asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], [%6];" ::"r"(
                   shared_address(shared)),
               "l"(&map), "r"(column), "r"(second), "r"(third), "r"(fourth), "r"(shared_address(barrier))
               : "memory");
}
// Bytes in a row; they and both addresses are multiples of 16.
__device__ inline void copy_bytes(void *shared, const void *global, int bytes, u64 *barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(shared)),
               "l"(global), "r"(bytes), "r"(shared_address(barrier))
               : "memory");
}

// The other way, by one thread for all of them: to bytes, or as additions to floats, of global memory. Bytes and addresses are
// multiples of 16. Shared memory is read later, and what is in global memory when is said by the waits; a thread has one at a time.
__device__ inline void put_bytes(void *global, const void *shared, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\ncp.async.bulk.commit_group;" ::"l"(global),
               "r"(shared_address(shared)), "r"(bytes)
               : "memory");
}
__device__ inline void add_floats(float *global, const float *shared, int bytes) {
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;\ncp.async.bulk.commit_group;" ::"l"(global),
               "r"(shared_address(shared)), "r"(bytes)
               : "memory");
}
__device__ inline void wait_until_taken() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
__device__ inline void wait_until_written() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

// Writes what products and copies, which are of another proxy than a thread's own accesses, are to read from shared memory; and makes
// what this thread has written so known to them, before it tells others of it. Of shared memory alone: a fence of all memory waits
// for the whole GPU.
template <class T> __device__ inline void write_for_others(void *shared, const T &value) { *(T *)shared = value; }
__device__ inline void show_to_others() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// The number of those that came before, from a counter in global memory that begins at 0. Who waits only for those with smaller
// numbers never waits for ever: these have begun, in whatever order a GPU starts blocks, and however few it has room for.
__device__ inline int take_number(int *counter) { return atomicAdd(counter, 1); }
// Turns, of one thread each, at what is in global memory. What the thread before wrote, by copies too that it has waited for until
// they were written, is there before anything that this one begins after. Written: cp.async.bulk.wait_group makes a copy's writes
// visible to its thread, the release makes known what is visible to that, the acquire that reads it takes it over (causality
// order of PTX's memory model), and the fences are between a thread's own accesses and copies, which are of another proxy.
__device__ inline void wait_for_turn(const int *turns, int turn) {
  int now;
  do {
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(now) : "l"(turns) : "memory");
  } while (now != turn);
  asm volatile("fence.proxy.async.global;" ::: "memory");
}
__device__ inline void pass_turn(int *turns, int next) {
  asm volatile("fence.proxy.async.global;\nst.release.gpu.global.s32 [%0], %1;" ::"l"(turns), "r"(next) : "memory");
}

// Registers of each thread of a warpgroup, given back or taken; all 128 come here.
template <int REGISTERS> __device__ inline void keep_registers() { asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS)); }
template <int REGISTERS> __device__ inline void take_registers() { asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS)); }

// Products of a warpgroup: begin, multiply as often as wanted, end; until wait_for_products nobody looks at sums or changes tiles.
__device__ inline void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void end_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// Until at most PENDING groups are under way.
template <int PENDING> __device__ inline void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}

// The 32, 64 or 128 sums of a thread as operands of an instruction.
#define SUMS_OF_32                                                                                                 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define SUMS_OF_64                                                                                                 \
  SUMS_OF_32 ", " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define SUMS_OF_128                                                                                                \
  SUMS_OF_64 ", " \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, " \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define EACH_OF_32                                                                                                 \
  "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]), "+f"(sums[4]), "+f"(sums[5]), "+f"(sums[6]), "+f"(sums[7]), \
  "+f"(sums[8]), "+f"(sums[9]), "+f"(sums[10]), "+f"(sums[11]), "+f"(sums[12]), "+f"(sums[13]), "+f"(sums[14]), "+f"(sums[15]), \
  "+f"(sums[16]), "+f"(sums[17]), "+f"(sums[18]), "+f"(sums[19]), "+f"(sums[20]), "+f"(sums[21]), "+f"(sums[22]), "+f"(sums[23]), \
  "+f"(sums[24]), "+f"(sums[25]), "+f"(sums[26]), "+f"(sums[27]), "+f"(sums[28]), "+f"(sums[29]), "+f"(sums[30]), "+f"(sums[31])
#define EACH_OF_64                                                                                                 \
  EACH_OF_32, \
  "+f"(sums[32]), "+f"(sums[33]), "+f"(sums[34]), "+f"(sums[35]), "+f"(sums[36]), "+f"(sums[37]), "+f"(sums[38]), "+f"(sums[39]), \
  "+f"(sums[40]), "+f"(sums[41]), "+f"(sums[42]), "+f"(sums[43]), "+f"(sums[44]), "+f"(sums[45]), "+f"(sums[46]), "+f"(sums[47]), \
  "+f"(sums[48]), "+f"(sums[49]), "+f"(sums[50]), "+f"(sums[51]), "+f"(sums[52]), "+f"(sums[53]), "+f"(sums[54]), "+f"(sums[55]), \
  "+f"(sums[56]), "+f"(sums[57]), "+f"(sums[58]), "+f"(sums[59]), "+f"(sums[60]), "+f"(sums[61]), "+f"(sums[62]), "+f"(sums[63])
#define EACH_OF_128                                                                                                \
  EACH_OF_64, \
  "+f"(sums[64]), "+f"(sums[65]), "+f"(sums[66]), "+f"(sums[67]), "+f"(sums[68]), "+f"(sums[69]), "+f"(sums[70]), "+f"(sums[71]), \
  "+f"(sums[72]), "+f"(sums[73]), "+f"(sums[74]), "+f"(sums[75]), "+f"(sums[76]), "+f"(sums[77]), "+f"(sums[78]), "+f"(sums[79]), \
  "+f"(sums[80]), "+f"(sums[81]), "+f"(sums[82]), "+f"(sums[83]), "+f"(sums[84]), "+f"(sums[85]), "+f"(sums[86]), "+f"(sums[87]), \
  "+f"(sums[88]), "+f"(sums[89]), "+f"(sums[90]), "+f"(sums[91]), "+f"(sums[92]), "+f"(sums[93]), "+f"(sums[94]), "+f"(sums[95]), \
  "+f"(sums[96]), "+f"(sums[97]), "+f"(sums[98]), "+f"(sums[99]), "+f"(sums[100]), "+f"(sums[101]), "+f"(sums[102]), "+f"(sums[103]), \
  "+f"(sums[104]), "+f"(sums[105]), "+f"(sums[106]), "+f"(sums[107]), "+f"(sums[108]), "+f"(sums[109]), "+f"(sums[110]), "+f"(sums[111]), \
  "+f"(sums[112]), "+f"(sums[113]), "+f"(sums[114]), "+f"(sums[115]), "+f"(sums[116]), "+f"(sums[117]), "+f"(sums[118]), "+f"(sums[119]), \
  "+f"(sums[120]), "+f"(sums[121]), "+f"(sums[122]), "+f"(sums[123]), "+f"(sums[124]), "+f"(sums[125]), "+f"(sums[126]), "+f"(sums[127])

// sums[64, N] = (add ? sums : 0) + A[64, 16] B[16, N] of BF16, N = 64, 128 and 256.
template <bool A_BY_ROWS, bool B_BY_ROWS> __device__ inline void multiply_tiles_bf16(float (&sums)[32], u64 a, u64 b, bool add) {
  asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %34, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" SUMS_OF_32 "}, %32, %33, add, 1, 1, %35, %36;\n}"
               : EACH_OF_32
               : "l"(a), "l"(b), "r"((int)add), "n"(A_BY_ROWS ? 0 : 1), "n"(B_BY_ROWS ? 0 : 1));
}
template <bool A_BY_ROWS, bool B_BY_ROWS> __device__ inline void multiply_tiles_bf16(float (&sums)[64], u64 a, u64 b, bool add) {
  asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %66, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" SUMS_OF_64 "}, %64, %65, add, 1, 1, %67, %68;\n}"
               : EACH_OF_64
               : "l"(a), "l"(b), "r"((int)add), "n"(A_BY_ROWS ? 0 : 1), "n"(B_BY_ROWS ? 0 : 1));
}
template <bool A_BY_ROWS, bool B_BY_ROWS> __device__ inline void multiply_tiles_bf16(float (&sums)[128], u64 a, u64 b, bool add) {
  asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %130, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {" SUMS_OF_128 "}, %128, %129, add, 1, 1, %131, %132;\n}"
               : EACH_OF_128
               : "l"(a), "l"(b), "r"((int)add), "n"(A_BY_ROWS ? 0 : 1), "n"(B_BY_ROWS ? 0 : 1));
}
// The same with fragments of A, which stay as they are until the product is over.
template <bool B_BY_ROWS> __device__ inline void multiply_fragments_bf16(float (&sums)[32], const unsigned (&a)[4], u64 b, bool add) {
  asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %37, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" SUMS_OF_32 "}, {%32, %33, %34, %35}, %36, add, 1, 1, %38;\n}"
               : EACH_OF_32
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"((int)add), "n"(B_BY_ROWS ? 0 : 1));
}
template <bool B_BY_ROWS> __device__ inline void multiply_fragments_bf16(float (&sums)[64], const unsigned (&a)[4], u64 b, bool add) {
  asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %69, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" SUMS_OF_64 "}, {%64, %65, %66, %67}, %68, add, 1, 1, %70;\n}"
               : EACH_OF_64
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"((int)add), "n"(B_BY_ROWS ? 0 : 1));
}

// sums[64, 128] = (add ? sums : 0) + A[64, 32] B[32, 128] of E4M3, both by rows. Sums keep fewer bits than FP32 has.
__device__ inline void multiply_tiles_e4m3(float (&sums)[64], u64 a, u64 b, bool add) {
  asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %66, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 {" SUMS_OF_64 "}, %64, %65, add, 1, 1;\n}"
               : EACH_OF_64
               : "l"(a), "l"(b), "r"((int)add));
}

// The compiler takes sums for known as soon as a product is begun: this keeps what reads them behind the wait for it.
template <int N> __device__ inline void are_known(float (&sums)[N]) {
#pragma unroll
  for (int i = 0; i < N; i++) {
    asm volatile("" : "+f"(sums[i])::"memory");
  }
}
// And fragments for read: this keeps their registers until then.
template <int N> __device__ inline void are_read(const unsigned (&fragments)[N][4]) {
#pragma unroll
  for (int i = 0; i < 4 * N; i++) {
    asm volatile("" ::"r"(fragments[i / 4][i % 4]) : "memory");
  }
}

#endif

// The layout of an operand in shared memory, for wgmma: where it begins; by columns, how many lines (k) come before the next 64 rows of A
// (columns of B); 1024 bytes between 8 lines and the next; lines of 128 bytes swizzled.
template <int LINES = 64> __device__ inline u64 operand(const u8 *tile) {
  return (shared_address(tile) & 0x3ffff) >> 4 | (u64)(LINES * LINE >> 4) << 16 | (u64)(8 * LINE >> 4) << 32 | 1ull << 62;
}

// The sums of products, rounded, as fragments of A for further ones: 16 k in each.
template <int N> __device__ inline void round_to_fragments(const float (&sums)[N], unsigned (&fragments)[N / 8][4]) {
#pragma unroll
  for (int i = 0; i < N; i += 2) {
    fragments[i / 8][i % 8 / 2] = pack(sums[i], sums[i + 1]);
  }
}
