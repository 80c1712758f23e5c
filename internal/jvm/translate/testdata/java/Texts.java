/** Strings, builders, boxes, concatenation, switches over strings. */
public class Texts {
    private String text = "a";
    private Integer box = 5;
    private StringBuilder builder = new StringBuilder();

    public String grow(int k) { text = text + k + 'c' + true + null + (long) k + box; return text; }
    public String build(int k) { builder.append("k=").append(k).append(';').append(k > 0); return builder.toString(); }
    public int length() { return text.length(); }
    public boolean is(int k) { return text.equals(k > 0 ? "a" : "b"); }
    public char at(int k) { return text.charAt(k); }
    public int choose(int k) {
        String s = k == 0 ? "one" : k == 1 ? "two" : k == 2 ? "Aa" : k == 3 ? "BB" : k == 4 ? "other" : null;
        switch (s) {
            case "one": return 1;
            case "two": return 2;
            case "Aa": return 3;
            case "BB": return 4;
            default: return 5;
        }
    }
    public int box(int k) { box = box + k; Object o = box; return o instanceof Integer ? (Integer) o : -1; }
    public int unbox(int k) { Integer n = k > 0 ? k : null; return n; }
    public boolean boxes(int k) { Long a = (long) k; Object b = (long) k; return a.equals(b) && !a.equals(box) && a.hashCode() == b.hashCode(); }
    public boolean constant() { String s = "a"; return text == s; }
    public int hash(int k) { return ("h" + k).hashCode(); }
    public Boolean flag(int k) { Boolean b = k > 0; return b == Boolean.TRUE; }
    public String empty(int k) { return String.valueOf(k) + new String("x").isEmpty(); }
    public void reset() { text = "a"; box = 5; builder = new StringBuilder("b"); }
}
