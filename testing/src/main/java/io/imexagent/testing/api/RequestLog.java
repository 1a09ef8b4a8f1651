package io.imexagent.testing.api;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The requests that arrived: the latest ones in full, all of them as counts. */
public final class RequestLog {
    private static final int KEPT = 10_000;

    private final Deque<LoggedRequest> recent = new ArrayDeque<>();
    private final Map<String, Integer> counts = new TreeMap<>();
    private final Map<String, Integer> named = new HashMap<>();
    private final Map<Integer, Integer> answers = new TreeMap<>();

    RequestLog() {}

    synchronized void arrived(LoggedRequest request) {
        recent.addLast(request);
        if (recent.size() > KEPT) {
            recent.removeFirst();
        }
        String what = request.verb() + " " + request.resource();
        counts.merge(what, 1, Integer::sum);
        named.merge(what + " " + request.name(), 1, Integer::sum);
    }

    synchronized void answered(int code) {
        answers.merge(code, 1, Integer::sum);
    }

    /** The latest 10,000 requests since the last {@link #clear}, oldest first. */
    public synchronized List<LoggedRequest> recent() {
        return List.copyOf(recent);
    }

    /** How many requests with this verb for this resource arrived since the last {@link #clear}. */
    public synchronized int count(String verb, String resource) {
        return counts.getOrDefault(verb + " " + resource, 0);
    }

    /** How many requests with this verb for the object of this name arrived since the last {@link #clear}. */
    public synchronized int count(String verb, String resource, String name) {
        return named.getOrDefault(verb + " " + resource + " " + name, 0);
    }

    /** All counts, by verb and resource with a blank between. */
    public synchronized Map<String, Integer> counts() {
        return new TreeMap<>(counts);
    }

    /** How many answers had which status code; a stream counts as 200 when it begins. */
    public synchronized Map<Integer, Integer> answers() {
        return new TreeMap<>(answers);
    }

    public synchronized void clear() {
        recent.clear();
        counts.clear();
        named.clear();
        answers.clear();
    }
}
