/** Control flow: loops, breaks with labels, switches, conditions in values. */
public class Flow {
    private boolean open;
    private int steps;

    public int loop(int n) {
        int sum = 0;
        outer:
        for (int a = 0; a < n; a++) {
            for (int b = 0; ; b++) {
                if (b > a) continue outer;
                if (a * b > 20) break outer;
                sum += b;
            }
        }
        return sum;
    }
    public int table(int k) {
        switch (k) {
            case 0: return 10;
            case 1: steps++;
            case 2: steps += 2; break;
            case 3: return steps;
            default: steps = -1;
        }
        return steps * 2;
    }
    public int sparse(int k) {
        switch (k) {
            case -100000: return 1;
            case 0: return 2;
            case 5: return 3;
            case 2000000000: return 4;
        }
        return 5;
    }
    public boolean toggle() { open = !open; return open; }
    public boolean both(int k) { return open && k > 0 || k == -1; }
    public int choose(int k) { return (k > 0 ? k : open ? 1 : 2) + (open ? 10 : 20); }
    public int dowhile(int n) { do { steps += n; n -= 3; } while (n > 0); return steps; }
    public Object either(int k) { return k > 0 ? "text" : Integer.valueOf(4); }
    public int arrow(int k) { return switch (k) { case 1, 2 -> 5; case 3 -> { int q = k * 2; yield q; } default -> 0; }; }
}
