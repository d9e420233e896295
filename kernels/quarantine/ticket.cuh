// Lets a grid finish on the SMs that are left when some are bad.
//
// A CTA is no longer the block that the hardware numbered: it takes the number
// of a block from a counter in memory, does that block, and takes the next,
// until none is left. CTAs that find themselves on a bad SM leave before they
// take one. So every block is done exactly once, wherever CTAs are placed, and
// as soon as one CTA is on a good SM all are done: a good CTA leaves only when
// there is no number left. If no CTA was on a good SM, none was taken, and the
// host launches again (the counter is 0 then, and at least `total` otherwise).
//
// `upset quarantine wrap KERNEL.cu` writes the few lines that put a source
// under this header. What the source must keep to: threads do not return while
// others of their block still wait at a barrier (CUDA asks for that anyway),
// blocks do not ask the hardware for their number by inline assembly
// (`upset quarantine ticket-check` looks for it in the machine code), and no
// cluster and no barrier over the grid is used: a block that waits for one that
// nobody has taken yet would wait for ever.

#ifndef UPSET_TICKET_CUH
#define UPSET_TICKET_CUH

// SMs that the list of bad ones has room for; one with a higher number is not
// trusted.
#define UPSET_TICKET_SMS 256

// The last parameter of every kernel under this header, set by the host.
struct UpsetTickets {
    unsigned int *control;   // the next number, 0 before a launch; then one bit for each bad SM
    unsigned int *done_by;   // for each block, 1 + the SM that took it; or null
    unsigned int grid[3];    // the grid that the program asked for
    unsigned int total;      // its blocks, at most 2^31
};

// What `blockIdx` and `gridDim` are to the kernel.
struct __align__(16) UpsetBlock {
    uint3 index;
    unsigned int ticket;
    uint3 grid; // not dim3: shared memory has no constructors
};
__shared__ UpsetBlock upset_block;

// Takes a block for the whole CTA; false when the CTA has to leave. One thread
// decides for all, so that barriers stay legal; nobody reads the number before any more.
static __device__ __forceinline__ bool upset_ticket_take(const UpsetTickets &tickets)
{
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
        // Asked for each block anew: a CTA that was preempted may come back
        // on another SM.
        unsigned int sm;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
        unsigned int *next = tickets.control;
        const unsigned int *bad = tickets.control + 1;
        const bool good = sm < UPSET_TICKET_SMS && !(bad[sm / 32] >> (sm % 32) & 1);
        const unsigned int ticket = good ? atomicAdd(next, 1u) : tickets.total;
        if (ticket < tickets.total) {
            const unsigned int row = ticket / tickets.grid[0];
            upset_block.index.x = ticket % tickets.grid[0];
            upset_block.index.y = row % tickets.grid[1];
            upset_block.index.z = row / tickets.grid[1];
            upset_block.grid.x = tickets.grid[0];
            upset_block.grid.y = tickets.grid[1];
            upset_block.grid.z = tickets.grid[2];
            if (tickets.done_by) {
                tickets.done_by[ticket] = sm + 1;
            }
        }
        upset_block.ticket = ticket;
        // Keeps the compiler from dropping fields that a kernel does not read:
        // it would still load all of it at once, beyond the end of what is left.
        asm volatile("" : : "l"(&upset_block));
    }
    __syncthreads();
    return upset_block.ticket < tickets.total;
}

// What a kernel is called once it is a function that does one block.
#define UPSET_TICKET_BODY(kernel) upset_block_of_##kernel

// The kernel itself, under its own name: `parameters` and `arguments` in
// parentheses.
#define UPSET_TICKET_KERNEL(prefix, kernel, parameters, arguments)                                \
    prefix kernel(UPSET_TICKET_LIST parameters const UpsetTickets upset_tickets)                  \
    {                                                                                             \
        while (upset_ticket_take(upset_tickets)) {                                                \
            UPSET_TICKET_BODY(kernel) arguments;                                                  \
            /* All leave the block before its number and its shared memory are used anew. */     \
            __syncthreads();                                                                      \
        }                                                                                         \
    }
#define UPSET_TICKET_LIST(...) __VA_ARGS__

#undef __cluster_dims__
#define __cluster_dims__(...) UPSET_TICKET_REFUSES_CLUSTERS

#endif
