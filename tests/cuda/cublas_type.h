/* Included by cublas.c once per type T: the tests of levels 1 to 3. */

struct NAME(matrix) {
    T *device, *host; /* host: what it should hold */
    int elements;
};

static struct NAME(matrix) NAME(make)(int elements, int most)
{
    struct NAME(matrix) m = {on_device((size_t)elements * sizeof(T)), malloc((size_t)elements * sizeof(T)), elements};
    for (int i = 0; i < elements; i++)
        m.host[i] = (T)small(most);
    copy(m.device, m.host, (size_t)elements * sizeof(T));
    return m;
}

/* Frees it, after comparing what the device holds, with a relative bound. */
static void NAME(same)(struct NAME(matrix) m, double bound, const char *what, int a, int b)
{
    T *is = malloc((size_t)m.elements * sizeof(T));
    int wrong = 0;
    copy(is, m.device, (size_t)m.elements * sizeof(T));
    for (int i = 0; i < m.elements; i++)
        wrong += !(fabs((double)is[i] - (double)m.host[i]) <= bound * (1 + fabs((double)m.host[i])));
    check(!wrong, what, a, b);
    free(is);
    free(m.host);
    cuMemFree_v2((uintptr_t)m.device);
}

/* A scalar where the pointer mode wants it. */
static const T *NAME(scalar)(int mode, T value)
{
    static T values[8];
    static T *device;
    static int next;
    next = (next + 1) % 8;
    values[next] = value;
    if (mode == HOST)
        return &values[next];
    if (!device)
        device = on_device(8 * sizeof(T));
    copy(&device[next], &value, sizeof value);
    return &device[next];
}

/* Calls a function that gives one number, in either mode. */
static double NAME(number)(int mode, int (*f)(void *, int, const T *, int, void *), int n, const T *x, int step,
                           size_t bytes, bool integer)
{
    union {
        T t;
        int i;
    } v = {0};
    void *to = mode == HOST ? (void *)&v : on_device(bytes);
    must(f(handle, n, x, step, to), 0, "reduction");
    if (mode == DEVICE) {
        copy(&v, to, bytes);
        cuMemFree_v2((uintptr_t)to);
    }
    return integer ? v.i : (double)v.t;
}

static void NAME(level1)(int mode, int n, int incx, int incy)
{
    int (*axpy)(void *, int, const T *, const T *, int, T *, int) = find("cublas%caxpy_v2", CAPITAL);
    int (*scal)(void *, int, const T *, T *, int) = find("cublas%cscal_v2", CAPITAL);
    int (*copy_)(void *, int, const T *, int, T *, int) = find("cublas%ccopy_v2", CAPITAL);
    int (*swap)(void *, int, T *, int, T *, int) = find("cublas%cswap_v2", CAPITAL);
    int (*dot)(void *, int, const T *, int, const T *, int, T *) = find("cublas%cdot_v2", CAPITAL);
    int size_x = 1 + (n > 0 ? n - 1 : 0) * abs(incx), size_y = 1 + (n > 0 ? n - 1 : 0) * abs(incy);
    int x0 = incx < 0 ? size_x - 1 : 0, y0 = incy < 0 ? size_y - 1 : 0;
    struct NAME(matrix) x = NAME(make)(size_x, 9), y = NAME(make)(size_y, 9);
    double sum = 0;

    must(axpy(handle, n, NAME(scalar)(mode, 3), x.device, incx, y.device, incy), 0, "axpy");
    for (int i = 0; i < n; i++)
        y.host[y0 + i * incy] += 3 * x.host[x0 + i * incx];
    must(swap(handle, n, x.device, incx, y.device, incy), 0, "swap");
    for (int i = 0; i < n; i++) {
        T t = x.host[x0 + i * incx];
        x.host[x0 + i * incx] = y.host[y0 + i * incy];
        y.host[y0 + i * incy] = t;
    }
    T got = 0, *to = mode == HOST ? &got : on_device(sizeof(T));
    must(dot(handle, n, x.device, incx, y.device, incy, to), 0, "dot");
    copy(&got, to, sizeof got);
    for (int i = 0; i < n; i++)
        sum += (double)x.host[x0 + i * incx] * (double)y.host[y0 + i * incy];
    check((double)got == sum, "dot", n, incx);
    if (mode == DEVICE)
        cuMemFree_v2((uintptr_t)to);
    must(copy_(handle, n, x.device, incx, y.device, incy), 0, "copy");
    for (int i = 0; i < n; i++)
        y.host[y0 + i * incy] = x.host[x0 + i * incx];
    if (incx > 0) {
        must(scal(handle, n, NAME(scalar)(mode, -2), x.device, incx), 0, "scal");
        for (int i = 0; i < n; i++)
            x.host[i * incx] *= -2;
    }
    NAME(same)(x, 0, "level 1: x", n, incx);
    NAME(same)(y, 0, "level 1: y", n, incy);
}

static void NAME(reductions)(int mode, int n, int step)
{
    struct NAME(matrix) x = NAME(make)(1 + (n > 0 ? n - 1 : 0) * step, 99);
    double sum = 0, squares = 0;
    int largest = 0, smallest = 0;
    for (int i = 0; i < n; i++) {
        double v = fabs((double)x.host[i * step]);
        sum += v, squares += v * v;
        if (!largest || v > fabs((double)x.host[(largest - 1) * step]))
            largest = i + 1;
        if (!smallest || v < fabs((double)x.host[(smallest - 1) * step]))
            smallest = i + 1;
    }
    double root = NAME(number)(mode, find("cublas%cnrm2_v2", CAPITAL), n, x.device, step, sizeof(T), false);
    check(NAME(number)(mode, find("cublas%casum_v2", CAPITAL), n, x.device, step, sizeof(T), false) == sum, "asum", n,
          step);
    check(fabs(root - sqrt(squares)) <= NEAR * sqrt(squares), "nrm2", n, step);
    check(NAME(number)(mode, find("cublasI%camax_v2", SMALL_LETTER), n, x.device, step, 4, true) == largest, "amax", n,
          step);
    check(NAME(number)(mode, find("cublasI%camin_v2", SMALL_LETTER), n, x.device, step, 4, true) == smallest, "amin", n,
          step);
    NAME(same)(x, 0, "reductions change nothing", n, step);
}

/* Squares that a T cannot hold, and whose sum a double can. */
static void NAME(large)(int mode)
{
    T most = sizeof(T) == 4 ? (T)1e30 : (T)1e300, values[3] = {3 * most, 0, -4 * most};
    T *x = on_device(sizeof values);
    copy(x, values, sizeof values);
    double root = NAME(number)(mode, find("cublas%cnrm2_v2", CAPITAL), 3, x, 1, sizeof(T), false);
    check(fabs(root / (double)most - 5) <= 5 * NEAR, "nrm2 of large values", mode, 0);
    cuMemFree_v2((uintptr_t)x);
}

static T NAME(at)(const T *a, int ld, int operation, int r, int c) { return operation ? a[c + r * ld] : a[r + c * ld]; }

static void NAME(level2)(int mode, int m, int n, int operation)
{
    int (*gemv)(void *, int, int, int, const T *, const T *, int, const T *, int, const T *, T *, int) =
        find("cublas%cgemv_v2", CAPITAL);
    int (*ger)(void *, int, int, const T *, const T *, int, const T *, int, T *, int) = find("cublas%cger_v2", CAPITAL);
    int ld = m + 2, rows = operation ? n : m, columns = operation ? m : n;
    struct NAME(matrix) a = NAME(make)(ld * n, 5), x = NAME(make)(columns * 2, 5), y = NAME(make)(rows * 3, 5);
    must(gemv(handle, operation, m, n, NAME(scalar)(mode, 2), a.device, ld, x.device, 2, NAME(scalar)(mode, -1),
              y.device, -3),
         0, "gemv");
    for (int r = 0; r < rows; r++) {
        T sum = 0, *to = &y.host[(rows - 1 - r) * 3];
        for (int c = 0; c < columns; c++)
            sum += NAME(at)(a.host, ld, operation, r, c) * x.host[c * 2];
        *to = 2 * sum - *to;
    }
    /* x and y have as many elements as op(a) has columns and rows: a += 3 y x' of the transpose's sizes */
    const T *column = operation ? x.device : y.device, *row = operation ? y.device : x.device;
    must(ger(handle, m, n, NAME(scalar)(mode, 3), column, operation ? 2 : 3, row, operation ? 3 : 2, a.device, ld), 0,
         "ger");
    for (int r = 0; r < m; r++)
        for (int c = 0; c < n; c++)
            a.host[r + c * ld] += 3 * (operation ? x.host[r * 2] * y.host[c * 3] : y.host[r * 3] * x.host[c * 2]);
    NAME(same)(x, 0, "gemv: x", m, n);
    NAME(same)(y, 0, "gemv: y", m, n);
    NAME(same)(a, 0, "ger", m, n);
}

/* A triangle with a strong diagonal; b is what it gives with a known x. */
static void NAME(triangles)(int mode, int side, int fill, int operation, int unit, int m, int n)
{
    int (*trsm)(void *, int, int, int, int, int, int, const T *, const T *, int, T *, int) =
        find("cublas%ctrsm_v2", CAPITAL);
    int (*trsv)(void *, int, int, int, int, const T *, int, T *, int) = find("cublas%ctrsv_v2", CAPITAL);
    int size = side == LEFT ? m : n, ld = size + 1, ldb = m + 3;
    struct NAME(matrix) a = NAME(make)(ld * size, 1), b = NAME(make)(ldb * n, 9);
    T *full = calloc((size_t)(size * size), sizeof(T)), *known = malloc((size_t)(ldb * n) * sizeof(T));
    for (int i = 0; i < size; i++)
        a.host[i + i * ld] = 8;
    for (int c = 0; c < size; c++)
        for (int r = 0; r < size; r++)
            if (fill == LOWER ? r >= c : r <= c)
                full[operation ? c + r * size : r + c * size] =
                    r == c && unit ? 1 : a.host[r + c * ld] / (unit ? 64 : 1);
    for (int i = 0; unit && i < ld * size; i++)
        a.host[i] /= 64;
    copy(a.device, a.host, (size_t)(ld * size) * sizeof(T));
    memcpy(known, b.host, (size_t)(ldb * n) * sizeof(T));
    for (int r = 0; r < m; r++) /* b = op(a) x / 2, or x op(a) / 2 */
        for (int c = 0; c < n; c++) {
            double sum = 0;
            for (int k = 0; k < size; k++)
                sum += side == LEFT ? (double)full[r + k * size] * (double)known[k + c * ldb]
                                    : (double)known[r + k * ldb] * (double)full[k + c * size];
            b.host[r + c * ldb] = (T)(sum / 2);
        }
    copy(b.device, b.host, (size_t)(ldb * n) * sizeof(T));
    if (n == 1 && side == LEFT) {
        must(trsv(handle, fill, operation, unit, m, a.device, ld, b.device, 1), 0, "trsv");
        for (int i = 0; i < m; i++)
            known[i] /= 2;
    } else
        must(trsm(handle, side, fill, operation, unit, m, n, NAME(scalar)(mode, 2), a.device, ld, b.device, ldb), 0,
             "trsm");
    memcpy(b.host, known, (size_t)(ldb * n) * sizeof(T));
    free(full), free(known);
    NAME(same)(b, 20 * NEAR, "triangle", side * 4 + fill * 2 + operation, m);
    NAME(same)(a, 0, "triangle: a", m, n);
}

static void NAME(products)(int mode, int m, int n, int k, int ta, int tb)
{
    int (*gemm)(void *, int, int, int, int, int, const T *, const T *, int, const T *, int, const T *, T *, int) =
        find("cublas%cgemm_v2", CAPITAL);
    int (*batched)(void *, int, int, int, int, int, const T *, const T *const *, int, const T *const *, int, const T *,
                   T *const *, int, int) = find("cublas%cgemmBatched", CAPITAL);
    int lda = (ta ? k : m) + 1, ldb = (tb ? n : k) + 2, ldc = m + 3;
    struct NAME(matrix) a = NAME(make)(lda * (ta ? m : k), 3), b = NAME(make)(ldb * (tb ? k : n), 3);
    struct NAME(matrix) c = NAME(make)(ldc * n, 3), d = NAME(make)(ldc * n, 3);
    T *pointers[4] = {a.device, b.device, c.device, d.device}, **list = on_device(sizeof pointers * 2);
    T *lists[6] = {a.device, a.device, b.device, b.device, c.device, d.device};
    copy(list, lists, sizeof lists);
    must(gemm(handle, ta, tb, m, n, k, NAME(scalar)(mode, 2), a.device, lda, b.device, ldb, NAME(scalar)(mode, 0),
              c.device, ldc),
         0, "gemm");
    must(batched(handle, ta, tb, m, n, k, NAME(scalar)(mode, 1), (const T *const *)list, lda,
                 (const T *const *)list + 2, ldb, NAME(scalar)(mode, -1), list + 4, ldc, 2),
         0, "gemmBatched");
    for (int col = 0; col < n; col++)
        for (int row = 0; row < m; row++) {
            T sum = 0;
            for (int i = 0; i < k; i++)
                sum += NAME(at)(a.host, lda, ta, row, i) * NAME(at)(b.host, ldb, tb, i, col);
            c.host[row + col * ldc] = sum - 2 * sum;
            d.host[row + col * ldc] = sum - d.host[row + col * ldc];
        }
    cuMemFree_v2((uintptr_t)list);
    NAME(same)(a, 0, "gemm: a", m, n);
    NAME(same)(b, 0, "gemm: b", m, n);
    NAME(same)(c, 0, "gemm", m * 1000 + n, ta * 2 + tb);
    NAME(same)(d, 0, "gemmBatched", m * 1000 + n, ta * 2 + tb);
}

static void NAME(matrices)(int mode, int n, int k, int fill, int operation)
{
    int (*syrk)(void *, int, int, int, int, const T *, const T *, int, const T *, T *, int) =
        find("cublas%csyrk_v2", CAPITAL);
    int (*geam)(void *, int, int, int, int, const T *, const T *, int, const T *, const T *, int, T *, int) =
        find("cublas%cgeam", CAPITAL);
    int (*dgmm)(void *, int, int, int, const T *, int, const T *, int, T *, int) = find("cublas%cdgmm", CAPITAL);
    int lda = (operation ? k : n) + 1;
    struct NAME(matrix) a = NAME(make)(lda * (operation ? n : k), 3), c = NAME(make)(n * n, 3),
                        e = NAME(make)(n * n, 3);
    must(syrk(handle, fill, operation, n, k, NAME(scalar)(mode, 2), a.device, lda, NAME(scalar)(mode, 1), c.device, n),
         0, "syrk");
    for (int col = 0; col < n; col++)
        for (int row = 0; row < n; row++) {
            T sum = 0;
            for (int i = 0; i < k; i++)
                sum += NAME(at)(a.host, lda, operation, row, i) * NAME(at)(a.host, lda, operation, col, i);
            if (fill == LOWER ? row >= col : row <= col)
                c.host[row + col * n] += 2 * sum;
        }
    /* e = 2 c' - c, then its rows or columns times the first elements of c */
    must(geam(handle, TRANSPOSED, NONE, n, n, NAME(scalar)(mode, 2), c.device, n, NAME(scalar)(mode, -1), c.device, n,
              e.device, n),
         0, "geam");
    must(dgmm(handle, fill, n, n, e.device, n, c.device, 1, e.device, n), 0, "dgmm");
    for (int col = 0; col < n; col++)
        for (int row = 0; row < n; row++)
            e.host[row + col * n] =
                (2 * c.host[col + row * n] - c.host[row + col * n]) * c.host[fill == LEFT ? row : col];
    NAME(same)(a, 0, "syrk: a", n, k);
    NAME(same)(c, 0, "syrk", fill * 2 + operation, n);
    NAME(same)(e, 0, "geam and dgmm", fill * 2 + operation, n);
}

static void NAME(all)(int mode)
{
    static const int lengths[] = {0, 1, 2, 255, 257, 1000, 40000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        NAME(level1)(mode, lengths[i], 1, 1);
        NAME(reductions)(mode, lengths[i], 1 + (int)i % 2);
    }
    NAME(level1)(mode, 300, -2, 3);
    NAME(level1)(mode, 300, 2, -1);
    NAME(large)(mode);
    for (int operation = NONE; operation <= TRANSPOSED; operation++) {
        NAME(level2)(mode, 1, 1, operation);
        NAME(level2)(mode, 300, 70, operation);
        NAME(matrices)(mode, 70, 13, LOWER, operation);
        NAME(matrices)(mode, 65, 33, UPPER, operation);
        for (int tb = NONE; tb <= TRANSPOSED; tb++) {
            NAME(products)(mode, 1, 1, 1, operation, tb);
            NAME(products)(mode, 64, 64, 64, operation, tb);
            NAME(products)(mode, 70, 131, 33, operation, tb);
        }
        for (int fill = LOWER; fill <= UPPER; fill++)
            for (int unit = 0; unit <= 1; unit++) {
                NAME(triangles)(mode, LEFT, fill, operation, unit, 20, 1);
                NAME(triangles)(mode, LEFT, fill, operation, unit, 20, 7);
                NAME(triangles)(mode, RIGHT, fill, operation, unit, 7, 20);
            }
    }
}
