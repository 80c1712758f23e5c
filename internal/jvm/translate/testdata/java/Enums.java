/** Enums with fields and bodies, switches over them, records, nested records. */
public class Enums {
    enum Color { RED, GREEN(4), BLUE { @Override int weight() { return 100; } };
        final int k;
        Color() { this(1); }
        Color(int k) { this.k = k; }
        int weight() { return k * 2; } }
    record Point(int x, long y, String name, boolean flag) {
        Point { if (x < 0) throw new IllegalArgumentException("x"); }
        int sum() { return x + (int) y; }
    }
    record Pair(Point a, Object b) {}
    private Color color = Color.RED;
    private Point point = new Point(1, 2, "p", true);

    public void next() { color = Color.values()[(color.ordinal() + 1) % 3]; }
    public int weight() { return color.weight(); }
    public int choose() {
        switch (color) {
            case RED: return 10;
            case BLUE: return 30;
            default: return 20;
        }
    }
    public int arrow(int k) { Color c = k == 0 ? null : color; return switch (c) { case RED -> 1; case GREEN -> 2; case BLUE -> 3; }; }
    public String name() { return color.name() + color; }
    public boolean before() { return color.compareTo(Color.GREEN) < 0; }
    public int move(int k) { point = new Point(point.x() + k, point.y() * 3, "p", k > 0); return point.sum(); }
    public boolean equal(int k) { return point.equals(new Point(1 + k, 2, "p", true)) && !point.equals(null); }
    public int hash() { return point.hashCode() == new Point(point.x(), point.y(), point.name(), point.flag()).hashCode() ? 1 : 0; }
    public int hashes() { return point.hashCode(); }
    public String text() { return new Pair(point, null).toString(); }
    public boolean pair() { return new Pair(point, color).equals(new Pair(point, Color.RED)); }
}
