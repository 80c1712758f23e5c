/** Exceptions: throw, catch by class and order, finally, nested, resources, causes, own classes. */
public class Errors {
    static class Closed extends IllegalStateException {
        final int when;
        Closed(int when) { super("closed at " + when); this.when = when; }
    }
    static class Failure extends Exception {
        Failure(String text, Throwable cause) { super(text, cause); }
        @Override public String getMessage() { return "failure: " + super.getMessage(); }
    }
    static class Resource implements AutoCloseable {
        final Errors owner;
        Resource(Errors owner) { this.owner = owner; owner.trace = owner.trace * 10 + 1; }
        public void close() { owner.trace = owner.trace * 10 + 2; if (owner.trace % 7 == 0) throw new Closed(3); }
    }

    private int state, trace;
    private Object lock = new Object();

    public void open() { if (state != 0) throw new IllegalStateException("not new"); state = 1; }
    public int use(int k) {
        if (state != 1) throw new Closed(state);
        if (k < 0) throw new IllegalArgumentException();
        return k;
    }
    public void close() { state = 2; }
    public int caught(int k) {
        try {
            return use(k) / (k - 3);
        } catch (Closed e) {
            return -e.when;
        } catch (ArithmeticException | IllegalArgumentException e) {
            return e instanceof ArithmeticException ? 100 : 200;
        } finally {
            trace += 5;
        }
    }
    public int trace() { return trace; }
    public int finals(int k) {
        for (int a = 0; a < 3; a++) {
            try {
                if (a == k) continue;
                if (a > k) break;
                trace += use(a);
            } finally {
                trace *= 2;
                if (trace > 1000) return trace;
            }
        }
        return trace;
    }
    public void wrapped(int k) throws Failure {
        try {
            use(k);
        } catch (RuntimeException e) {
            throw new Failure("use", e);
        }
    }
    public String message(int k) {
        try {
            wrapped(k);
            return "none";
        } catch (Failure f) {
            return f.getMessage() + "/" + f.getCause().getMessage();
        }
    }
    public int resource(int k) {
        try (Resource r = new Resource(this); Resource q = new Resource(this)) {
            return use(k);
        }
    }
    public int locked(int k) { synchronized (lock) { return use(k) + 1; } }
    public synchronized int guarded(int k) { return use(k) + 2; }
    public int array(int k) { int[] a = new int[k]; a[2] = 4; return a[k - 1]; }
    public int nothing(int k) { Errors e = k > 0 ? this : null; return e.state; }
    public Object cast(int k) { Object o = k > 0 ? "s" : (Object) new int[1]; return (String) o; }
    public int rethrow(int k) { try { return use(k); } catch (Throwable t) { trace++; throw t; } }
    public int afterWrite(int k) { int[] a = new int[2]; try { a[trace = k] = 1; } catch (ArrayIndexOutOfBoundsException e) { return -trace; } return trace; }
}
