/* A number of 16 bits and a pair of them. Whoever includes this has defined their names, REPRISE_H, REPRISE_H_RAW,
 * REPRISE_H2 and REPRISE_H2_RAW; REPRISE_OF_FLOAT(a), REPRISE_OF_DOUBLE(a) and REPRISE_OF_INTEGER(a), the bits of the
 * number nearest to a; and REPRISE_TO_FLOAT(bits). */
struct REPRISE_H_RAW {
    unsigned short x;
};
struct __attribute__((aligned(4))) REPRISE_H2_RAW {
    unsigned short x, y;
};
struct __attribute__((aligned(2))) REPRISE_H {
    unsigned short __x;
    REPRISE_H() = default;
    static REPRISE_MEMBER REPRISE_H of_bits(unsigned short bits)
    {
        REPRISE_H h;
        h.__x = bits;
        return h;
    }
    REPRISE_MEMBER REPRISE_H(REPRISE_H_RAW r) : __x(r.x) {}
    REPRISE_MEMBER REPRISE_H(float a) : __x(REPRISE_OF_FLOAT(a)) {}
    REPRISE_MEMBER REPRISE_H(double a) : __x(REPRISE_OF_DOUBLE(a)) {}
#define REPRISE_FROM(T)                                                                                                \
    REPRISE_MEMBER REPRISE_H(T a) : __x(REPRISE_OF_INTEGER(a)) {}
    REPRISE_FROM(short)
    REPRISE_FROM(unsigned short)
    REPRISE_FROM(int)
    REPRISE_FROM(unsigned)
    REPRISE_FROM(long)
    REPRISE_FROM(unsigned long)
    REPRISE_FROM(long long)
    REPRISE_FROM(unsigned long long)
#undef REPRISE_FROM
    REPRISE_MEMBER operator float() const { return REPRISE_TO_FLOAT(__x); }
    REPRISE_MEMBER operator REPRISE_H_RAW() const { return {__x}; }
#define REPRISE_ASSIGN(T)                                                                                              \
    REPRISE_MEMBER REPRISE_H &operator=(T a) { return *this = REPRISE_H(a); }
    REPRISE_ASSIGN(float)
    REPRISE_ASSIGN(double)
    REPRISE_ASSIGN(int)
    REPRISE_ASSIGN(unsigned)
#undef REPRISE_ASSIGN
};
struct __attribute__((aligned(4))) REPRISE_H2 {
    REPRISE_H x, y;
    REPRISE_H2() = default;
    REPRISE_MEMBER REPRISE_H2(const REPRISE_H &x, const REPRISE_H &y) : x(x), y(y) {}
    REPRISE_MEMBER REPRISE_H2(REPRISE_H2_RAW r) : x(REPRISE_H::of_bits(r.x)), y(REPRISE_H::of_bits(r.y)) {}
    REPRISE_MEMBER operator REPRISE_H2_RAW() const { return {x.__x, y.__x}; }
};
REPRISE_BOTH float reprise_wide(REPRISE_H a) { return REPRISE_TO_FLOAT(a.__x); }
#undef REPRISE_H_RAW
#undef REPRISE_H2_RAW
#undef REPRISE_OF_FLOAT
#undef REPRISE_OF_DOUBLE
#undef REPRISE_OF_INTEGER
#undef REPRISE_TO_FLOAT
