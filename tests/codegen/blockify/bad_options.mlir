// RUN: not dl-opt --dl-blockify=order=spiral %s 2>&1 | FileCheck %s --check-prefix=SPIRAL
// RUN: not dl-opt --dl-blockify="order=diagonal:8 order-grid=4by4" %s 2>&1 | FileCheck %s --check-prefix=GRID
// RUN: not dl-opt --dl-blockify=order=group:0 %s 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not dl-opt --dl-blockify=order=columns:4 %s 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: not dl-opt --dl-blockify=order=serpentine:4:rows %s 2>&1 | FileCheck %s --check-prefix=FLAG
// SPIRAL: unknown order 'spiral'; known: rows, columns, group:G
// GRID: order grid '4by4': expected ROWSxCOLUMNS in tiles
// NUMBER: order 'group:0': needs the group's height between 1 and 1024, as in group:8
// PLAIN: order 'columns:4': columns takes no number
// FLAG: order 'serpentine:4:rows': unexpected ':rows'
tt.func public @k(%p: !tt.ptr<i32>) {
  %x = tt.get_program_id x : i32
  tt.store %p, %x : !tt.ptr<i32>
  tt.return
}
