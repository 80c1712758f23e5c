import java.util.function.*;

/** Lambdas and method references of every kind, captured values, functional interfaces with default methods. */
public class Lambdas {
    interface Step { int apply(int k); default Step twice() { return k -> apply(apply(k)); } }
    static class Cell { final int v; Cell(int v) { this.v = v; } int plus(int k) { return v + k; } static int minus(int k) { return -k; } }
    private int total;
    private Step step = k -> k + 1;

    private int bump(int k) { total += k; return total; }
    public int run(int k) { return step.apply(k); }
    public void twice() { step = step.twice(); }
    public void capture(int k) { int j = k * 3; step = x -> x * j + total; }
    public void own() { step = this::bump; }
    public void fixed() { step = Cell::minus; }
    public void bound(int k) { step = new Cell(k)::plus; }
    public int make(int k) { IntFunction<Cell> f = Cell::new; return f.apply(k).v; }
    public int unbound(int k) { ToIntBiFunction<Cell, Integer> f = Cell::plus; return f.applyAsInt(new Cell(k), 4); }
    public int boxed(int k) { Function<Integer, Integer> f = x -> x + 2; return f.apply(k); }
    public long widened(int k) { IntToLongFunction f = x -> x; return f.applyAsLong(k) + 1; }
    public int array(int k) { IntFunction<int[]> f = int[]::new; return f.apply(k).length; }
    public int compose(int k) { IntUnaryOperator f = x -> x + 1, g = x -> x * 10; return f.andThen(g).applyAsInt(k); }
    public boolean test(int k) { Predicate<Object> p = o -> o == this; return p.negate().test(k > 0 ? this : null); }
    public int supply(int k) { Supplier<Cell> s = () -> new Cell(k + total); return s.get().plus(0); }
    public void act(int k) { Runnable r = () -> { if (k < 0) throw new IllegalStateException("negative"); total = k; }; r.run(); }
}
