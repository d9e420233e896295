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

#define CLASSES 124

// Filled in by the host before the first launch.
struct Control {
    u64 records;       // address of the record buffer
    u64 records_bytes; // its size
    u64 records_taken; // bytes that were asked for, possibly more than there are
    u64 heap;          // address of the heap
    u32 heap_units;    // its size in units of 16 bytes
    u32 cut;           // units that were cut into blocks
    u32 live;          // blocks in use
    u32 spare;
    u64 lists[CLASSES]; // freed blocks: first one in the lower half
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

// The heap is cut into blocks, each behind a head of 16 bytes; sizes and
// places are counted in units of 16 bytes. Blocks that were freed are in one
// list per class of sizes, a new one is cut off the untouched rest. Nobody
// holds a lock, so nobody waits. The host starts over when all is free.
struct Head {
    u32 units; // of the block, head included
    u32 state; // FREE or USED
    u32 next;  // in its list, while free: place + 1, 0 for none
    u32 spare;
};
enum { FREE = 0x66726565, USED = 0x75736564 };

// Blocks of at least this size are as large as was asked for, others as large
// as the smallest of their class.
#define LARGE 4096u

static __device__ __forceinline__ Head *head(u32 place) {
    return (Head *)(upset_control.heap + 16ull * place);
}

// The class whose smallest block is not larger than `units`: four per power of two.
static __device__ __forceinline__ u32 class_of(u32 units) {
    if (units < 8) return units;
    u32 power = 31 - __clz(units);
    return 8 + 4 * (power - 3) + (units >> (power - 2) & 3);
}

static __device__ __forceinline__ u32 smallest_of(u32 number) {
    return number < 8 ? number : (4 + (number & 3)) << ((number - 8) / 4 + 1);
}

// The first block of a class, if it is large enough: place + 1, or 0.
static __device__ __forceinline__ u32 pop(u32 number, u32 units) {
    u64 *list = &upset_control.lists[number];
    u64 old = *(volatile u64 *)list;
    while ((u32)old) {
        volatile Head *h = head((u32)old - 1);
        if (h->units < units) return 0;
        // The upper half counts changes: the same block may have come back.
        u64 seen = atomicCAS(list, old, (old >> 32) + 1 << 32 | h->next);
        if (seen == old) break;
        old = seen;
    }
    return (u32)old;
}

// A new block: place + 1, or 0.
static __device__ __forceinline__ u32 cut(u32 units) {
    u32 all = upset_control.heap_units;
    // A second try, because others may have reached past the end for a moment.
    for (int tries = 0; tries < 2; tries++) {
        if (*(volatile u32 *)&upset_control.cut > all - units) return 0;
        u32 place = atomicAdd(&upset_control.cut, units);
        if (place <= all - units) {
            head(place)->units = units;
            return place + 1;
        }
        atomicSub(&upset_control.cut, units);
    }
    return 0;
}

extern "C" __device__ void *upset_malloc(u64 bytes) {
    if (bytes + 16 > 16ull * upset_control.heap_units || bytes + 16 < bytes) return nullptr;
    u32 units = (u32)((bytes + 15) / 16) + 1;
    u32 number = class_of(units), above = smallest_of(number) < units ? number + 1 : number;
    if (units < LARGE) units = smallest_of(number = above);
    u32 found = pop(number, units);
    if (!found) found = cut(units);
#pragma unroll 1
    for (u32 larger = above; !found && larger < CLASSES; larger++) found = pop(larger, units);
    if (!found) return nullptr;
    Head *h = head(found - 1);
    *(volatile u32 *)&h->state = USED;
    atomicAdd(&upset_control.live, 1u);
    return h + 1;
}

extern "C" __device__ void upset_free(void *pointer) {
    if (!pointer) return;
    u64 offset = (u64)pointer - upset_control.heap;
    // What malloc has not returned cannot be freed.
    if (offset % 16 || offset / 16 - 1 >= upset_control.heap_units) __trap();
    u32 place = (u32)(offset / 16 - 1);
    Head *h = head(place);
    if (atomicCAS(&h->state, USED, FREE) != USED) __trap();
    u64 *list = &upset_control.lists[class_of(*(volatile u32 *)&h->units)];
    u64 old = *(volatile u64 *)list;
    for (;;) {
        *(volatile u32 *)&h->next = (u32)old;
        __threadfence();
        u64 seen = atomicCAS(list, old, (old >> 32) + 1 << 32 | (place + 1));
        if (seen == old) break;
        old = seen;
    }
    atomicSub(&upset_control.live, 1u);
}
