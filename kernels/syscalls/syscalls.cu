// Device side of printf, assert, malloc and free.
//
// Compiled kernels leave `vprintf`, `__assertfail`, `malloc` and `free`
// undefined: on a real GPU the driver provides them. This is what the loader
// provides: extern `X` is resolved to `upset_X`. The host side (where the
// buffers lie, how records are read) is crates/device/src/syscalls; the two
// agree on `Control` and on the records, see docs/syscalls.md.
//
// Compiled with -rdc=true, so that each function follows the calling
// convention of compiled calls, and with few registers, so that kernels need
// no more of them than their own code says.

typedef unsigned int u32;
typedef unsigned long long u64;

#define BINS 32

// Filled in by the host before the first launch; the heap by the device.
struct Control {
    u64 records;       // address of the record buffer
    u64 records_bytes; // its size
    u64 records_taken; // bytes that were asked for, possibly more than there are
    u64 heap;          // address of the heap
    u32 heap_units;    // its size in units of 16 bytes
    u32 lock;          // of everything below
    u32 ready;         // the heap has its first block
    u32 filled;        // which bins have blocks
    u32 bins[BINS];    // first free block of 2^i to 2^(i+1)-1 units
};

extern __device__ Control upset_control;

// ---------------------------------------------------------------- records

// A record begins with its size (a multiple of 8) and its kind. The kind is
// written last: a record that a trap cut off has none.
enum { PRINTF = 1, ASSERT = 2 };

// Where a record of that size goes, or null when the buffer is full.
static __device__ __forceinline__ u32 *reserve(u32 bytes) {
    u64 at = atomicAdd(&upset_control.records_taken, (u64)bytes);
    if (at + bytes > upset_control.records_bytes) return nullptr;
    u32 *record = (u32 *)(upset_control.records + at);
    *(volatile u32 *)record = bytes;
    return record;
}

static __device__ __forceinline__ void commit(u32 *record, u32 kind) {
    __threadfence();
    ((volatile u32 *)record)[1] = kind;
}

static __device__ __forceinline__ u32 length(const char *text) {
    u32 n = 0;
    while (text[n]) n++;
    return n;
}

static __device__ __forceinline__ u32 to_8(u32 bytes) { return (bytes + 7) & ~7u; }

// The bit of a character in a set of characters that differ in their low 5 bits.
#define IN(c) (1u << ((c) & 31))

// What a conversion takes from the argument block.
enum { NOTHING, WORD, DOUBLE_WORD, TEXT };

// Steps over a conversion behind its `%`; counts each `*` in `stars`. Written
// with sets, because jump tables would need a constant bank of their own.
static __device__ __forceinline__ u32 conversion(const char *&at, u32 &stars) {
    const u32 flags = IN(' ') | IN('#') | IN('\'') | IN('+') | IN('-') | IN('.') | 0x3ffu << 16;
    const u32 lengths = IN('l') | IN('j') | IN('z') | IN('t');
    const u32 integers = IN('d') | IN('i') | IN('u') | IN('o') | IN('x');
    const u32 reals = IN('f') | IN('e') | IN('g') | IN('a');
    bool wide = false;
    stars = 0;
    for (u32 c; (c = *(const unsigned char *)at) != 0;) {
        at++;
        if (c < 64) {
            if (c == '*') stars++;
            else if (c < 32 || !(flags & IN(c))) break;
            continue;
        }
        if (c == 'h') continue;
        if (c == 'L' || (c >= 96 && lengths & IN(c))) { wide = true; continue; }
        if (c >= 128) break;
        if (c == 's') return TEXT;
        if (c == 'c') return WORD;
        if (c == 'p' || c == 'n' || reals & IN(c)) return DOUBLE_WORD;
        if (c == 'X' || (c >= 96 && integers & IN(c))) return wide ? DOUBLE_WORD : WORD;
        break;
    }
    // `%%`, an end that came too early, or no conversion at all.
    return NOTHING;
}

// Record: size, kind, format (8 bytes), size of the argument block, 1 when the
// format's own text is the first string; the block; the strings, each with its
// zero, in the order of the arguments that point to them.
#define PRINTF_HEAD 24u

extern "C" __device__ int upset_vprintf(const char *format, const char *args) {
    if (!format) return -1;
    // A format in local or shared memory is gone when the host looks.
    bool copied = __isLocal(format) || __isShared(format);
    u32 count = 0, block = 0, strings = copied ? length(format) + 1 : 0;
    u32 *record = nullptr;
    char *to = nullptr;
    // Once to measure and once, if there are strings, to copy them.
#pragma unroll 1
    for (;;) {
        u32 offset = 0;
        for (const char *at = format; *at;) {
            if (*at++ != '%') continue;
            u32 stars, kind = conversion(at, stars);
            offset += 4 * stars;
            count += stars + (kind != NOTHING);
            if (kind == WORD) offset += 4;
            if (kind < DOUBLE_WORD) continue;
            offset = to_8(offset);
            const char *text = kind == TEXT ? *(const char *const *)(args + offset) : nullptr;
            offset += 8;
            if (!text) continue;
            if (!record) strings += length(text) + 1;
            else while ((*to++ = *text++)) {}
        }
        if (record) break;
        block = offset;
        record = reserve(PRINTF_HEAD + to_8(block) + to_8(strings));
        if (!record) return -1;
        *(u64 *)(record + 2) = (u64)format;
        record[4] = block;
        record[5] = copied;
        for (u32 i = 0; i < block / 4; i++) record[6 + i] = ((const u32 *)args)[i];
        if (!strings) break;
        to = (char *)record + PRINTF_HEAD + to_8(block);
        if (copied) for (const char *text = format; (*to++ = *text++);) {}
        count = 0;
    }
    commit(record, PRINTF);
    return count;
}

// Record: size, kind, message, file, function (8 bytes each), line, character
// size, block, thread (4 bytes each).
extern "C" __device__ void upset___assertfail(const char *message, const char *file, u32 line,
                                              const char *function, u64 char_size) {
    u32 *record = reserve(64);
    if (record) {
        *(u64 *)(record + 2) = (u64)message;
        *(u64 *)(record + 4) = (u64)file;
        *(u64 *)(record + 6) = (u64)function;
        record[8] = line;
        record[9] = (u32)char_size;
        record[10] = blockIdx.x;
        record[11] = blockIdx.y;
        record[12] = blockIdx.z;
        record[13] = threadIdx.x;
        record[14] = threadIdx.y;
        record[15] = threadIdx.z;
        commit(record, ASSERT);
    }
    __trap();
}

// ------------------------------------------------------------------- heap

// The heap is a sequence of blocks, each behind a head of 16 bytes; sizes and
// places are counted in units of 16 bytes, place 0 is the heap's first unit.
// Free blocks are in a list per power of two of their size.
struct Head {
    u32 units;    // of the block, head included
    u32 before;   // units of the block before it, 0 for the first
    u32 state;    // FREE or USED
    u32 spare;
    u32 next, previous; // in its list, while free: place + 1, 0 for none
    u32 spare2[2];
};
enum { FREE = 0x66726565, USED = 0x75736564 };
#define SMALLEST 2u

static __device__ __forceinline__ volatile Head *head(u32 place) {
    return (volatile Head *)(upset_control.heap + 16ull * place);
}

static __device__ __forceinline__ volatile Control *control() { return &upset_control; }

static __device__ __forceinline__ u32 bin_of(u32 units) { return 31 - __clz(units); }

static __device__ void insert(u32 place, u32 units, u32 before) {
    volatile Head *h = head(place);
    u32 bin = bin_of(units), first = control()->bins[bin];
    h->units = units;
    h->before = before;
    h->state = FREE;
    h->next = first;
    h->previous = 0;
    if (first) head(first - 1)->previous = place + 1;
    control()->bins[bin] = place + 1;
    control()->filled = control()->filled | 1u << bin;
    // The block behind it must know where this one begins.
    if (place + units < control()->heap_units) head(place + units)->before = units;
}

static __device__ void take_out(u32 place) {
    volatile Head *h = head(place);
    u32 next = h->next, previous = h->previous, bin = bin_of(h->units);
    if (next) head(next - 1)->previous = previous;
    if (previous) {
        head(previous - 1)->next = next;
    } else {
        control()->bins[bin] = next;
        if (!next) control()->filled = control()->filled & ~(1u << bin);
    }
}

static __device__ u64 take(u32 units) {
    if (!control()->ready) {
        control()->ready = 1;
        insert(0, control()->heap_units, 0);
    }
    // In its own bin the first that is large enough, in a higher one any.
    u32 bin = bin_of(units), found = control()->bins[bin];
    while (found && head(found - 1)->units < units) found = head(found - 1)->next;
    if (!found) {
        u32 higher = bin < 31 ? control()->filled & ~0u << (bin + 1) : 0;
        if (!higher) return 0;
        found = control()->bins[__ffs(higher) - 1];
    }
    u32 place = found - 1;
    volatile Head *h = head(place);
    take_out(place);
    u32 rest = h->units - units;
    if (rest >= SMALLEST) {
        h->units = units;
        insert(place + units, rest, units);
    }
    h->state = USED;
    return (u64)h + 16;
}

static __device__ void give(u32 place) {
    volatile Head *h = head(place);
    u32 units = h->units, before = h->before;
    h->state = FREE;
    u32 behind = place + units;
    if (behind < control()->heap_units && head(behind)->state == FREE) {
        take_out(behind);
        units += head(behind)->units;
    }
    if (place && head(place - before)->state == FREE) {
        place -= before;
        take_out(place);
        units += head(place)->units;
        before = head(place)->before;
    }
    insert(place, units, before);
}

// One thread at a time: those of a warp in the order of their lanes, so that
// only one of them ever waits for other warps.
#define LOCKED(work)                                                      \
    for (u32 waiting = __activemask(); waiting; waiting &= waiting - 1) { \
        if (lane() != __ffs(waiting) - 1) continue;                       \
        while (atomicCAS(&upset_control.lock, 0, 1)) {}                   \
        __threadfence();                                                  \
        work;                                                             \
        __threadfence();                                                  \
        atomicExch(&upset_control.lock, 0);                               \
    }

static __device__ __forceinline__ u32 lane() {
    u32 number;
    asm("mov.u32 %0, %%laneid;" : "=r"(number));
    return number;
}

extern "C" __device__ void *upset_malloc(u64 bytes) {
    if (bytes > 16ull * upset_control.heap_units) return nullptr;
    u32 units = (u32)((bytes + 15) / 16) + 1;
    if (units < SMALLEST) units = SMALLEST;
    u64 address = 0;
    LOCKED(address = take(units))
    return (void *)address;
}

extern "C" __device__ void upset_free(void *pointer) {
    if (!pointer) return;
    u64 offset = (u64)pointer - upset_control.heap;
    // What malloc has not returned cannot be freed.
    if (offset % 16 || offset / 16 - 1 >= upset_control.heap_units) __trap();
    u32 place = (u32)(offset / 16 - 1);
    LOCKED({
        if (head(place)->state != USED) __trap();
        give(place);
    })
}
