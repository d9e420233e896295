// Predicate registers.

// Compiled with UPSET_INJECT as well: that variant makes errors on purpose.
#include "burn.h"

#define BEGIN                                   \
    u32 began_sm = this_sm();                   \
    u32 began_warp = this_warp();               \
    INJECT_HERE(began_sm, began_warp)
#define END note_place(places, (blockIdx.x * blockDim.x + threadIdx.x) / 32, began_sm, began_warp)

// Seven predicates of every thread get the bits of a word, all warps wait, and the word is made of
// them again: out[(warp * words + word) * 32 + lane].
extern "C" __global__ void __launch_bounds__(1024)
    predicates(unsigned *out, uint4 *places, const unsigned *in, unsigned words INJECT_PARAMETERS) {
    BEGIN;
    unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    out += (size_t)warp * words * 32 + lane;
    for (unsigned i = 0; i < words; i++, out += 32) {
        unsigned word = in[i * 32 + lane], back;
        asm volatile(
            "{\n"
            ".reg .pred p<7>;\n"
            ".reg .b32 t, u;\n"
            "and.b32 t, %1, 1; setp.ne.u32 p0, t, 0;\n"
            "and.b32 t, %1, 2; setp.ne.u32 p1, t, 0;\n"
            "and.b32 t, %1, 4; setp.ne.u32 p2, t, 0;\n"
            "and.b32 t, %1, 8; setp.ne.u32 p3, t, 0;\n"
            "and.b32 t, %1, 16; setp.ne.u32 p4, t, 0;\n"
            "and.b32 t, %1, 32; setp.ne.u32 p5, t, 0;\n"
            "and.b32 t, %1, 64; setp.ne.u32 p6, t, 0;\n"
            "bar.sync 0;\n"
            "selp.b32 t, 1, 0, p0;\n"
            "selp.b32 u, 2, 0, p1; or.b32 t, t, u;\n"
            "selp.b32 u, 4, 0, p2; or.b32 t, t, u;\n"
            "selp.b32 u, 8, 0, p3; or.b32 t, t, u;\n"
            "selp.b32 u, 16, 0, p4; or.b32 t, t, u;\n"
            "selp.b32 u, 32, 0, p5; or.b32 t, t, u;\n"
            "selp.b32 u, 64, 0, p6; or.b32 %0, t, u;\n"
            "}"
            : "=r"(back)
            : "r"(word)
            : "memory");
        INJECT(back);
        out[0] = back;
    }
    END;
}
