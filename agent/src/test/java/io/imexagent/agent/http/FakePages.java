package io.imexagent.agent.http;

import io.imexagent.agent.http.StatusServer.StatusPages;
import io.imexagent.core.check.Condition;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Pages that tests change; they remember the threads that asked for them. */
final class FakePages implements StatusPages {

    static final HttpSettings.Tls PLAIN = new HttpSettings.Tls(Optional.empty(), Optional.empty(), Optional.empty());

    private final Set<String> threads = ConcurrentHashMap.newKeySet();
    private volatile List<Condition> readiness = List.of(new Condition("registered", true, "by the kubelet"));
    private volatile boolean broken;
    private volatile PageReply document = PageReply.json("{\"gpus\":[]}");

    void readiness(Condition... conditions) {
        readiness = List.of(conditions);
    }

    void breakDown() {
        broken = true;
    }

    Set<String> threads() {
        return threads;
    }

    @Override
    public String metrics() {
        threads.add(Thread.currentThread().getName());
        if (broken) {
            throw new IllegalStateException("a defect of the page");
        }
        return "imex_agent_api_up 1.0\n";
    }

    @Override
    public List<Condition> liveness() {
        return List.of(new Condition("workers", true, "all move"));
    }

    @Override
    public List<Condition> readiness() {
        return readiness;
    }

    void document(PageReply reply) {
        document = reply;
    }

    @Override
    public List<String> documents() {
        return List.of("/inventory");
    }

    @Override
    public PageReply document(String path) {
        return document;
    }
}
