import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/** Fields that are written by handles and updaters. */
public class Handles {
    private static final VarHandle STATE, REF;
    private static final AtomicIntegerFieldUpdater<Handles> COUNT = AtomicIntegerFieldUpdater.newUpdater(Handles.class, "count");
    private static final AtomicReferenceFieldUpdater<Handles, String> NAME = AtomicReferenceFieldUpdater.newUpdater(Handles.class, String.class, "name");
    private static final VarHandle CELLS = MethodHandles.arrayElementVarHandle(int[].class);
    static {
        try {
            MethodHandles.Lookup l = MethodHandles.lookup();
            STATE = l.findVarHandle(Handles.class, "state", int.class);
            REF = l.findVarHandle(Handles.class, "ref", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
    private volatile int state, count;
    private volatile Object ref;
    private volatile String name;
    private int[] cells = new int[3];

    public boolean open() { return STATE.compareAndSet(this, 0, 1); }
    public int or(int k) { return (int) STATE.getAndBitwiseOr(this, k) + state; }
    public int add(int k) { return (int) STATE.getAndAdd(this, k); }
    public void close() { STATE.setRelease(this, 0); if (ref != null) throw new IllegalStateException("held"); }
    public boolean hold() { return REF.compareAndSet(this, null, this); }
    public boolean drop() { return REF.getAndSet(this, (Object) null) == this; }
    public int count(int k) { return COUNT.addAndGet(this, k) + COUNT.getAndIncrement(this); }
    public boolean name() { return NAME.compareAndSet(this, null, "n"); }
    public int cell(int k) { CELLS.setVolatile(cells, k, 5); return (int) CELLS.getVolatile(cells, k) + cells[0]; }
}
