/** Numbers: overflow, division, shifts, conversions, comparisons with NaN. */
public class Arith {
    private int i = 7;
    private long l = 1L << 40;
    private byte b;
    private char c = 'x';
    private short s = -3;

    public int add(int a) { i += a; return i; }
    public int divide(int a) { return i / a; }
    public int remainder(int a) { return i % a; }
    public long wide(int a) { l = l * 31 + a; return l ^ (l >>> 7); }
    public int shifts(int a) { return (i << a) + (i >> a) + (i >>> a) + (int) (l >> a); }
    public int narrow(int a) { b = (byte) a; c = (char) a; s += a; return b + c + s; }
    public int compare(int a) {
        double x = a / 4.0, nan = 0.0 / (a - a);
        int r = 0;
        if (x < 1.0) r |= 1;
        if (!(nan < x)) r |= 2;
        if (nan != nan) r |= 4;
        if (nan >= x) r |= 8;
        if ((float) x <= 0.5f) r |= 16;
        if (l > a) r |= 32;
        return r;
    }
    public int convert(int a) { return (int) (a * 1e10) + (int) (float) a + (int) (long) (a * 1e18); }
    public double real(int a) { double d = a; d = d / 8 + 0.5; return -d; }
    public int min(int a) { return Integer.MIN_VALUE / a; }
    public boolean bits(int a) { boolean p = a > 0, q = (a & 1) == 0; return p & q | !p ^ q; }
    public int increment(int a) { int k = a; k += 100; k--; int j = k++ + ++k; return j * k; }
}
