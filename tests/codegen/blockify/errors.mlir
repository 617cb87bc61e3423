// RUN: dl-opt --dl-blockify=order=diagonal:8 --split-input-file --verify-diagnostics %s

// expected-error @+1 {{order 'diagonal:8' permutes grids of rank 2 and more, but kernel 'k' uses only program id x; say what its index means with an order grid}}
tt.func public @k(%p: !tt.ptr<i32>) {
  %x = tt.get_program_id x : i32
  tt.store %p, %x : !tt.ptr<i32>
  tt.return
}

// -----
// expected-error @+1 {{expected one kernel, found 2 'a' 'b'}}
module {
  tt.func public @a() {
    tt.return
  }
  tt.func public @b() {
    tt.return
  }
}

// -----
tt.func public @early(%p: !tt.ptr<i32>, %c: i1) {
  // expected-error @+1 {{branch with an early return: the body of kernel 'early' has several blocks}}
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  tt.return
^bb2:
  tt.return
}

// -----
// expected-error @+1 {{kernel 'f' returns a value; a kernel has no results}}
tt.func public @f(%a: i32) -> i32 {
  tt.return %a : i32
}

// -----
tt.func private @again(%n: i32) -> i32 {
  // expected-error @+1 {{call of 'again', which leads back to itself; write a loop instead of a recursion}}
  %r = tt.call @again(%n) : (i32) -> i32
  tt.return %r : i32
}
tt.func public @recursion(%p: !tt.ptr<i32>, %n: i32) {
  %r = tt.call @again(%n) : (i32) -> i32
  tt.store %p, %r : !tt.ptr<i32>
  tt.return
}

// -----
tt.func private @elsewhere(%n: i32) -> i32
tt.func public @no_body(%p: !tt.ptr<i32>, %n: i32) {
  // expected-error @+1 {{call of 'elsewhere', which has no body; give it one in the kernel's module}}
  %r = tt.call @elsewhere(%n) : (i32) -> i32
  tt.store %p, %r : !tt.ptr<i32>
  tt.return
}

// -----
// expected-error @+1 {{kernel 'declared' has no body}}
tt.func public @declared(%p: !tt.ptr<i32>)
