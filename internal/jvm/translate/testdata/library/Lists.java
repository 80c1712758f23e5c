import java.util.*;

/** Lists and their iterators, as the library implements them. */
public class Lists {
    private List<Integer> list = new ArrayList<>();
    private ListIterator<Integer> it = list.listIterator();
    private Iterator<Integer> other;

    public void linked() { list = new LinkedList<>(); it = list.listIterator(); }
    public void vector() { list = new Vector<>(); it = list.listIterator(); }
    public void fixed() { list = Arrays.asList(1, 2, 3); it = list.listIterator(); }
    public boolean add(int k) { return list.add(k); }
    public void insert(int k) { list.add(k, k * 2); }
    public Integer remove(int k) { return list.remove(k); }
    public boolean drop(int k) { return list.remove((Integer) k); }
    public Integer get(int k) { return list.get(k); }
    public int size() { return list.size(); }
    public int find(int k) { return list.indexOf(k); }
    public void clear() { list.clear(); }
    public void iterate(int k) { it = list.listIterator(k); }
    public boolean hasNext() { return it.hasNext(); }
    public Integer next() { return it.next(); }
    public Integer previous() { return it.previous(); }
    public int nextIndex() { return it.nextIndex(); }
    public void itRemove() { it.remove(); }
    public void itSet(int k) { it.set(k); }
    public void itAdd(int k) { it.add(k); }
    public void sub(int k) { list = list.subList(k, list.size()); it = list.listIterator(); }
    public int sum() { int s = 0; for (int v : list) s += v; return s; }
    public boolean equal() { return list.equals(new ArrayList<>(list)); }
    public int hash() { return list.hashCode(); }
    public boolean removeIf(int k) { return list.removeIf(v -> v > k); }
}
