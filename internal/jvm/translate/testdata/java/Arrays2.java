/** Arrays: of all types, of arrays, clones, copies, bounds, lengths. */
public class Arrays2 {
    private int[] ints = new int[4];
    private byte[] bytes = {1, -2, 3};
    private char[] chars = {'a', 'b'};
    private boolean[] flags = new boolean[3];
    private long[] longs = {1L << 33};
    private double[] reals = {0.5, -0.25};
    private String[] texts = {"p", null};
    private int[][] grid = new int[2][3];
    private Object[] objects = new Object[2];

    public int set(int k) { ints[k] = k * 2 + 1; return ints[k]; }
    public int sum() { int s = 0; for (int v : ints) s += v; for (byte b : bytes) s += b; return s; }
    public int bytes(int k) { bytes[0] += k; return bytes[0]++ + bytes[0]; }
    public int chars(int k) { chars[k] += 1; return chars[k]; }
    public boolean flag(int k) { flags[k] ^= true; return flags[k]; }
    public long longs(int k) { longs[0] <<= k; return longs[0]; }
    public double reals(int k) { return reals[k] *= 2; }
    public int grid(int k) { grid[1][k]++; grid[0] = grid[1]; return grid[0][k] + grid.length + grid[k % 2].length; }
    public int deep(int k) { int[][][] d = new int[2][k][]; return d[1].length + (d[1][0] == null ? 10 : 0); }
    public boolean text(int k) { return texts[k] == null; }
    public int clone(int k) { int[] c = ints.clone(); c[k] = -1; return ints[k] + c[k]; }
    public int copy(int k) { System.arraycopy(ints, 0, ints, k, 2); return ints[3]; }
    public int grow(int k) { ints = java.util.Arrays.copyOf(ints, k); return ints.length; }
    public boolean same() { Object a = ints; return a instanceof int[] && !(a instanceof long[]) && a == ints; }
    public boolean objects(int k) { objects[k] = ints; return objects[0] == objects[1]; }
    public int nothing() { ints = null; return 0; }
}
