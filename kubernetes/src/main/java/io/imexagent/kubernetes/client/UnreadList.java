package io.imexagent.kubernetes.client;

import io.imexagent.kubernetes.UnreadObjects;
import io.imexagent.kubernetes.UnreadObjects.Unread;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Which objects of a collection cannot be read, by their UIDs. Of many, the first {@value #MOST} are known one by one, and
 * the others only counted. Changed by one thread at a time.
 */
final class UnreadList {

    private static final int MOST = 1_000;
    private static final int LONGEST_NAME = 320;

    private final Map<String, Unread> known = new LinkedHashMap<>();
    private int others;
    private boolean crowded;

    /** An object cannot be read; whether that is news. */
    boolean add(Fields object, String reason) {
        String uid = object.text("metadata.uid");
        if (!known.containsKey(uid) && known.size() == MOST) {
            others++;
            return false;
        }
        String name = object.path().isEmpty() ? "one without a name" : object.path();
        var unread = new Unread(name.substring(0, Math.min(name.length(), LONGEST_NAME)), reason);
        return !Objects.equals(known.put(uid, unread), unread);
    }

    /** The object can be read, or is gone; whether that is news. */
    boolean remove(String uid) {
        return known.remove(uid) != null;
    }

    /** One of them could be read, but there was no room for it. */
    void crowd() {
        crowded = true;
    }

    /** Whether there was no room for one of them. */
    boolean isCrowded() {
        return crowded;
    }

    /** Whether the object of this UID may be one of them: those that tell no UID may be any. */
    boolean mayHave(String uid) {
        return known.containsKey(uid) || known.containsKey("") || others > 0;
    }

    /** They, as they are now. */
    UnreadObjects objects() {
        return new UnreadObjects(
                known.size() + others,
                known.values().stream().limit(UnreadObjects.NAMED).toList());
    }
}
