import java.util.ArrayList;

/** Classes: overriding, super, abstract, interfaces, default methods, inner classes, fields that hide, static state, singletons. */
public class Objects2 {
    interface Shape { int area(); default int twice() { return 2 * area(); } }
    static abstract class Base implements Shape {
        protected int size = 3;
        static int made;
        Base() { made++; init(); }
        abstract void init();
        public int area() { return size * size; }
        int hidden() { return size; }
    }
    static class Square extends Base {
        private int size = 5;
        int seen;
        void init() { seen = size + super.size; }
        @Override int hidden() { return super.hidden() * 10 + size; }
    }
    static class Big extends Square {
        @Override public int area() { return super.area() + 1000; }
        @Override public int twice() { return Shape(this) + 1; }
        private int Shape(Base b) { return b.area(); }
    }
    class Inner {
        int k = count;
        int up() { count += k + 1; return count; }
    }
    static final Objects2 ONE = new Objects2();
    static int order = 1;
    static final int[] TABLE = {3, 1, 4, 1, 5};
    static { order = order * 10 + TABLE[2]; }

    private int count;
    private Shape shape = new Square();
    private Inner inner;

    public int area() { return shape.area(); }
    public int twice() { return shape.twice(); }
    public void grow() { shape = new Big(); }
    public int hidden() { return ((Base) shape).hidden(); }
    public int seen() { return ((Square) shape).seen; }
    public int made() { return Base.made; }
    public boolean isBig() { return shape instanceof Big; }
    public int inner() { if (inner == null) inner = new Inner(); return inner.up(); }
    public int order() { return order; }
    public boolean single() { return ONE == this; }
    public int table(int k) { return TABLE[k]; }
    public boolean same() { Object a = this, b = shape; return a.equals(this) && !a.equals(b); }
    public int local(int k) {
        class Adder { int n = k; int add(int m) { return n + m + count; } }
        return new Adder().add(7);
    }
    public int anonymous(int k) {
        Shape s = new Shape() { public int area() { return k + count; } };
        return s.twice();
    }
    public void chain() { Objects2 o = new Objects2(); o.count = 5; count = o.count + o.inner(); }
}
