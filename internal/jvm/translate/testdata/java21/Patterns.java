/** Switches over types and constants, record patterns, sealed classes. */
public class Patterns {
    sealed interface Node permits Leaf, Fork, None {}
    record Leaf(int v) implements Node {}
    record Fork(Node l, Node r) implements Node {}
    enum None implements Node { NONE, NIL }
    private Node node = None.NONE;

    public void leaf(int k) { node = new Leaf(k); }
    public void fork() { if (sum(node) > -1000 && depth(node) < 6) node = new Fork(node, new Leaf(1)); }
    public void none() { node = None.NIL; }
    public void nothing() { node = null; }
    public int sum() { return sum(node); }
    private static int sum(Node n) {
        return switch (n) {
            case Leaf l when l.v() > 3 -> 100;
            case Leaf(int v) -> v;
            case Fork(Leaf(int a), Leaf(int b)) -> a * 2 + b;
            case Fork f -> sum(f.l()) + sum(f.r());
            case None m -> 7;
        };
    }
    private static int depth(Node n) { return n instanceof Fork(Node l, Node r) ? 1 + Math.max(depth(l), depth(r)) : 0; }
    public int object(int k) {
        Object o = k == 0 ? "text" : k == 1 ? (Object) 5 : k == 2 ? node : k == 3 ? (Object) 'c' : null;
        return switch (o) {
            case String s -> s.length();
            case Integer i when i > 4 -> i * 10;
            case Integer i -> i;
            case Leaf l -> l.v();
            case null -> -1;
            default -> 99;
        };
    }
    public int text(int k) {
        String s = k == 0 ? "a" : k == 1 ? "bb" : "";
        return switch (s) { case "a" -> 1; case String t when t.length() == 2 -> 2; default -> 3; };
    }
    public int constant(int k) {
        None n = k == 0 ? null : k == 1 ? None.NONE : None.NIL;
        return switch (n) { case NONE -> 1; case NIL -> 2; case null -> 3; };
    }
    public int number(int k) {
        Integer n = k;
        return switch (n) { case 1 -> 10; case Integer i when i < 0 -> -10; case 3 -> 30; default -> 0; };
    }
}
