// RUN: dl-opt --dl-blockify="order=diagonal:8 order-grid=4x4" --verify-diagnostics %s

// expected-error @+1 {{kernel 'k' has a grid of rank 2: the order permutes it as it is, leave out the order grid '4x4'}}
tt.func public @k(%p: !tt.ptr<i32>) {
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %z = arith.addi %x, %y : i32
  tt.store %p, %z : !tt.ptr<i32>
  tt.return
}
