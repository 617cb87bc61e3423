"""A kernel that loads N values, then stores them in an order that keeps all alive."""
import sys

n = int(sys.argv[1])
print("declare i64 @dlnpu.sreg(i64)\ndefine void @k() {\n  %b = call i64 @dlnpu.sreg(i64 3)\n  %p = inttoptr i64 %b to ptr")
for i in range(n):
    print(f"  %q{i} = getelementptr i64, ptr %p, i64 {i}\n  %v{i} = load volatile i64, ptr %q{i}")
print("  %s0 = add i64 %v0, 0")
for i in range(1, n):
    print(f"  %s{i} = xor i64 %s{i - 1}, %v{i}")
for i in range(n):
    print(f"  %m{i} = mul i64 %v{i}, %s{n - 1}\n  store volatile i64 %m{i}, ptr %q{i}")
print("  ret void\n}")
