package io.imexagent.kubernetes;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Objects that are too large, or not what the API makes them; what was known of them before stays. */
public record UnreadObjects(int count, List<UnreadObject> first) {

    public static final UnreadObjects NONE = new UnreadObjects(0, List.of());

    /** How many of them are named. */
    private static final int NAMED = 10;

    public UnreadObjects {
        first = first.stream().limit(NAMED).toList();
    }

    /** One of them: its namespace and name, and why, in a clause that quotes nothing of it. */
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

    /** How many there are that are not named. */
    public int more() {
        return count - first.size();
    }

    @Override
    public String toString() {
        return first.stream().map(UnreadObject::toString).collect(Collectors.joining(", "))
                + (more() > 0 ? " and " + more() + " more" : "");
    }
}
