//! Cycles: what a path costs when nothing else moves, and what it carries.

use upset_chip::ChipSpec;
use upset_mem::{Body, LINE, MemorySystem, Port, Reply, Request};
use upset_state::Quiet;

fn read(sm: u16, line: u64, sectors: u8) -> Request {
    Request {
        port: Port { core: sm, client: 0 },
        token: 0,
        line,
        sectors,
        body: Body::Read,
        envelope: None,
        flight: 0,
        acknowledge: false,
    }
}

/// Cycle in which the last reply comes, and how many came.
fn drain(mem: &mut MemorySystem) -> (u64, usize) {
    let (mut replies, mut last): (Vec<Reply>, _) = (Vec::new(), 0);
    while mem.next_event() != u64::MAX {
        let now = mem.next_event();
        let before = replies.len();
        mem.advance(now, &mut replies, &mut Quiet);
        if replies.len() > before {
            last = now;
        }
    }
    (last, replies.len())
}

fn latency(mem: &mut MemorySystem, start: u64, line: u64, sectors: u8) -> u64 {
    mem.send(start, read(0, line, sectors), &mut Quiet);
    drain(mem).0 - start
}

#[test]
fn an_l2_hit_costs_its_way_there_and_back() {
    for preset in ChipSpec::presets() {
        let chip =
            ChipSpec::preset(preset.name).unwrap().with(&["memory.copies_fill_l2=true"]).unwrap();
        let mut mem = MemorySystem::new(&chip);
        let base = mem.global_mut().allocate(1 << 16).unwrap();
        mem.host_fill(0, base, 1, 1 << 16, &mut Quiet).unwrap();
        let l2 = chip.cache("l2").unwrap();
        let fixed = u64::from(chip.memory.rop_latency + l2.latency);
        let flit = chip.interconnect.reply_flit_bytes.unwrap_or(chip.interconnect.flit_bytes);
        let sector = 32 + u64::from(chip.interconnect.header_bytes);
        let whole = if l2.line_bytes == 64 { 0b1100 } else { 0b1111u8 };
        // One flit up, one tick through the slice's way out, then the sectors with their headers.
        for (i, sectors) in [1, 0b101, whole].map(|s| s & whole).into_iter().enumerate() {
            let sectors = if sectors == 0 { 0b0100 } else { sectors };
            let flits = (sector * u64::from(sectors.count_ones())).div_ceil(u64::from(flit));
            let start = 1000 * (i as u64 + 1);
            assert_eq!(latency(&mut mem, start, base, sectors), 1 + fixed + 1 + flits);
        }
        assert_eq!(mem.counters().l2_hits, 3);
        assert_eq!(mem.counters().dram_reads, 0);
    }
}

/// Each first-level cache has a way of its own, as far as there are some.
#[test]
fn caches_of_a_core_share_its_ways_into_the_crossbar() {
    for (ports, cycles) in [(1, 60), (2, 30), (6, 10), (16, 10)] {
        let set = format!("interconnect.ports={ports}");
        let chip = ChipSpec::preset("hd7970").unwrap().with(&[&set]).unwrap();
        let mem = &mut MemorySystem::new(&chip);
        let port = |client| Port { core: 1, client };
        for i in 0..60 {
            let request = Request { port: port(i % 6), ..read(1, u64::from(i) * 256, 3) };
            mem.send(0, request, &mut Quiet);
        }
        let free = (0..6).map(|client| mem.injection_free(port(client))).max();
        assert_eq!(free, Some(cycles), "{ports} ways");
        assert_eq!(mem.injection_free(Port { core: 0, client: 0 }), 0);
        assert_eq!(drain(mem).1, 60);
    }
}

#[test]
fn dram_is_faster_in_an_open_row_and_slower_in_a_wrong_one() {
    let chip = ChipSpec::preset("rtx2060").unwrap();
    let mut mem = MemorySystem::new(&chip);
    let base = mem.global_mut().allocate(64 << 20).unwrap();
    // Same channel: a multiple of 12 * 256. In the channel, bit 8 is a column, bit 15 a row.
    let (column, row) = (12 * 256, 12 * (1 << 15));
    let closed = latency(&mut mem, 0, base, 1);
    let open = latency(&mut mem, 100_000, base + column, 1);
    let wrong = latency(&mut mem, 200_000, base + row, 1);
    let cycles = |commands: u64| commands * 39 / 100;
    let near = |a: u64, b: u64| a.abs_diff(b) <= 1;
    let d = &chip.dram;
    assert!(near(closed - open, cycles(u64::from(d.rcd))), "{closed} {open}");
    assert!(near(wrong - closed, cycles(u64::from(d.rp))), "{wrong} {closed}");
    let burst = u64::from(d.burst / d.data_per_command);
    let hit = 1 + u64::from(chip.memory.rop_latency) + 1 + 1 + 1;
    assert!(
        near(open, hit + u64::from(chip.memory.dram_latency) + cycles(u64::from(d.cl) + burst)),
        "{open}"
    );
    assert_eq!(mem.counters().dram_row_hits, 1);
}

#[test]
fn one_slice_moves_its_port_width_per_cycle() {
    let chip = ChipSpec::preset("rtx2060").unwrap();
    let mut mem = MemorySystem::new(&chip);
    let base = mem.global_mut().allocate(1 << 16).unwrap();
    mem.host_fill(0, base, 1, 1 << 16, &mut Quiet).unwrap();
    for i in 0..100 {
        mem.send(i / 30, read((i % 30) as u16, base, 15), &mut Quiet);
    }
    let (last, count) = drain(&mut mem);
    assert_eq!(count, 100);
    // Four sectors per packet, 32 bytes per cycle.
    assert!((400..600).contains(&last), "{last}");
}

#[test]
fn streams_come_near_the_bandwidth_of_dram() {
    for (name, least) in
        [("rtx2060", 0.7), ("gv100", 0.5), ("titan", 0.6), ("h200", 0.4), ("hd7970", 0.6)]
    {
        let chip = ChipSpec::preset(name).unwrap();
        let mut mem = MemorySystem::new(&chip);
        let lines = 40_000;
        let base = mem.global_mut().allocate(lines * LINE).unwrap();
        let sms = u64::from(chip.cores());
        // A packet keeps to one line of L2.
        let parts: &[u8] =
            if chip.cache("l2").unwrap().line_bytes == 64 { &[0b11, 0b1100] } else { &[15] };
        for i in 0..lines {
            for sectors in parts {
                mem.send(i / sms, read((i % sms) as u16, base + i * LINE, *sectors), &mut Quiet);
            }
        }
        let (last, count) = drain(&mut mem);
        assert_eq!(count as u64, lines * parts.len() as u64);
        let d = &chip.dram;
        let per_command = f64::from(d.bus_bytes * d.chips * d.data_per_command);
        let peak = per_command * f64::from(chip.memory.partitions) * chip.clock.dram_mhz
            / chip.clock.core_mhz;
        let reached = (lines * LINE) as f64 / last as f64 / peak;
        println!("{name}: {:.2} of {peak:.0} bytes per cycle", reached);
        assert!(reached > least && reached <= 1.0, "{name}: {reached:.3}");
        assert_eq!(mem.counters().dram_bytes, lines * LINE);
    }
}

#[test]
fn the_same_requests_take_the_same_cycles_and_a_clone_goes_on_alike() {
    let chip = ChipSpec::preset("rtx2060").unwrap();
    let mut mem = MemorySystem::new(&chip);
    let base = mem.global_mut().allocate(1 << 22).unwrap();
    for i in 0..2000 {
        mem.send(i, read((i % 30) as u16, base + i * 37 % 8192 * LINE, 3), &mut Quiet);
    }
    mem.advance(400, &mut Vec::new(), &mut Quiet);
    let mut copy = mem.clone();
    assert_eq!(drain(&mut mem), drain(&mut copy));
    assert_eq!(mem.counters(), copy.counters());
}

/// Prints what a request costs us: `cargo test --release -p upset-mem -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn nanoseconds_per_request() {
    for (what, bytes) in [("hits", 1u64 << 20), ("misses", 256 << 20)] {
        let chip = ChipSpec::preset("rtx2060").unwrap();
        let mut mem = MemorySystem::new(&chip);
        let base = mem.global_mut().allocate(bytes).unwrap();
        let (mut replies, mut seed, mut sent) = (Vec::new(), 1u64, 0u64);
        let mut envelopes = Vec::new();
        let start = std::time::Instant::now();
        let mut now = 0;
        while sent < 300_000 {
            if mem.counters().l2_reads + 3000 > sent {
                for sm in 0..30 {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let mut r = read(sm, base + (seed >> 33) * LINE % bytes, 15);
                    r.envelope = envelopes.pop();
                    mem.send(now, r, &mut Quiet);
                    sent += 1;
                }
            }
            now += 8;
            mem.advance(now, &mut replies, &mut Quiet);
            for reply in replies.drain(..) {
                if let upset_mem::ReplyBody::Data(data) = reply.body {
                    envelopes.push(data);
                }
            }
        }
        let ns = start.elapsed().as_nanos() as u64 / sent;
        println!("{what}: {ns} ns per request, {now} cycles, {:?}", mem.counters());
    }
}
