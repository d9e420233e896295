//! Forms in which nvcc can make a program.

/// How a program gets the runtime library and what it holds as GPU code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The runtime as a shared library, machine code for every architecture.
    Shared,
    /// The runtime linked in, which is nvcc's own choice.
    Static,
    /// Virtual code (PTX) of the oldest architecture alone.
    Ptx,
}

impl Form {
    /// All of them.
    pub const ALL: [Form; 3] = [Form::Shared, Form::Static, Form::Ptx];

    /// Its name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Form::Shared => "shared",
            Form::Static => "static",
            Form::Ptx => "ptx",
        }
    }

    /// The form of a name.
    pub fn named(name: &str) -> Option<Form> {
        Form::ALL.into_iter().find(|form| form.name() == name)
    }

    /// What nvcc must be told about the runtime and about code for `archs`. The
    /// runtime for the device is never linked in: only launches from kernels need it.
    pub(crate) fn arguments(self, archs: &[u32]) -> Vec<String> {
        let runtime = if self == Form::Static { "static" } else { "shared" };
        let mut all = ["-cudart", runtime, "-cudadevrt", "none"].map(String::from).to_vec();
        let code = |real: &str, sm: &u32| format!("arch=compute_{sm},code={real}_{sm}");
        let codes: Vec<String> = match self {
            Form::Ptx => archs.iter().min().map(|sm| code("compute", sm)).into_iter().collect(),
            _ => archs.iter().map(|sm| code("sm", sm)).collect(),
        };
        all.extend(codes.into_iter().flat_map(|code| ["-gencode".to_string(), code]));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_found_by_its_name() {
        for form in Form::ALL {
            assert_eq!(Form::named(form.name()), Some(form));
        }
        assert_eq!(Form::named("stripped"), None);
    }

    #[test]
    fn each_form_tells_nvcc_of_runtime_and_code() {
        let told = |form: Form| form.arguments(&[75, 70]).join(" ");
        let machine = "-gencode arch=compute_75,code=sm_75 -gencode arch=compute_70,code=sm_70";
        assert_eq!(told(Form::Shared), format!("-cudart shared -cudadevrt none {machine}"));
        assert_eq!(told(Form::Static), format!("-cudart static -cudadevrt none {machine}"));
        assert_eq!(
            told(Form::Ptx),
            "-cudart shared -cudadevrt none -gencode arch=compute_70,code=compute_70"
        );
    }
}
