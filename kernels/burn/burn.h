// What all kernels of `upset burn` share: where a warp ran, folds of results,
// and errors made on purpose.
//
// A kernel never judges its own results. It stores them, or a fold of them
// (a signature), and the host compares with what it computed itself.

typedef unsigned int u32;
typedef unsigned long long u64;

__device__ __forceinline__ u32 this_sm() {
    u32 v;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(v));
    return v;
}

__device__ __forceinline__ u32 this_warp() {
    u32 v;
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(v));
    return v;
}

__device__ __forceinline__ u32 this_lane() {
    u32 v;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(v));
    return v;
}

// Where a warp ran: SM and slot when it began and when it ended. A warp that
// moved has no place.
__device__ __forceinline__ void note_place(uint4 *places, u32 index, u32 sm, u32 warp) {
    if (this_lane() == 0)
        places[index] = make_uint4(sm, this_sm(), warp, this_warp());
}

__device__ __forceinline__ u32 rotated(u32 v, u32 by) {
    u32 turned;
    asm("shf.l.wrap.b32 %0, %1, %1, %2;" : "=r"(turned) : "r"(v), "r"(by));
    return turned;
}

// A zero of each lane's own that the compiler does not know: no chip has that
// many SMs. Moves of known or uniform values may run on any unit; what is
// combined with this runs where its instruction says.
__device__ __forceinline__ u32 unknown_zero() {
    return this_sm() & 0x80000000u & rotated(this_lane(), 31);
}

// Address `offset` bytes into a table that begins at a multiple of a power of
// two not less than its size: joined from its bits by logic alone, so that a
// broken multiply-add unit does not read or store elsewhere.
__device__ __forceinline__ u64 joined(u64 table, u32 offset, u32 zero) {
    u32 low, high;
    asm("lop3.b32 %0, %1, %2, %3, 0xfe;" : "=r"(low) : "r"((u32)table), "r"(offset), "r"(zero));
    asm("or.b32 %0, %1, %2;" : "=r"(high) : "r"((u32)(table >> 32)), "r"(zero));
    u64 address;
    asm("mov.b64 %0, {%1, %2};" : "=l"(address) : "r"(low), "r"(high));
    return address;
}

__device__ __forceinline__ void store_word(u64 address, u32 value) {
    asm volatile("st.global.u32 [%0], %1;" : : "l"(address), "r"(value) : "memory");
}

__device__ __forceinline__ uint4 load_words(u64 address) {
    uint4 v;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(address));
    return v;
}

// One step of a multiple-input signature register over the primitive
// polynomial of CRC-32 (0x04c11db7): a wrong result always shows, two cancel
// only at a distance of 2^32 - 1 results. Rotates and logic alone, so that it
// runs on the integer unit.
__device__ __forceinline__ u32 fold_by_logic(u32 s, u32 r) {
    u32 turned;
    asm("shf.l.wrap.b32 %0, %1, %1, 1;" : "=r"(turned) : "r"(s));
    int top;
    asm("shr.s32 %0, %1, 31;" : "=r"(top) : "r"((int)s));
    return turned ^ r ^ ((u32)top & 0x04c11db6u);
}

// The same for results of the integer unit, on the multiply-add unit: both
// words of the result times an odd constant, so that every bit of it reaches
// low bits of one of them, in two linear generators.
struct Products {
    u32 low, high;
};
__device__ __forceinline__ Products fold_by_products(Products s, u32 r) {
    u64 spread;
    asm("mul.wide.u32 %0, %1, 0x9e3779b1;" : "=l"(spread) : "r"(r));
    asm("mad.lo.u32 %0, %1, 0x2c1b3c6d, %2;" : "=r"(s.low) : "r"(s.low), "r"((u32)spread));
    asm("mad.lo.u32 %0, %1, 0x297a2d39, %2;" : "=r"(s.high) : "r"(s.high), "r"((u32)(spread >> 32)));
    return s;
}

// An error made on purpose, in the variant compiled for it alone.
#ifdef UPSET_INJECT
#define INJECT_PARAMETERS \
    , u32 inject_sm, u32 inject_sub, u32 inject_subs, u32 inject_lane, u32 inject_mask, \
        u32 inject_period
// Bits to invert in this lane's results.
#define INJECT_HERE(sm, warp)                                                    \
    u32 inject_here = (sm) == inject_sm && (warp) % inject_subs == inject_sub && \
                              this_lane() == inject_lane                         \
                          ? inject_mask                                          \
                          : 0;                                                   \
    u32 inject_count = 0
// After the operation under test: one word of its result.
#define INJECT(word)                                            \
    do {                                                        \
        if (inject_count % inject_period == 0)                  \
            (word) ^= inject_here;                              \
        inject_count++;                                         \
    } while (0)
#else
#define INJECT_PARAMETERS
#define INJECT_HERE(sm, warp)
#define INJECT(word)
#endif
