//! Ranges of addresses that allocations are made in.

use crate::Digest;

/// A page without bytes of its own yet.
const NONE: u32 = u32::MAX;

/// A page of an arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Page {
    /// Where its bytes are, in pages from the beginning of all bytes. A page
    /// keeps its place when nobody uses it any more.
    frame: u32,
    /// Live allocations that touch it.
    users: u32,
}

/// A range of addresses in which allocations are made: first fit, from the
/// bottom up or from the top down.
#[derive(Clone, Debug)]
pub(super) struct Arena {
    base: u64,
    end: u64,
    from_top: bool,
    /// log2 of a page's bytes.
    shift: u32,
    /// Pages without users go on answering.
    keeps: bool,
    /// Live allocations, by their distance from where the arena begins, and
    /// their sizes.
    live: Vec<(u64, u64)>,
    /// Pages, counted from where the arena begins.
    pages: Vec<Page>,
}

impl Arena {
    /// Between two multiples of the page.
    pub(super) fn new(base: u64, end: u64, page: u64) -> Arena {
        Arena {
            base,
            end,
            from_top: false,
            shift: page.ilog2(),
            keeps: false,
            live: Vec::new(),
            pages: Vec::new(),
        }
    }

    /// Filled from the top down.
    pub(super) fn downwards(self) -> Arena {
        Arena { from_top: true, ..self }
    }

    /// One whose pages go on answering when nobody uses them any more.
    pub(super) fn keeping(self, keeps: bool) -> Arena {
        Arena { keeps, ..self }
    }

    /// Lowest address.
    pub(super) fn base(&self) -> u64 {
        self.base
    }

    /// One past the highest address.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    #[inline]
    pub(super) fn contains(&self, addr: u64) -> bool {
        addr.wrapping_sub(self.base) < self.end - self.base
    }

    #[inline]
    fn page_of(&self, addr: u64) -> usize {
        let at = if self.from_top { self.end - 1 - addr } else { addr - self.base };
        (at >> self.shift) as usize
    }

    /// Address of a page.
    fn address_of(&self, page: usize) -> u64 {
        let at = (page as u64) << self.shift;
        if self.from_top { self.end - (1 << self.shift) - at } else { self.base + at }
    }

    /// The frame of an address inside, if programs may access it.
    #[inline]
    pub(super) fn frame(&self, addr: u64) -> Option<u32> {
        let page = self.pages.get(self.page_of(addr))?;
        (page.users > 0 || self.keeps && page.frame != NONE).then_some(page.frame)
    }

    /// The frame of an address for the host, who may only touch pages with allocations.
    pub(super) fn used_frame(&self, addr: u64) -> Option<u32> {
        let page = self.pages.get(self.page_of(addr)).filter(|p| p.users > 0)?;
        Some(page.frame)
    }

    /// The frame of an address inside, whether anybody may access it or not.
    #[inline]
    pub(super) fn any_frame(&self, addr: u64) -> Option<u32> {
        let page = self.pages.get(self.page_of(addr))?;
        (page.frame != NONE).then_some(page.frame)
    }

    /// Pages that an allocation at a distance from the beginning touches.
    fn pages_of(&self, at: u64, size: u64) -> std::ops::Range<usize> {
        (at >> self.shift) as usize..(at + size).div_ceil(1 << self.shift) as usize
    }

    /// Where an allocation at a distance from the beginning starts.
    fn start(&self, at: u64, size: u64) -> u64 {
        if self.from_top { self.end - at - size } else { self.base + at }
    }

    /// The nearest distance, from `at` on, at which an allocation is aligned and,
    /// if a page can hold it, in one page.
    fn aligned(&self, at: u64, size: u64, align: u64) -> Option<u64> {
        if self.from_top {
            let start = self.end.checked_sub(at.checked_add(size)?)?;
            Some(self.end - size - start / align * align)
        } else {
            let mut start = self.base.checked_add(at)?.checked_next_multiple_of(align)?;
            let page = 1 << self.shift;
            if size <= page && start % page + size > page {
                start = start.checked_next_multiple_of(page.max(align))?;
            }
            Some(start - self.base)
        }
    }

    /// Makes room for `size` bytes; the start, or none when they do not fit. From
    /// the top down they must be whole pages.
    pub(super) fn allocate(&mut self, size: u64, align: u64) -> Option<u64> {
        let mut at = self.aligned(0, size, align)?;
        let mut index = 0;
        for (i, &(start, used)) in self.live.iter().enumerate() {
            if start.saturating_sub(at) >= size {
                break;
            }
            at = self.aligned(start + used, size, align)?;
            index = i + 1;
        }
        at.checked_add(size).filter(|&e| e <= self.end - self.base)?;
        self.live.insert(index, (at, size));
        let pages = self.pages_of(at, size);
        if self.pages.len() < pages.end {
            self.pages.resize(pages.end, Page { frame: NONE, users: 0 });
        }
        self.pages[pages].iter_mut().for_each(|p| p.users += 1);
        Some(self.start(at, size))
    }

    /// Addresses of used pages that have no bytes yet, lowest first.
    pub(super) fn without_frame(&self) -> Vec<u64> {
        let bare = |p: &Page| p.frame == NONE && p.users > 0;
        let open = self.pages.iter().enumerate().filter(|(_, p)| bare(p));
        let mut list: Vec<u64> = open.map(|(i, _)| self.address_of(i)).collect();
        list.sort_unstable();
        list
    }

    /// Gives a page its bytes.
    pub(super) fn bind(&mut self, addr: u64, frame: u32) {
        let page = self.page_of(addr);
        if let Some(page) = self.pages.get_mut(page) {
            page.frame = frame;
        }
    }

    /// Frees the allocation that starts at an address; false if there is none.
    pub(super) fn free(&mut self, addr: u64) -> bool {
        let found = self.live.iter().position(|&(at, size)| self.start(at, size) == addr);
        let Some(index) = found else { return false };
        let (at, size) = self.live.remove(index);
        let pages = self.pages_of(at, size);
        self.pages[pages].iter_mut().for_each(|p| p.users -= 1);
        true
    }

    /// Starts and sizes of the live allocations.
    pub(super) fn live(&self) -> impl Iterator<Item = (u64, u64)> {
        self.live.iter().map(|&(at, size)| (self.start(at, size), size))
    }

    /// Addresses of the pages with allocations.
    pub(super) fn used_pages(&self) -> impl Iterator<Item = u64> {
        let used = self.pages.iter().enumerate().filter(|(_, p)| p.users > 0);
        used.map(|(i, _)| self.address_of(i))
    }

    /// Takes in what is allocated.
    pub(super) fn digest(&self, d: &mut Digest) {
        let Arena { base: _, end: _, from_top: _, shift: _, keeps: _, live, pages } = self;
        d.value(live);
        d.value(pages);
    }
}
