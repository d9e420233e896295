// Registers. 32 values of a work-item move round in a ring, one place and one
// inversion a step, as often as the host says: the compiler knows neither the
// values nor the number of steps.

#define EACH(m)                                                                    \
    m(0) m(1) m(2) m(3) m(4) m(5) m(6) m(7) m(8) m(9) m(10) m(11) m(12) m(13) m(14) \
    m(15) m(16) m(17) m(18) m(19) m(20) m(21) m(22) m(23) m(24) m(25) m(26) m(27)   \
    m(28) m(29) m(30) m(31)
#define LOAD(n) uint r##n = in[n] ^ own;
#define STORE(n) out[32 * id + n] = r##n;

__kernel void registers(__global const uint *in, uint steps, __global uint *out) {
    uint id = (uint)get_global_id(0);
    uint own = id * 0x9e3779b9u;
    EACH(LOAD)
    for (uint s = 0; s < steps; s++) {
        uint first = ~r0;
        r0 = ~r1; r1 = ~r2; r2 = ~r3; r3 = ~r4; r4 = ~r5; r5 = ~r6; r6 = ~r7; r7 = ~r8;
        r8 = ~r9; r9 = ~r10; r10 = ~r11; r11 = ~r12; r12 = ~r13; r13 = ~r14; r14 = ~r15;
        r15 = ~r16; r16 = ~r17; r17 = ~r18; r18 = ~r19; r19 = ~r20; r20 = ~r21; r21 = ~r22;
        r22 = ~r23; r23 = ~r24; r24 = ~r25; r25 = ~r26; r26 = ~r27; r27 = ~r28; r28 = ~r29;
        r29 = ~r30; r30 = ~r31; r31 = first;
    }
    EACH(STORE)
}
