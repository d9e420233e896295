//! `%smid` names the SM that a CTA runs on, in the code of every architecture.

use upset_chip::ChipSpec;
use upset_device::{Args, Device, Launch};

/// Where each CTA ran, one CTA for each of the chip's SMs.
fn visited(chip: &str, image: &[u8]) -> (u64, Vec<u64>) {
    let chip = ChipSpec::preset(chip).expect("a preset");
    let mut device = Device::timed(&chip).expect("a device");
    let module = device.load_module(image).expect("our own cubin");
    let dispatch = device.function(module, "dispatch").expect("a kernel of it");
    let sms = chip.processors();
    // Start, end, SM and timer of each.
    let bytes = 32 * sms as usize;
    let clocks = device.malloc(bytes as u64).expect("room");
    let sink = device.malloc(4 * u64::from(sms)).expect("room");
    let args = Args::new().ptr(clocks).ptr(sink).ptr(sink).u32(0);
    let launch = Launch { grid: [sms, 1, 1], block: [1024, 1, 1], ..Launch::default() };
    device.launch(dispatch, &launch, &args).expect("it runs");
    let mut found = vec![0; bytes];
    device.download(clocks, &mut found).expect("a copy");
    let mut ran: Vec<u64> = found
        .chunks_exact(32)
        .map(|cta| u64::from_le_bytes(std::array::from_fn(|i| cta[16 + i])))
        .collect();
    ran.sort_unstable();
    (u64::from(sms), ran)
}

#[test]
fn as_many_ctas_as_sms_each_have_their_own() {
    let cases: [(&str, &[u8]); 3] = [
        ("gv100", include_bytes!("../../../../kernels/micro/control/control.sm_70.cubin")),
        ("rtx2060", include_bytes!("../../../../kernels/micro/control/control.sm_75.cubin")),
        ("h200", include_bytes!("../../../../kernels/micro/control/control.sm_90.cubin")),
    ];
    for (chip, image) in cases {
        let (sms, ran) = visited(chip, image);
        assert_eq!(ran, (0..sms).collect::<Vec<_>>(), "{chip}");
    }
}
