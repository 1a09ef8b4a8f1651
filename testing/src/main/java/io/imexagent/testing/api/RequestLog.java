package io.imexagent.testing.api;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;

/** The requests that arrived: the latest ones in full, all of them as counts. */
public final class RequestLog {
    private static final int KEPT = 10_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<LoggedRequest> recent = new ArrayDeque<>();
    private final Map<String, Integer> counts = new TreeMap<>();
    private final Map<String, Integer> named = new HashMap<>();
    private final Map<Integer, Integer> answers = new TreeMap<>();

    RequestLog() {}

    void arrived(LoggedRequest request) {
        lock.lock();
        try {
            recent.addLast(request);
            if (recent.size() > KEPT) {
                recent.removeFirst();
            }
            counts.merge(request.verb() + " " + request.resource(), 1, Integer::sum);
            named.merge(named(request.verb(), request.resource(), request.name()), 1, Integer::sum);
        } finally {
            lock.unlock();
        }
    }

    void answered(int code) {
        lock.lock();
        try {
            answers.merge(code, 1, Integer::sum);
        } finally {
            lock.unlock();
        }
    }

    /** The latest 10,000 requests since the last {@link #clear}, oldest first. */
    public List<LoggedRequest> recent() {
        lock.lock();
        try {
            return new ArrayList<>(recent);
        } finally {
            lock.unlock();
        }
    }

    /**
     * How many requests with this verb for this resource arrived since the last {@link #clear}.
     *
     * @param verb as in {@link LoggedRequest#verb}
     * @param resource as in {@link LoggedRequest#resource}
     */
    public int count(String verb, String resource) {
        return counts().getOrDefault(verb + " " + resource, 0);
    }

    /**
     * How many requests with this verb for the object of this name arrived since the last {@link #clear}.
     *
     * @param name as in {@link LoggedRequest#name}
     */
    public int count(String verb, String resource, String name) {
        lock.lock();
        try {
            return named.getOrDefault(named(verb, resource, name), 0);
        } finally {
            lock.unlock();
        }
    }

    private static String named(String verb, String resource, String name) {
        return verb + " " + resource + " " + name;
    }

    /** All counts, by verb and resource with a blank between. */
    public Map<String, Integer> counts() {
        lock.lock();
        try {
            return new TreeMap<>(counts);
        } finally {
            lock.unlock();
        }
    }

    /** How many answers had which status code; a stream counts as 200 when it begins. */
    public Map<Integer, Integer> answers() {
        lock.lock();
        try {
            return new TreeMap<>(answers);
        } finally {
            lock.unlock();
        }
    }

    /** Forgets everything. */
    public void clear() {
        lock.lock();
        try {
            recent.clear();
            counts.clear();
            named.clear();
            answers.clear();
        } finally {
            lock.unlock();
        }
    }
}
