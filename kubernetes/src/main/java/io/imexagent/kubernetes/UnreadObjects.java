package io.imexagent.kubernetes;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Objects that are too large, or not valid by the API's definition. Their last known state is kept. */
public record UnreadObjects(int count, List<UnreadObject> first) {

    public static final UnreadObjects NONE = new UnreadObjects(0, List.of());

    /** The most objects that are named. */
    private static final int NAMED = 10;

    public UnreadObjects {
        first = first.stream().limit(NAMED).toList();
    }

    /** An unreadable object: its namespace and name, and the reason, a clause that quotes nothing of the object. */
    public record UnreadObject(String name, String reason) {

        @Override
        public String toString() {
            return name + " (" + reason + ")";
        }
    }

    public UnreadObjects and(UnreadObjects others) {
        return new UnreadObjects(
                count + others.count,
                Stream.concat(first.stream(), others.first.stream()).toList());
    }

    /** The number of objects that are not named. */
    public int more() {
        return count - first.size();
    }

    @Override
    public String toString() {
        return first.stream().map(UnreadObject::toString).collect(Collectors.joining(", "))
                + (more() > 0 ? " and " + more() + " more" : "");
    }
}
