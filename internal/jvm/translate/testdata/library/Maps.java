import java.util.*;

/** Maps and queues, as the library implements them. */
public class Maps {
    private Map<Integer, Integer> map = new HashMap<>();
    private Deque<Integer> deque = new ArrayDeque<>();
    private Queue<Integer> heap = new PriorityQueue<>(Comparator.reverseOrder());
    private Iterator<Integer> it = map.keySet().iterator();

    public void tree() { map = new TreeMap<>(); it = map.values().iterator(); }
    public void linked() { map = new LinkedHashMap<>(); it = map.keySet().iterator(); }
    public Integer put(int k) { return map.put(k, k * k); }
    public Integer get(int k) { return map.get(k); }
    public Integer remove(int k) { return map.remove(k); }
    public int size() { return map.size(); }
    public void iterate() { it = map.keySet().iterator(); }
    public boolean hasNext() { return it.hasNext(); }
    public Integer next() { return it.next(); }
    public void drop() { it.remove(); }
    public Integer merge(int k) { return map.merge(k, 1, (a, b) -> a + b); }
    public Integer compute(int k) { return map.computeIfAbsent(k, x -> x > 3 ? null : x + 1); }
    public int sum() { int s = 0; for (Map.Entry<Integer, Integer> e : map.entrySet()) s = s * 31 + e.getKey() + e.getValue(); return s; }
    public void push(int k) { deque.addFirst(k); }
    public boolean offer(int k) { return deque.offerLast(k); }
    public Integer pop() { return deque.pop(); }
    public Integer poll() { return deque.pollLast(); }
    public Integer element() { return deque.element(); }
    public boolean heap(int k) { return heap.add(k); }
    public Integer top() { return heap.remove(); }
    public int optional(int k) { return Optional.of(k).filter(x -> x > 2).map(x -> x * 2).orElse(-1); }
    public int present(int k) { return (k > 0 ? Optional.of(k) : Optional.<Integer>empty()).get(); }
}
