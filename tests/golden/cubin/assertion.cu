extern "C" __attribute__((device)) void __assertfail(const char *, const char *, unsigned, const char *, unsigned long);
__attribute__((device, noinline)) int helper(int *p, int i)
{
    if (p[i] > 7)
        __assertfail("p[i] <= 7", "other name", 99, "helper", 1);
    return p[i] * 3;
}
extern "C" __attribute__((global)) void k(int *p)
{
    p[32] = helper(p, __nvvm_read_ptx_sreg_tid_x());
}
