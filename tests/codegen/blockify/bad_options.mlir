// RUN: not dl-opt --dl-blockify=order=spiral %s 2>&1 | FileCheck %s --check-prefix=SPIRAL
// RUN: not dl-opt --dl-blockify="order=diagonal:8 order-grid=4by4" %s 2>&1 | FileCheck %s --check-prefix=GRID
// SPIRAL: unknown order 'spiral'; known: rows, columns, group:G
// GRID: order grid '4by4': expected ROWSxCOLUMNS in tiles
tt.func public @k(%p: !tt.ptr<i32>) {
  %x = tt.get_program_id x : i32
  tt.store %p, %x : !tt.ptr<i32>
  tt.return
}
