import java.io.IOException;
import java.util.function.IntSupplier;

/** Constructs that need every part of the reader. */
public class Shapes<T extends Comparable<T>> implements Runnable {
    static final int LIMIT = 70000;
    static final long WIDE = 1L << 40;
    static final double HALF = 0.5;
    static final float THIRD = 1 / 3f;
    static final String ODD = "a\0\u00e9\u20ac\ud83d\ude00\ud800";
    enum Color { RED, GREEN }
    record Point(int x, long y) { }
    sealed interface Shape permits Circle, Square { }
    static final class Circle implements Shape { }
    static final class Square implements Shape { }

    private volatile int count;
    protected transient T last;

    public void run() { count++; }

    int choose(int k, String s, Color c) {
        switch (k) {
            case 1: return 10;
            case 2: return 20;
            case 3: return 30;
        }
        switch (k) {
            case -1000: return 1;
            case 100000: return 2;
        }
        switch (s) {
            case "a": return 3;
            case "Aa": case "BB": return 4;
        }
        switch (c) {
            case RED: return 5;
            default: return LIMIT;
        }
    }

    long arithmetic(long a, double d, float f, int i) throws IOException {
        int[][][] cube = new int[2][3][];
        byte[] bytes = {1, 2, 3};
        Object[] objects = {this, cube, bytes};
        try {
            a += (long) d << i >>> 3;
            bytes[i] += 7;
            cube[i][1][2] = (int) (f % 2);
            synchronized (this) { count = objects.length; }
        } catch (ArrayIndexOutOfBoundsException | NullPointerException e) {
            throw new IOException("index " + i + " of " + a, e);
        } finally {
            count -= 200;
        }
        IntSupplier later = () -> i + count;
        return later.getAsInt() + (objects[0] instanceof Shapes ? WIDE : a);
    }

    native int far(char c, short s, boolean b);

    static int manyLocals(int n) {
        long a0 = n, a1 = n, a2 = n, a3 = n, a4 = n, a5 = n, a6 = n, a7 = n, a8 = n, a9 = n;
        long b0 = n, b1 = n, b2 = n, b3 = n, b4 = n, b5 = n, b6 = n, b7 = n, b8 = n, b9 = n;
        long c0 = n, c1 = n, c2 = n, c3 = n, c4 = n, c5 = n, c6 = n, c7 = n, c8 = n, c9 = n;
        long d0 = n, d1 = n, d2 = n, d3 = n, d4 = n, d5 = n, d6 = n, d7 = n, d8 = n, d9 = n;
        long e0 = n, e1 = n, e2 = n, e3 = n, e4 = n, e5 = n, e6 = n, e7 = n, e8 = n, e9 = n;
        long f0 = n, f1 = n, f2 = n, f3 = n, f4 = n, f5 = n, f6 = n, f7 = n, f8 = n, f9 = n;
        long g0 = n, g1 = n, g2 = n, g3 = n, g4 = n, g5 = n, g6 = n, g7 = n, g8 = n, g9 = n;
        long h0 = n, h1 = n, h2 = n, h3 = n, h4 = n, h5 = n, h6 = n, h7 = n, h8 = n, h9 = n;
        long i0 = n, i1 = n, i2 = n, i3 = n, i4 = n, i5 = n, i6 = n, i7 = n, i8 = n, i9 = n;
        long j0 = n, j1 = n, j2 = n, j3 = n, j4 = n, j5 = n, j6 = n, j7 = n, j8 = n, j9 = n;
        long k0 = n, k1 = n, k2 = n, k3 = n, k4 = n, k5 = n, k6 = n, k7 = n, k8 = n, k9 = n;
        long l0 = n, l1 = n, l2 = n, l3 = n, l4 = n, l5 = n, l6 = n, l7 = n, l8 = n, l9 = n;
        long m0 = n, m1 = n, m2 = n, m3 = n, m4 = n, m5 = n, m6 = n, m7 = n, m8 = n, m9 = n;
        int last = n;
        last += 1000;
        return last + (int) (a0 + m9);
    }
}
