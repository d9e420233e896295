//! Classes of values that a driver puts into scalar registers.
//!
//! Numbers are CLRX's. Multi2Sim orders 16 to 22 in another way and remarks
//! itself that two of those do not match binaries.

/// A class, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataClass {
    /// Resource of an image to read.
    ImmResource,
    /// A sampler.
    ImmSampler,
    /// Resource of a constant buffer.
    ImmConstBuffer,
    /// Resource of a vertex buffer.
    ImmVertexBuffer,
    /// Resource of a UAV.
    ImmUav,
    /// Constant numbers.
    ImmAluFloatConst,
    /// Constant flags.
    ImmAluBool32Const,
    /// Counters in global data share.
    ImmGdsCounterRange,
    /// Memory in global data share.
    ImmGdsMemoryRange,
    /// First resource of global wave sync.
    ImmGwsBase,
    /// Range of work-items.
    ImmWorkItemRange,
    /// Range of work-groups.
    ImmWorkGroupRange,
    /// Number of the dispatch.
    ImmDispatchId,
    /// Resource of scratch.
    ImmScratchBuffer,
    /// Resource of a heap.
    ImmHeapBuffer,
    /// An argument.
    ImmKernelArg,
    /// Address of a shader that fetches.
    SubPtrFetchShader,
    /// Address of a table of resources.
    PtrResourceTable,
    /// Address of the driver's table of resources.
    PtrInternalResourceTable,
    /// Address of a table of samplers.
    PtrSamplerTable,
    /// Address of the table of constant buffers, four words each.
    PtrConstBufferTable,
    /// Address of a table of vertex buffers.
    PtrVertexBufferTable,
    /// Address of a table of buffers for stream-out.
    PtrSoBufferTable,
    /// Address of the table of UAVs, eight words each.
    PtrUavTable,
    /// Address of the driver's own table, four words each; entry 1 is scratch.
    PtrInternalGlobalTable,
    /// Address of more user data.
    PtrExtendedUserData,
    /// Address of an indirect table of resources.
    PtrIndirectResource,
    /// Address of the driver's indirect table of resources.
    PtrIndirectInternalResource,
    /// Address of an indirect table of UAVs.
    PtrIndirectUav,
    /// Where a context begins.
    ImmContextBase,
    /// Bytes of LDS between two stages of graphics.
    ImmLdsEsgsSize,
    /// Offset of the NDRange.
    ImmGlobalOffset,
    /// Anything.
    ImmGenericUserData,
}

use DataClass as C;

/// All of them with the names that CLRX gives them, by number.
pub const CLASSES: [(DataClass, &str); 33] = [
    (C::ImmResource, "IMM_RESOURCE"),
    (C::ImmSampler, "IMM_SAMPLER"),
    (C::ImmConstBuffer, "IMM_CONST_BUFFER"),
    (C::ImmVertexBuffer, "IMM_VERTEX_BUFFER"),
    (C::ImmUav, "IMM_UAV"),
    (C::ImmAluFloatConst, "IMM_ALU_FLOAT_CONST"),
    (C::ImmAluBool32Const, "IMM_ALU_BOOL32_CONST"),
    (C::ImmGdsCounterRange, "IMM_GDS_COUNTER_RANGE"),
    (C::ImmGdsMemoryRange, "IMM_GDS_MEMORY_RANGE"),
    (C::ImmGwsBase, "IMM_GWS_BASE"),
    (C::ImmWorkItemRange, "IMM_WORK_ITEM_RANGE"),
    (C::ImmWorkGroupRange, "IMM_WORK_GROUP_RANGE"),
    (C::ImmDispatchId, "IMM_DISPATCH_ID"),
    (C::ImmScratchBuffer, "IMM_SCRATCH_BUFFER"),
    (C::ImmHeapBuffer, "IMM_HEAP_BUFFER"),
    (C::ImmKernelArg, "IMM_KERNEL_ARG"),
    (C::SubPtrFetchShader, "SUB_PTR_FETCH_SHADER"),
    (C::PtrResourceTable, "PTR_RESOURCE_TABLE"),
    (C::PtrInternalResourceTable, "PTR_INTERNAL_RESOURCE_TABLE"),
    (C::PtrSamplerTable, "PTR_SAMPLER_TABLE"),
    (C::PtrConstBufferTable, "PTR_CONST_BUFFER_TABLE"),
    (C::PtrVertexBufferTable, "PTR_VERTEX_BUFFER_TABLE"),
    (C::PtrSoBufferTable, "PTR_SO_BUFFER_TABLE"),
    (C::PtrUavTable, "PTR_UAV_TABLE"),
    (C::PtrInternalGlobalTable, "PTR_INTERNAL_GLOBAL_TABLE"),
    (C::PtrExtendedUserData, "PTR_EXTENDED_USER_DATA"),
    (C::PtrIndirectResource, "PTR_INDIRECT_RESOURCE"),
    (C::PtrIndirectInternalResource, "PTR_INDIRECT_INTERNAL_RESOURCE"),
    (C::PtrIndirectUav, "PTR_INDIRECT_UAV"),
    (C::ImmContextBase, "IMM_CONTEXT_BASE"),
    (C::ImmLdsEsgsSize, "IMM_LDS_ESGS_SIZE"),
    (C::ImmGlobalOffset, "IMM_GLOBAL_OFFSET"),
    (C::ImmGenericUserData, "IMM_GENERIC_USER_DATA"),
];

impl DataClass {
    /// The class with a number.
    pub fn from_number(number: u32) -> Option<DataClass> {
        CLASSES.get(usize::try_from(number).ok()?).map(|(class, _)| *class)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        CLASSES[self as usize].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_stand_at_their_numbers() {
        for (number, (class, name)) in CLASSES.iter().enumerate() {
            assert_eq!(*class as usize, number, "{name}");
            assert_eq!(class.name(), *name);
            assert_eq!(CLASSES.iter().filter(|(_, n)| n == name).count(), 1, "{name}");
        }
        // Those of the DCT sample in CLRX's documentation.
        assert_eq!(DataClass::from_number(0x17), Some(DataClass::PtrUavTable));
        assert_eq!(DataClass::from_number(2), Some(DataClass::ImmConstBuffer));
        assert_eq!(DataClass::from_number(33), None);
    }
}
