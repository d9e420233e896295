// What the device files offer to ordinary C++.
#pragma once

void square(int *on_device, int count);
const void *negate_kernel();
