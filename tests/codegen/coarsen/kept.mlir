// The kernel of together.mlir with one thing changed: programs stay as they are.
// Tiles with gaps between them, a place that decides about more than where a tile begins, an operand that vector cores compute.
// RUN: sed 's/muli .y, .c64/muli \x25y, \x25c128/' %S/together.mlir | dl-opt --dl-blockify --dl-coarsen | FileCheck %s
// RUN: sed 's/tt.splat .n : i32 -> tensor<128x1xi32>/tt.splat \x25y : i32 -> tensor<128x1xi32>/' %S/together.mlir | dl-opt --dl-blockify --dl-coarsen | FileCheck %s
// RUN: sed 's/.d = tt.dot .at,/\x25e = arith.addf \x25at, \x25at : tensor<128x32xf16>\n \x25d = tt.dot \x25e,/' %S/together.mlir | dl-opt --dl-blockify --dl-coarsen | FileCheck %s

// CHECK-NOT: dl.coarsened
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step
// CHECK-NOT: tensor<128x256xf32>
// CHECK: tt.store
