//! Expected texts are what glibc's `printf` gives for the same call.

use super::{Arguments, format};

/// An argument block as compiled code lays it out.
#[derive(Default)]
struct Call {
    block: Vec<u8>,
    strings: Vec<u8>,
}

fn call() -> Call {
    Call::default()
}

impl Call {
    fn push(mut self, bytes: &[u8]) -> Call {
        self.block.resize(self.block.len().next_multiple_of(bytes.len()), 0xcc);
        self.block.extend_from_slice(bytes);
        self
    }
    fn i(self, v: i32) -> Call {
        self.push(&v.to_le_bytes())
    }
    fn l(self, v: i64) -> Call {
        self.push(&v.to_le_bytes())
    }
    fn f(self, v: f64) -> Call {
        self.push(&v.to_le_bytes())
    }
    fn s(mut self, v: &str) -> Call {
        self.strings.extend_from_slice(v.as_bytes());
        self.strings.push(0);
        self.l(0x1000)
    }
    #[track_caller]
    fn is(self, pattern: &str, text: &str) {
        let arguments = Arguments { block: &self.block, strings: &self.strings };
        let shown = format(pattern.as_bytes(), &arguments);
        assert_eq!(String::from_utf8_lossy(&shown), text, "{pattern}");
    }
}

#[test]
fn plain_text_and_percent() {
    call().is("", "");
    call().is("plain\n", "plain\n");
    call().is("100%%", "100%");
    call().i(5).is("%%%d%%", "%5%");
}

#[test]
fn what_is_no_conversion_stands_as_it_is() {
    call().is("50% !", "50% !");
    call().is("a %y b", "a %y b");
    call().is("end %", "end %");
    call().is("end %5", "end %5");
}

#[test]
fn signed_integers() {
    call().i(42).is("%d", "42");
    call().i(-42).is("%i", "-42");
    call().i(i32::MIN).is("%d", "-2147483648");
    call().l(i64::MIN).is("%lld", "-9223372036854775808");
    call().l(-7).is("%ld", "-7");
    call().l(-7).is("%jd %%", "-7 %");
    call().l(7).is("%td", "7");
    call().i(42).is("[%6d]", "[    42]");
    call().i(42).is("[%-6d]", "[42    ]");
    call().i(42).is("[%06d]", "[000042]");
    call().i(-42).is("[%06d]", "[-00042]");
    call().i(-42).is("[%-06d]", "[-42   ]");
    call().i(42).is("[%+d]", "[+42]");
    call().i(42).is("[% d]", "[ 42]");
    call().i(-42).is("[% d]", "[-42]");
    call().i(42).is("[%.5d]", "[00042]");
    call().i(-42).is("[%8.5d]", "[  -00042]");
    call().i(42).is("[%08.5d]", "[   00042]");
    call().i(0).is("[%.0d]", "[]");
    call().i(0).is("[%+.0d]", "[+]");
}

#[test]
fn short_integers() {
    call().i(300).is("%hhd", "44");
    call().i(255).is("%hhd", "-1");
    call().i(255).is("%hhu", "255");
    call().i(65535).is("%hd", "-1");
    call().i(65537).is("%hu", "1");
}

#[test]
fn unsigned_integers() {
    call().i(-1).is("%u", "4294967295");
    call().l(-1).is("%lu", "18446744073709551615");
    call().l(5).is("%zu", "5");
    call().i(255).is("%x %%", "ff %");
    call().i(255).is("%X", "FF");
    call().i(255).is("%#x", "0xff");
    call().i(255).is("%#X", "0XFF");
    call().i(0).is("%#x", "0");
    call().i(255).is("[%#8x]", "[    0xff]");
    call().i(255).is("[%#08x]", "[0x0000ff]");
    call().i(255).is("[%-#8x]", "[0xff    ]");
    call().i(255).is("[%#.4x]", "[0x00ff]");
    call().l(-1).is("%llx", "ffffffffffffffff");
    call().i(8).is("%o", "10");
    call().i(8).is("%#o", "010");
    call().i(0).is("%#o", "0");
    call().i(0).is("%#.0o", "0");
    call().i(8).is("%#.3o", "010");
    call().i(8).is("%+u", "8");
}

#[test]
fn characters_and_strings() {
    call().i(65).is("%c", "A");
    call().i(65).is("[%3c]", "[  A]");
    call().i(65).is("[%-3c]", "[A  ]");
    call().s("text").is("%s", "text");
    call().s("text").is("[%6s]", "[  text]");
    call().s("text").is("[%-6s]", "[text  ]");
    call().s("text").is("[%.2s]", "[te]");
    call().s("text").is("[%5.2s]", "[   te]");
    call().s("").is("[%s]", "[]");
    call().s("a").i(1).s("bc").is("%s %d %s", "a 1 bc");
    call().l(0).is("%s", "(null)");
    call().l(0).is("[%.3s]", "[]");
    call().l(0).s("x").is("%s %s", "(null) x");
}

#[test]
fn pointers() {
    call().l(0x7f00_0000_1234).is("%p", "0x7f0000001234");
    call().l(0x10).is("[%8p]", "[    0x10]");
    call().l(0x10).is("[%-8p]", "[0x10    ]");
    call().l(0).is("%p", "(nil)");
    call().l(0).is("[%8p]", "[   (nil)]");
    call().l(0x10).i(3).is("a%nb%d", "ab3");
}

#[test]
fn width_and_precision_from_arguments() {
    call().i(6).i(42).is("[%*d]", "[    42]");
    call().i(-6).i(42).is("[%*d]", "[42    ]");
    call().i(3).f(std::f64::consts::PI).is("%.*f", "3.142");
    call().i(-3).f(std::f64::consts::PI).is("%.*f", "3.141593");
    call().i(8).i(2).f(std::f64::consts::PI).is("[%*.*f]", "[    3.14]");
    call().i(3).s("abcdef").is("%.*s", "abc");
}

#[test]
fn fixed_point() {
    call().f(1.5).is("%f", "1.500000");
    call().f(-1.5).is("%f", "-1.500000");
    call().f(0.0).is("%f", "0.000000");
    call().f(-0.0).is("%f", "-0.000000");
    call().f(1.0).is("%.0f", "1");
    call().f(1.0).is("%#.0f", "1.");
    // Half to even, decided on the exact value.
    call().f(0.5).is("%.0f", "0");
    call().f(1.5).is("%.0f", "2");
    call().f(2.5).is("%.0f", "2");
    call().f(0.125).is("%.2f", "0.12");
    call().f(0.375).is("%.2f", "0.38");
    call().f(0.6).is("%.0f", "1");
    call().f(0.06).is("%.1f", "0.1");
    call().f(0.006).is("%.1f", "0.0");
    call().f(0.96).is("%.1f", "1.0");
    call().f(9.995).is("%.2f", "9.99");
    call().f(99.999).is("%.2f", "100.00");
    call().f(1e15).is("%f", "1000000000000000.000000");
    call().f(1e23).is("%.0f", "99999999999999991611392");
    call().f(0.1).is("%.20f", "0.10000000000000000555");
    call().f(1.0 / 3.0).is("%.10f", "0.3333333333");
    call().f(f64::from(0.1f32)).is("%.9f", "0.100000001");
    call().f(1.5).is("[%10.2f]", "[      1.50]");
    call().f(1.5).is("[%-10.2f]", "[1.50      ]");
    call().f(-1.5).is("[%010.2f]", "[-000001.50]");
    call().f(1.5).is("[%+.1f]", "[+1.5]");
    call().f(1.5).is("[% .1f]", "[ 1.5]");
    call().f(1.5).is("%lf", "1.500000");
}

#[test]
fn scientific() {
    call().f(12345.678).is("%e", "1.234568e+04");
    call().f(12345.678).is("%E", "1.234568E+04");
    call().f(12345.678).is("%.0e", "1e+04");
    call().f(12345.678).is("%#.0e", "1.e+04");
    call().f(0.0).is("%e", "0.000000e+00");
    call().f(1e-300).is("%.2e", "1.00e-300");
    call().f(1e100).is("%e", "1.000000e+100");
    call().f(9.9999999).is("%.3e", "1.000e+01");
    call().f(5e-324).is("%.3e", "4.941e-324");
    call().f(f64::MAX).is("%.17e", "1.79769313486231571e+308");
    call().f(-2.5).is("[%12.2e]", "[   -2.50e+00]");
}

#[test]
fn shortest_of_both() {
    call().f(0.0001).is("%g", "0.0001");
    call().f(0.00001).is("%g", "1e-05");
    call().f(100000.0).is("%g", "100000");
    call().f(1000000.0).is("%g", "1e+06");
    call().f(999999.5).is("%g", "1e+06");
    call().f(1.5).is("%g", "1.5");
    call().f(1.0).is("%g", "1");
    call().f(1.0).is("%#g", "1.00000");
    call().f(0.0).is("%g", "0");
    call().f(std::f64::consts::PI).is("%.3g", "3.14");
    call().f(1234.5678).is("%.2g", "1.2e+03");
    call().f(1234.5678).is("%.0g", "1e+03");
    call().f(1e-10).is("%G", "1E-10");
    call().f(0.1).is("%.17g", "0.10000000000000001");
    call().f(123456789.0).is("%.9g", "123456789");
    call().f(1e10).is("[%-8g]", "[1e+10   ]");
}

#[test]
fn hexadecimal_fractions() {
    call().f(1.0).is("%a", "0x1p+0");
    call().f(1.5).is("%a", "0x1.8p+0");
    call().f(-0.1).is("%a", "-0x1.999999999999ap-4");
    call().f(0.0).is("%a", "0x0p+0");
    call().f(3.0).is("%A", "0X1.8P+1");
    call().f(1.0).is("%.3a", "0x1.000p+0");
    call().f(0.1).is("%.2a", "0x1.9ap-4");
    call().f(1.96875).is("%.0a", "0x2p+0");
    call().f(1.0).is("%#a", "0x1.p+0");
    call().f(5e-324).is("%a", "0x0.0000000000001p-1022");
    call().f(1.0).is("[%10a]", "[    0x1p+0]");
    call().f(1.0).is("[%010a]", "[0x00001p+0]");
    call().f(1.0).is("%.15a", "0x1.000000000000000p+0");
}

#[test]
fn what_is_no_number() {
    call().f(f64::INFINITY).is("%f", "inf");
    call().f(-f64::INFINITY).is("%e", "-inf");
    call().f(f64::INFINITY).is("%F", "INF");
    call().f(f64::INFINITY).is("[%06f]", "[   inf]");
    call().f(f64::INFINITY).is("%+g", "+inf");
    call().f(f64::from_bits(0x7ff8 << 48)).is("%f", "nan");
    call().f(f64::from_bits(0xfff8 << 48)).is("%f", "-nan");
    call().f(f64::from_bits(0x7ff8 << 48)).is("%G", "NAN");
    call().f(f64::INFINITY).is("%a", "inf");
}

#[test]
fn arguments_lie_at_multiples_of_their_size() {
    call().i(1).f(2.0).i(3).l(4).is("%d %.0f %d %ld", "1 2 3 4");
    call().i(1).i(2).f(3.0).is("%d %d %.0f", "1 2 3");
}

#[test]
fn missing_arguments_are_zeros() {
    call().is("%d %f", "0 0.000000");
}
