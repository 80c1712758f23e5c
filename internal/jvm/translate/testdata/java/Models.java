/** Methods of modelled classes through their own type and through interfaces; references of unrelated types compared. */
public class Models {
    interface Left {}
    interface Right {}
    static class Both implements Left, Right {}
    private Both both = new Both();
    private StringBuilder builder = new StringBuilder("x");
    private Object lock = builder;

    public boolean same(int k) { Left l = both; Right r = k > 0 ? both : new Both(); return (Object) l == r; }
    public int length(int k) { builder.append(k); return builder.length(); }
    public boolean held() { return lock == builder && lock instanceof CharSequence; }
    public boolean text() { CharSequence c = "abc"; Comparable<?> d = 5; return c.equals("abc") && d instanceof Integer; }
    public String name() { return builder.getClass().getName(); }
    public int sequence(int k) { CharSequence c = k > 0 ? "abc" : builder; return c.length(); }
    public Object box(int k) { Number n = k; Object o = n; return o.equals(k) ? n.intValue() + 1 : null; }
}
